import type { WebSocket } from 'ws';

/**
 * Pings until told to stop; ends a connection whose client has not answered one ping by the next.
 * @param everyMs between two pings, in milliseconds
 * @param onTick called with each
 */
export function keepAlive(socket: WebSocket, everyMs: number, onTick: () => void): () => void {
  let answered = true;
  socket.on('pong', () => {
    answered = true;
  });
  const timer = setInterval(() => {
    onTick();
    if (!answered) return socket.terminate();
    answered = false;
    socket.ping();
  }, everyMs);
  return () => clearInterval(timer);
}
