import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Milliseconds that a client may take to close its side after the last bytes of a response. */
const lingerMs = 1_000;

/**
 * Ends a connection after the bytes already written, and discards what the client sends until it closes its side. Closing a
 * connection with unread bytes would reset it, and a reset can overtake the response.
 */
export function endLingering(socket: Duplex): void {
  const linger = () => {
    const cut = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(cut));
  };
  // Other timeouts apply to slow clients.
  if (socket.writableFinished) linger();
  else socket.once('finish', linger);
  // Take the bytes from Node's HTTP parser: for a body in small chunks, it needs a hundred times as long as discarding it.
  socket.removeAllListeners('data');
  socket.on('data', () => {});
  socket.resume();
  socket.end();
}

/**
 * Breaks off a response that has begun, after the bytes already written. Without any byte, clients and proxies may take the
 * request for one that was never received, and repeat it.
 */
export function breakOff(res: ServerResponse): void {
  if (res.socket) res.socket.destroySoon();
  // A pipelined response gets its socket when the earlier ones are sent, and then writes what waits. To destroy it before leaves
  // the connection open on Node 24.
  else res.once('socket', (socket: Socket) => process.nextTick(() => socket.destroySoon()));
}
