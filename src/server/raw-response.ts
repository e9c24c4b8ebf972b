import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { gatewayError } from '../errors/gateway-error.ts';
import type { Stamps } from './stamp-response.ts';

/** How long the other side may take to see the answer and go, in milliseconds; nothing else watches over such a socket. */
const lingerMs = 1_000;

/** Answers on a bare socket, where Node has no response object: a request its parser refused, or an upgrade. Ends it. */
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
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut));
  // What still comes is thrown away, so that its end is seen.
  socket.resume();
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
}

/** Headers that every answer bears, for one on a bare socket. */
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
