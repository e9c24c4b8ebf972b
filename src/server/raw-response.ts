import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { gatewayError } from '../errors/gateway-error.ts';
import { endLingering } from './bounds/end-lingering.ts';
import type { Stamps } from './stamp-response.ts';

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

/** The headers that every answer carries, as an object for `sendRaw`. */
export function stampHeaders(
  { headers: { origin } }: Pick<IncomingMessage, 'headers'>,
  requestId: string,
  stamps: Stamps,
): Record<string, string> {
  const list = stamps(origin, requestId);
  const headers: Record<string, string> = {};
  for (let index = 0; index < list.length; index += 2) headers[list[index] ?? ''] = list[index + 1] ?? '';
  return headers;
}
