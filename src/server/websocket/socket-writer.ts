import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';

/** The gateway reads no more messages from a client that has more than this many bytes unread. */
const holdBytes = 1024 * 1024;
/**
 * Bytes of an upstream's largest response. With more unread bytes, the next message closes the connection. Only operations
 * that began before reading stopped can exceed it.
 */
const maxWaitingBytes = 64 * 1024 * 1024;
/** Bytes up to which pushed messages of one turn are joined: a turn may have a hundred results for one client. */
const maxJoinedBytes = 16 * 1024;

/**
 * Writes messages to one WebSocket. `send` is for single messages; `push` is for streams with thousands of subscribers: the
 * message is already encoded, and all messages of one turn become one write.
 */
export class SocketWriter {
  readonly #socket: WebSocket;
  readonly #connection: Duplex;
  /** Streams to resume, one after another, when the client has read everything. */
  readonly readers = new Set<{ resume(): void }>();
  /** Frames of this turn, each byte as one character. */
  #pushed = '';
  #isAwaitingDrain = false;
  #isHeld = false;

  constructor(socket: WebSocket, connection: Duplex) {
    this.#socket = socket;
    this.#connection = connection;
  }

  /** Resolves when the message was handed to the system, or can never be. */
  send(text: string): Promise<void> {
    this.flush();
    return new Promise((resolve) => {
      const socket = this.#socket;
      if (socket.bufferedAmount > maxWaitingBytes) {
        socket.terminate();
        resolve();
        return;
      }
      socket.send(text, () => {
        this.#release();
        resolve();
      });
      this.#hold();
    });
  }

  /** Sends one message in the parts of its bytes. Resolves as `send` does. */
  sendBytes(parts: readonly Buffer[]): Promise<void> {
    this.flush();
    return new Promise((resolve) => {
      const [socket, connection] = [this.#socket, this.#connection];
      if (socket.bufferedAmount > maxWaitingBytes) socket.terminate();
      if (socket.readyState !== WebSocket.OPEN) {
        resolve();
        return;
      }
      connection.cork();
      connection.write(toFrameHead(parts.reduce((sum, { length }) => sum + length, 0)), 'latin1');
      for (const part of parts) connection.write(part);
      connection.write('', () => {
        this.#release();
        resolve();
      });
      connection.uncork();
      this.#hold();
    });
  }

  /** Reads on once the client has read enough. */
  #release(): void {
    if (!this.#isHeld || this.#socket.bufferedAmount > holdBytes) return;
    this.#isHeld = false;
    this.#socket.resume();
  }

  /** Reads no more messages while too much is unread. A client that does not read answers no pings, so its connection ends. */
  #hold(): void {
    if (this.#isHeld || this.#socket.bufferedAmount <= holdBytes) return;
    this.#isHeld = true;
    this.#socket.pause();
  }

  /** Has the client read everything? If not, the `readers` are resumed later. Check before each `push`. */
  get isReady(): boolean {
    if (this.#socket.readyState !== WebSocket.OPEN) return false;
    if (this.#connection.writableLength === 0) return true;
    if (!this.#isAwaitingDrain) {
      this.#isAwaitingDrain = true;
      // Called when everything before it was handed to the system, including what `send` has written.
      this.#connection.write('', () => {
        this.#isAwaitingDrain = false;
        this.#resumeReaders();
      });
    }
    return false;
  }

  /** A reader that fills the connection again goes to the end of the queue. */
  #resumeReaders(): void {
    for (const reader of this.readers) {
      reader.resume();
      if (this.isReady) continue;
      if (this.readers.delete(reader)) this.readers.add(reader);
      return;
    }
  }

  /** @param text the message in UTF-8, each byte as one character */
  push(text: string): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#pushed === '') queueMicrotask(() => this.flush());
    this.#pushed += toFrameHead(text.length) + text;
    if (this.#pushed.length >= maxJoinedBytes) this.flush();
  }

  flush(): void {
    const bytes = this.#pushed;
    if (bytes === '') return;
    this.#pushed = '';
    if (this.#socket.readyState === WebSocket.OPEN) this.#connection.write(bytes, 'latin1');
  }
}

/** The header of an unfragmented, unmasked text frame (RFC 6455, section 5.2). */
function toFrameHead(length: number): string {
  if (length < 126) return String.fromCharCode(0x81, length);
  if (length < 65_536) return String.fromCharCode(0x81, 126, length >>> 8, length & 0xff);
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(length));
  return `\x81\x7f${size.toString('latin1')}`;
}
