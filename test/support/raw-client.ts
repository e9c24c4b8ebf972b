import { connect, type Socket } from 'node:net';

/** A connection without an HTTP client: it can stop sending, stop reading and disconnect as no client would. */
export interface RawClient {
  /** Resolves when the kernel has the bytes. */
  send(text: string | Buffer): Promise<void>;
  /** Resolves when the received text matches; rejects if the connection ends first. */
  receive(pattern: RegExp): Promise<void>;
  /** Everything received, once the connection has ended. */
  whole(): Promise<string>;
  /** Stops reading, so that data piles up on the way. */
  stopReading(): void;
  resumeReading(): void;
  /** Closes with FIN or with RST. */
  vanish(how: 'closing' | 'resetting'): void;
}

export async function openRawClient(port: number): Promise<RawClient> {
  const socket = await new Promise<Socket>((resolve, reject) => {
    const opening = connect(port, '127.0.0.1', () => resolve(opening));
    opening.once('error', reject);
  });
  let received = '';
  let isOver = false;
  let onNews = () => {};
  const end = () => {
    isOver = true;
    onNews();
  };
  socket.on('error', end);
  socket.on('close', end);
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
    onNews();
  });

  return {
    send: (text) =>
      new Promise((resolve, reject) => socket.write(text, (error) => (error ? reject(error) : resolve()))),
    receive: (pattern) =>
      new Promise((resolve, reject) => {
        onNews = () => {
          if (pattern.test(received)) resolve();
          else if (isOver) reject(new Error(`the connection ended without ${pattern}: ${received.slice(-200)}`));
        };
        onNews();
      }),
    whole: () =>
      new Promise((resolve) => {
        onNews = () => {
          if (isOver) resolve(received);
        };
        onNews();
      }),
    stopReading: () => void socket.pause(),
    resumeReading: () => void socket.resume(),
    vanish(how) {
      if (how === 'closing') socket.destroy();
      else socket.resetAndDestroy();
    },
  };
}

/** A JSON POST as sent over the wire. */
export function toPostText(body: object, headers: Readonly<Record<string, string>> = {}): string {
  const text = JSON.stringify(body);
  const lines = Object.entries({
    host: 'localhost',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /graphql HTTP/1.1\r\n${lines.join('')}\r\n${text}`;
}
