import type { WebSocket } from 'ws';

/** So much may wait for a client to read it before nothing more is read of what the client sends, in bytes. */
const holdBytes = 1024 * 1024;
/**
 * So much may wait before the next answer ends the connection, in bytes: as much as the largest answer of an upstream.
 * Only what was begun before reading was held comes to it.
 */
const maxWaitingBytes = 64 * 1024 * 1024;

/**
 * Sends on one WebSocket as fast as its client reads: one that does not read is not heard either, and is gone when it has
 * not answered a ping.
 * @returns resolves when the text was handed on, or never will be
 */
export function createOutbox(socket: WebSocket): (text: string) => Promise<void> {
  let isHeld = false;
  return (text) =>
    new Promise((resolve) => {
      if (socket.bufferedAmount > maxWaitingBytes) {
        socket.terminate();
        resolve();
        return;
      }
      socket.send(text, () => {
        if (isHeld && socket.bufferedAmount <= holdBytes) {
          isHeld = false;
          socket.resume();
        }
        resolve();
      });
      if (isHeld || socket.bufferedAmount <= holdBytes) return;
      isHeld = true;
      socket.pause();
    });
}
