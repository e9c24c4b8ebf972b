import type { Duplex } from 'node:stream';

/** Milliseconds that a client may take to close its side after the last bytes of an answer. */
const lingerMs = 1_000;

/**
 * Ends a connection behind what was written to it, and drops what the client still sends until it closes its side. Closing a
 * connection with unread bytes would reset it, and a reset overtakes the answer.
 */
export function endLingering(socket: Duplex): void {
  const linger = () => {
    const cut = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(cut));
  };
  // Other timeouts bound a slow client.
  if (socket.writableFinished) linger();
  else socket.once('finish', linger);
  socket.resume();
  socket.end();
}
