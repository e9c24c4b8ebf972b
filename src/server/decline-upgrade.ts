import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Headers that only concern the change of protocol. */
const ofUpgrade = new Set(['upgrade', 'http2-settings']);

/**
 * Serves a request as if it had not offered another protocol. Clients offer HTTP/2 on plain connections with any request
 * (Java's does by default) and expect an ordinary answer; Node has taken the connection away from its parser by then, so
 * the request is put back in front of it without the offer.
 */
export function declineUpgrade(server: Server, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`];
  for (let i = 0; i < req.rawHeaders.length; i += 2) {
    const [name = '', value = ''] = req.rawHeaders.slice(i, i + 2);
    if (ofUpgrade.has(name.toLowerCase())) continue;
    lines.push(`${name}: ${name.toLowerCase() === 'connection' ? withoutUpgrade(value) : value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

export function isWebSocketUpgrade(req: IncomingMessage): boolean {
  return req.headers.upgrade?.trim().toLowerCase() === 'websocket';
}

function withoutUpgrade(connection: string): string {
  const kept = connection.split(',').filter((each) => !ofUpgrade.has(each.trim().toLowerCase()));
  return kept.join(',').trim() || 'keep-alive';
}
