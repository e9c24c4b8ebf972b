import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { closeCodes } from './close-codes.ts';

/**
 * Ends a connection that sends too much before it is acknowledged. The library bounds whole messages only, and collects
 * a message of many fragments in memory until it is whole.
 * @returns lifts the bound
 */
export function boundGreeting(socket: WebSocket, connection: Duplex, maxBytes: number): () => void {
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
  return () => connection.off('data', count);
}
