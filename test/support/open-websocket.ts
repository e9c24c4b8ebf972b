import { type ClientOptions, WebSocket } from 'ws';

/** A WebSocket without a GraphQL client, and everything received on it. */
export interface OpenWebSocket {
  readonly socket: WebSocket;
  /** Messages received so far, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not programmed against
  readonly messages: any[];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  send(message: object): void;
}

/** Resolves when the socket is open. Rejects with status and body if the upgrade is rejected. */
export function openWebSocket(
  url: string,
  headers: Record<string, string> = {},
  options: ClientOptions = {},
): Promise<OpenWebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, 'graphql-transport-ws', { ...options, headers });
    const messages: unknown[] = [];
    const closed = new Promise<{ code: number; reason: string }>((done) => {
      socket.on('close', (code, reason) => done({ code, reason: String(reason) }));
    });
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    socket.on('open', () => {
      socket.on('error', () => {});
      resolve({ socket, messages, closed, send: (message) => socket.send(JSON.stringify(message)) });
    });
    socket.on('error', reject);
    socket.on('unexpected-response', (_, response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => reject(new RefusedWebSocket(response.statusCode ?? 0, response.headers, body)));
    });
  });
}

class RefusedWebSocket extends Error {
  override readonly name = 'RefusedWebSocket';
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;

  constructor(status: number, headers: Readonly<Record<string, unknown>>, body: string) {
    super(`refused with ${status}: ${body}`);
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}
