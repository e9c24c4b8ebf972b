import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { startPeerTimeout } from '../../upstream/peer-timeout.ts';
import { closeCodes } from './close-codes.ts';

/** A client that has not greeted by then is told to go; in milliseconds. */
const patienceMs = 3_000;

export interface GreetingBounds {
  /** What it may send before it is acknowledged, in bytes. */
  readonly maxBytes: number;
  readonly session: { readonly isIntroduced: boolean };
}

/**
 * Ends a connection that says nothing, or sends too much before it is acknowledged. The library bounds whole messages only, and
 * collects a message of many fragments in memory until it is whole.
 * @returns lifts the bounds
 */
export function boundGreeting(
  socket: WebSocket,
  connection: Duplex,
  { maxBytes, session }: GreetingBounds,
): () => void {
  let size = 0;
  const count = (chunk: Buffer) => {
    const before = size;
    size += chunk.length;
    // It was told to close and still sends.
    if (before > maxBytes * 4) socket.terminate();
    else if (size > maxBytes && before <= maxBytes)
      socket.close(closeCodes.tooBig, 'Too much before it is acknowledged');
  };
  // Runs before the library reads the message, so that the library finds the connection closing.
  connection.prependListener('data', count);
  const stopWaiting = startPeerTimeout(patienceMs, () => {
    if (!session.isIntroduced) socket.close(closeCodes.nothingSaid, 'Connection initialisation timeout');
  });
  return () => {
    stopWaiting();
    connection.off('data', count);
  };
}
