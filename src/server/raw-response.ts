import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { gatewayError } from '../errors/gateway-error.ts';
import { endLingering } from './bounds/end-lingering.ts';

/** Answers on a bare socket, and ends it: for upgrades and malformed requests Node makes no response object. */
export function sendRaw(
  socket: Duplex,
  status: number,
  error: ReturnType<typeof gatewayError>,
  headers: Readonly<Record<string, string>>,
): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ errors: [error] });
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => socket.destroy());
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
  endLingering(socket);
}

/** @param list names and values in turn */
export function toHeaderObject(list: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 0; index < list.length; index += 2) headers[list[index] ?? ''] = list[index + 1] ?? '';
  return headers;
}
