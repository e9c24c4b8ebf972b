import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { TurnClient } from '../../upstream/fair-turns.ts';
import type { Place, PlaceFor } from '../../upstream/quota.ts';

/** The client whose messages are read. */
export interface MessageObserver {
  /** The client's address, whose memory the waiting bytes use. */
  readonly address: string;
  /** Runs work in a turn of the client. */
  takeTurn(work: () => void, client: TurnClient): void | Promise<void>;
  /** Called before the library parses a slice. */
  arrived(slice: Buffer): void;
  /** Called when the library has parsed a slice. */
  parsed(slice: Buffer): void;
  /** Called when the connection is closed. */
  disconnected(): void;
}

/** Bytes of one turn: a few hundred of the smallest frames, such as pings, each of which is answered. */
const sliceBytes = 2_048;
/** The gateway reads no further messages from a client that leaves more bytes unread, such as answers to its pings. */
const maxUnreadBytes = 1024 * 1024;

const readerKey = Symbol('message reader');
type ReadConnection = Duplex & { [readerKey]: MessageReader };

/**
 * Hands the bytes of a WebSocket to the library in slices, each in a turn of the client's address. Otherwise the library would
 * parse and answer all that arrived on all connections of a client in one turn of the event loop.
 */
export class MessageReader {
  readonly #socket: WebSocket;
  readonly #connection: Duplex;
  readonly #observer: MessageObserver;
  readonly #arrivals: PlaceFor;
  /** The library's listener of the connection. */
  readonly #parse: (this: Duplex, slice: Buffer) => void;
  /** Replaced rather than grown: V8 reserves 17 places for a list that grows. */
  #chunks: readonly Buffer[] = noChunks;
  #place: Place | null = null;
  /** A turn, or the client's reading, is awaited. */
  #isWaiting = false;
  #isOver = false;
  #abandonTurn: (() => void) | null = null;

  /** Listeners of all connections, which find the reader by a symbol: ten thousand connections need none of their own. */
  static readonly #listeners = {
    data(this: ReadConnection, chunk: Buffer): void {
      this[readerKey].#take(chunk);
    },
    /** Also called when the client has read its results, after which the library resumes the connection. */
    resume(this: ReadConnection): void {
      this[readerKey].#read();
    },
    end(this: ReadConnection): void {
      this[readerKey].#end();
    },
    close(this: ReadConnection): void {
      const reader = this[readerKey];
      reader.#end();
      // Otherwise the library would parse these bytes now.
      this.read();
      reader.#observer.disconnected();
    },
  };

  /** @param connection that the library already reads */
  constructor(socket: WebSocket, connection: Duplex, observer: MessageObserver, arrivals: PlaceFor) {
    this.#socket = socket;
    this.#connection = connection;
    this.#observer = observer;
    this.#arrivals = arrivals;
    const { data, resume, end, close } = MessageReader.#listeners;
    [this.#parse] = connection.listeners('data') as [(slice: Buffer) => void];
    connection.off('data', this.#parse);
    (connection as ReadConnection)[readerKey] = this;
    connection.on('data', data);
    connection.on('resume', resume);
    connection.prependListener('end', end);
    connection.prependListener('close', close);
  }

  onGone(abandon: () => void): void {
    this.#abandonTurn = abandon;
  }

  #take(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#chunks = [...this.#chunks, chunk];
    this.#read();
  }

  #read(): void {
    const connection = this.#connection;
    while (!this.#isWaiting && this.#chunks.length > 0 && !this.#socket.isPaused) {
      if (connection.writableLength > maxUnreadBytes) {
        this.#isWaiting = true;
        connection.once('drain', () => this.#continue());
        break;
      }
      const turn = this.#observer.takeTurn(() => this.#readSlice(), this);
      if (!(turn instanceof Promise)) continue;
      this.#isWaiting = true;
      void turn.then(() => this.#continue());
    }
    if (this.#chunks.length > 0) {
      connection.pause();
      this.#hold();
      return;
    }
    this.#leave();
    if (connection.isPaused() && !this.#socket.isPaused) connection.resume();
  }

  #continue(): void {
    this.#isWaiting = false;
    this.#abandonTurn = null;
    this.#read();
  }

  #readSlice(): void {
    const [chunk, ...others] = this.#chunks;
    if (!chunk) return;
    const slice = chunk.length > sliceBytes ? chunk.subarray(0, sliceBytes) : chunk;
    if (slice !== chunk) this.#chunks = [chunk.subarray(sliceBytes), ...others];
    else this.#chunks = others.length > 0 ? others : noChunks;
    this.#observer.arrived(slice);
    this.#parse.call(this.#connection, slice);
    this.#observer.parsed(slice);
  }

  #hold(): void {
    this.#place ??= this.#arrivals.enter(this.#observer.address, () => this.#socket.terminate());
    this.#place.hold(this.#chunks.reduce((sum, { length }) => sum + length, 0));
  }

  #leave(): void {
    this.#place?.leave();
    this.#place = null;
  }

  #end(): void {
    this.#isOver = true;
    this.#chunks = noChunks;
    this.#leave();
    this.#abandonTurn?.();
  }
}

const noChunks: readonly Buffer[] = [];
