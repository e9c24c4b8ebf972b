import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';

/** Hands over at the end of this turn what was collected in it, for every WebSocket at once. */
export interface Collection {
  add(writer: FrameWriter): void;
}

export function createCollection(): Collection {
  let writers: FrameWriter[] = [];
  const flush = () => {
    const all = writers;
    writers = [];
    for (const writer of all) writer.flush();
  };
  return {
    add(writer) {
      if (writers.length === 0) queueMicrotask(flush);
      writers.push(writer);
    },
  };
}

/** In bytes. So much is collected of one turn before it is written: a turn may hold a hundred results for one client. */
const mostCollected = 16 * 1024;

/**
 * Writes messages to a WebSocket beside its library: what is the same for thousands is not encoded for each of them, and what
 * is told to one client in one turn is one write. Whoever looks at `isReady` first has at most one write waiting for a
 * client that does not read.
 */
export class FrameWriter {
  readonly #socket: WebSocket;
  readonly #connection: Duplex;
  readonly #collection: Collection;
  /** Bytes as characters. */
  #collected = '';
  #isAwaited = false;
  /** Told in turns when there is room again. */
  readonly readers = new Set<{ resume(): void }>();

  constructor(socket: WebSocket, connection: Duplex, collection: Collection) {
    this.#socket = socket;
    this.#connection = connection;
    this.#collection = collection;
  }

  /** Has the client's side taken everything so far? If not, the readers are called when it has. */
  get isReady(): boolean {
    if (this.#socket.readyState !== WebSocket.OPEN) return false;
    if (this.#connection.writableLength === 0) return true;
    if (!this.#isAwaited) {
      this.#isAwaited = true;
      // Is told when everything before it is with the system, also what the library has written.
      this.#connection.write('', () => {
        this.#isAwaited = false;
        this.#resume();
      });
    }
    return false;
  }

  /** One that has more to tell than its client reads is the last next time: it would leave no room for the others. */
  #resume(): void {
    for (const reader of this.readers) {
      reader.resume();
      if (this.isReady) continue;
      if (this.readers.delete(reader)) this.readers.add(reader);
      return;
    }
  }

  /** @param text the message, its bytes in UTF-8 as one character each */
  write(text: string): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#collected === '') this.#collection.add(this);
    this.#collected += toHeader(text.length) + text;
    if (this.#collected.length >= mostCollected) this.flush();
  }

  flush(): void {
    const bytes = this.#collected;
    if (bytes === '') return;
    this.#collected = '';
    if (this.#socket.readyState === WebSocket.OPEN) this.#connection.write(bytes, 'latin1');
  }
}

/** Of a whole text message from a server, which masks nothing. */
function toHeader(length: number): string {
  if (length < 126) return String.fromCharCode(0x81, length);
  if (length < 65_536) return String.fromCharCode(0x81, 126, length >>> 8, length & 0xff);
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(length));
  return `\x81\x7f${size.toString('latin1')}`;
}
