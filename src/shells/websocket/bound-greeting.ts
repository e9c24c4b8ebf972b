import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { closeCodes } from './close-codes.ts';

/**
 * Ends a connection that sends more before it is acknowledged than anybody has to say then. The library bounds single
 * messages only, and gathers one that is not whole.
 * @returns lifts the bound
 */
export function boundGreeting(socket: WebSocket, connection: Duplex, maxBytes: number): () => void {
  let size = 0;
  const count = (chunk: Buffer) => {
    const before = size;
    size += chunk.length;
    // It has been told why, and goes on.
    if (before > maxBytes * 4) socket.terminate();
    else if (size > maxBytes && before <= maxBytes)
      socket.close(closeCodes.tooBig, 'Too much before it is acknowledged');
  };
  // Before whoever reads the message, which must find the connection closing.
  connection.prependListener('data', count);
  return () => connection.off('data', count);
}
