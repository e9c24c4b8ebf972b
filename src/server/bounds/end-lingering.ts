import type { Duplex } from 'node:stream';

/** Milliseconds that a client may take to close its side after the last bytes of an answer. */
const lingerMs = 1_000;

/**
 * Ends a connection behind what was written to it. Reads and drops what its client still sends, until the client closes its
 * side: a connection that is closed with anything unread is reset, and a reset overtakes the answer before it.
 */
export function endLingering(socket: Duplex): void {
  const linger = () => {
    const cut = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(cut));
  };
  // What waits for a slow client is bounded by others.
  if (socket.writableFinished) linger();
  else socket.once('finish', linger);
  socket.resume();
  socket.end();
}
