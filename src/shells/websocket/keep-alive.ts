import type { WebSocket } from 'ws';

/**
 * Pings until told to stop, and ends a connection whose client has not answered a ping when the next one is due.
 * @param everyMs between two pings
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
