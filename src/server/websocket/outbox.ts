import type { WebSocket } from 'ws';

/** In bytes. If so much waits for a client to read it, nothing more is read from the client until it has caught up. */
const holdBytes = 1024 * 1024;
/**
 * In bytes: as much as the largest answer of an upstream. If so much waits, the next answer ends the connection. Only
 * operations that were begun before reading stopped can come to it.
 */
const maxWaitingBytes = 64 * 1024 * 1024;

/**
 * Sends as fast as the client reads. While a client does not read, its messages are not read either; then it does not
 * answer pings, and its connection ends.
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
