import type { WebSocket } from 'ws';

export interface SocketHandler {
  /** The answer to a message; empty for none. */
  onMessage(text: string): string;
  onClose(): void;
}

/** A client with more unread bytes than this is disconnected, because its messages would be buffered without limit. */
const maxBacklogBytes = 16 * 1024 * 1024;

/** Joins a WebSocket to a handler for as long as it is open. */
export function serveSocket(webSocket: WebSocket, connect: (send: (text: string) => void) => SocketHandler): void {
  const send = (text: string) => {
    if (webSocket.readyState !== webSocket.OPEN) return;
    if (webSocket.bufferedAmount > maxBacklogBytes) webSocket.terminate();
    else webSocket.send(text);
  };
  const handler = connect(send);
  webSocket.on('message', (data) => {
    const answer = handler.onMessage(data.toString());
    if (answer !== '') send(answer);
  });
  webSocket.on('close', () => handler.onClose());
  // An error is followed by the closing of the connection; without a listener it would end the process.
  webSocket.on('error', () => webSocket.terminate());
}
