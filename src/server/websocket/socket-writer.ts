import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { cutIntoPieces, memoryOf, pieceBytes, sizeOf, writeInPieces } from '../cut-into-pieces.ts';

/** The gateway reads no more messages from a client that has more than this many bytes unread. */
const holdBytes = 1024 * 1024;
/**
 * Bytes of an upstream's largest response. With more unread bytes, the next message closes the connection. Only operations
 * that began before reading stopped can exceed it.
 */
const maxWaitingBytes = 64 * 1024 * 1024;
/** Bytes up to which pushed messages of one turn are joined: a turn may have a hundred results for one client. */
const maxJoinedBytes = 16 * 1024;

/** A message that is written in pieces, as the client reads it. */
interface LongMessage {
  readonly pieces: Iterator<readonly Buffer[], void>;
  /** Bytes not yet written. */
  left: number;
  isBegun: boolean;
  /** Identifies its memory if that may be shared with other messages. */
  readonly memory: object | null;
  readonly done: () => void;
}

/** The client that is written to. */
export interface WriterOwner {
  /** Runs the writing of one piece in a turn of the client. */
  takeTurn(work: () => void): unknown;
  /** Called with 1 when a message begins to wait for the client, and with -1 when none waits any more. */
  onWaiting(change: 1 | -1): void;
}

/** A stream that is resumed when the client has read everything. */
export interface WriterReader {
  resume(): void;
}

/**
 * Writes messages to one WebSocket. `send` is for single messages; `push` is for streams with thousands of subscribers: the
 * message is already encoded, and all messages of one turn become one write. A long message is written in fragments as the
 * client reads them, so that pings pass between them, and other messages wait for its end.
 */
export class SocketWriter {
  readonly #socket: WebSocket;
  readonly #connection: Duplex;
  readonly #owner: WriterOwner;
  /** Streams that wait for the client, to be resumed one after another; `null` = none has waited lately. */
  #readers: Set<WriterReader> | null = null;
  /** Long messages, and those that wait behind them; the first is being written. */
  readonly #waiting: LongMessage[] = [];
  /** Frames of this turn, each byte as one character. */
  #pushed = '';
  #isAwaitingDrain = false;
  #isHeld = false;
  #hasProgressed = false;

  constructor(socket: WebSocket, connection: Duplex, owner: WriterOwner) {
    this.#socket = socket;
    this.#connection = connection;
    this.#owner = owner;
  }

  /** Resolves when the message was handed to the system, or can never be. */
  send(text: string): Promise<void> {
    this.flush();
    if (this.#waiting.length > 0 || text.length > pieceBytes) return this.#sendWaiting([Buffer.from(text)]);
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

  /**
   * Sends one message in the parts of its bytes, which other messages may share, and a short one behind it: for both together,
   * the system is called once. Resolves as `send` does.
   */
  sendBytes(parts: readonly Buffer[], behind: Buffer): Promise<void> {
    this.flush();
    const size = sizeOf(parts);
    if (this.#waiting.length > 0 || size > pieceBytes) {
      void this.#sendWaiting(parts);
      return this.#sendWaiting([behind]);
    }
    return new Promise((resolve) => {
      const [socket, connection] = [this.#socket, this.#connection];
      if (socket.bufferedAmount > maxWaitingBytes) socket.terminate();
      if (socket.readyState !== WebSocket.OPEN) {
        resolve();
        return;
      }
      const all = [toFrame(size), ...parts, toFrame(behind.length), behind];
      const written = () => {
        this.#release();
        resolve();
      };
      if (size <= maxJoinedBytes) connection.write(Buffer.concat(all), written);
      else {
        connection.cork();
        for (const part of all) connection.write(part, part === behind ? written : undefined);
        connection.uncork();
      }
      this.#hold();
    });
  }

  #sendWaiting(parts: readonly Buffer[]): Promise<void> {
    return new Promise((resolve) => {
      const size = sizeOf(parts);
      if (this.#heldBytes() > maxWaitingBytes) this.#socket.terminate();
      if (this.#socket.readyState !== WebSocket.OPEN) {
        resolve();
        return;
      }
      const message = {
        pieces: cutIntoPieces(parts),
        left: size,
        isBegun: false,
        memory: memoryOf(parts),
        done: resolve,
      };
      this.#waiting.push(message);
      this.#hold();
      if (this.#waiting.length > 1) return;
      this.#owner.onWaiting(1);
      writeInPieces(
        this.#connection,
        (work) => this.#owner.takeTurn(work),
        () => this.#writePiece(),
      );
    });
  }

  /** Writes a fragment of the first message that waits. @returns whether there are more */
  #writePiece(): boolean {
    const [message] = this.#waiting;
    if (!message) return false;
    const [socket, connection] = [this.#socket, this.#connection];
    if (socket.readyState !== WebSocket.OPEN) {
      this.drop();
      return false;
    }
    const parts = message.pieces.next().value ?? [];
    const size = sizeOf(parts);
    message.left -= size;
    const isLast = message.left === 0;
    connection.write(toFrameHead(size, (isLast ? finalFragment : 0) | (message.isBegun ? 0 : textFrame)), 'latin1');
    for (const part of parts) connection.write(part);
    if (isLast) {
      this.#waiting.shift();
      connection.write('', () => {
        this.#release();
        message.done();
      });
    }
    message.isBegun = true;
    this.#hasProgressed = true;
    if (this.#waiting.length > 0) return true;
    this.#owner.onWaiting(-1);
    if (this.#isAwaitingDrain) this.#awaitDrain();
    return false;
  }

  /** Drops the messages that wait. Call when the connection is closed. */
  drop(): void {
    const dropped = this.#waiting.splice(0);
    if (dropped.length > 0) this.#owner.onWaiting(-1);
    for (const { done } of dropped) done();
  }

  /** Has the client read a part of a long message since the last call? It may answer no pings meanwhile. */
  takeProgress(): boolean {
    const hasProgressed = this.#hasProgressed;
    this.#hasProgressed = false;
    return hasProgressed;
  }

  /** Bytes of messages that are not yet written, in parts that may share their memory. */
  get unwritten(): readonly { readonly bytes: number; readonly memory: object | null }[] {
    return this.#waiting.map(({ left, memory }) => ({ bytes: left, memory }));
  }

  /** Bytes of memory that unread messages take. */
  #heldBytes(): number {
    let bytes = this.#socket.bufferedAmount;
    const shared = new Map<object, number>();
    for (const { left, memory } of this.#waiting) {
      if (memory) shared.set(memory, Math.max(left, shared.get(memory) ?? 0));
      else bytes += left;
    }
    for (const each of shared.values()) bytes += each;
    return bytes;
  }

  /** Reads on once the client has read enough. */
  #release(): void {
    if (!this.#isHeld || this.#isFull()) return;
    this.#isHeld = false;
    this.#socket.resume();
  }

  /** Reads no more messages while too much is unread. A client that does not read answers no pings, so its connection ends. */
  #hold(): void {
    if (this.#isHeld || !this.#isFull()) return;
    this.#isHeld = true;
    this.#socket.pause();
  }

  #isFull(): boolean {
    return this.#socket.bufferedAmount > holdBytes || (this.#waiting[0]?.left ?? 0) > holdBytes;
  }

  /** Has the client read everything? If not, the reader is resumed later. Check before each `push`. */
  isReadyFor(reader: WriterReader): boolean {
    if (this.#isReady()) return true;
    this.#readers ??= new Set();
    this.#readers.add(reader);
    return false;
  }

  /** The reader ends: it is not resumed any more. */
  leave(reader: WriterReader): void {
    this.#readers?.delete(reader);
  }

  /** If not, readers are resumed later. */
  #isReady(): boolean {
    if (this.#socket.readyState !== WebSocket.OPEN) return false;
    if (this.#waiting.length === 0 && this.#connection.writableLength === 0) return true;
    if (!this.#isAwaitingDrain) {
      this.#isAwaitingDrain = true;
      // Otherwise called when the last message is written.
      if (this.#waiting.length === 0) this.#awaitDrain();
    }
    return false;
  }

  #awaitDrain(): void {
    // Called when everything before it was handed to the system, including what `send` has written.
    this.#connection.write('', () => {
      this.#isAwaitingDrain = false;
      this.#resumeReaders();
    });
  }

  /** A reader that fills the connection again waits at the end of the queue. */
  #resumeReaders(): void {
    const readers = this.#readers;
    if (!readers) return;
    for (const reader of readers) {
      readers.delete(reader);
      reader.resume();
      if (!this.#isReady()) return;
    }
    this.#readers = null;
  }

  /** @param text the message in UTF-8, each byte as one character */
  push(text: string): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#waiting.length > 0) return void this.#sendWaiting([Buffer.from(text, 'latin1')]);
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

/** Bits of the first byte of a frame. */
const finalFragment = 0x80;
const textFrame = 0x01;

const toFrame = (length: number): Buffer => Buffer.from(toFrameHead(length), 'latin1');

/** The header of an unmasked frame (RFC 6455, section 5.2). */
function toFrameHead(length: number, first = finalFragment | textFrame): string {
  if (length < 126) return String.fromCharCode(first, length);
  if (length < 65_536) return String.fromCharCode(first, 126, length >>> 8, length & 0xff);
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(length));
  return `${String.fromCharCode(first, 127)}${size.toString('latin1')}`;
}
