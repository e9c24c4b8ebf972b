import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { FairTurns } from '../../upstream/fair-turns.ts';
import type { Place, PlaceFor } from '../../upstream/quota.ts';

export interface MessageReaderOptions {
  readonly turns: Pick<FairTurns, 'run'>;
  /** The client's share of turns. */
  readonly turnKey: string;
  /** The client's address, whose memory the waiting bytes use. */
  readonly address: string;
  readonly arrivals: PlaceFor;
}

/** Bytes of one turn: a few hundred of the smallest frames, such as pings, each of which is answered. */
const sliceBytes = 2_048;
/** The gateway reads no further messages from a client that leaves more bytes unread, such as answers to its pings. */
const maxUnreadBytes = 1024 * 1024;

/**
 * Hands the bytes of a WebSocket to the library in slices, each in a turn of the client's address. Otherwise the library would
 * parse and answer all that arrived on all connections of a client in one turn of the event loop. Emits `data` for each slice,
 * and `close`.
 */
export class MessageReader extends EventEmitter {
  readonly #socket: WebSocket;
  readonly #connection: Duplex;
  readonly #options: MessageReaderOptions;
  readonly #chunks: Buffer[] = [];
  #place: Place | null = null;
  /** A turn, or the client's reading, is awaited. */
  #isWaiting = false;
  #isOver = false;
  #abandonTurn = () => {};

  /** @param connection that the library already reads */
  constructor(socket: WebSocket, connection: Duplex, options: MessageReaderOptions) {
    super();
    this.#socket = socket;
    this.#connection = connection;
    this.#options = options;
    for (const parse of connection.listeners('data') as ((chunk: Buffer) => void)[]) {
      connection.off('data', parse);
      this.on('data', (slice) => parse.call(connection, slice));
    }
    connection.on('data', (chunk: Buffer) => {
      if (this.#isOver) return;
      this.#chunks.push(chunk);
      this.#read();
    });
    // Also called when the client has read its results, after which the library resumes the connection.
    connection.on('resume', () => this.#read());
    connection.prependListener('end', () => this.#end());
    connection.prependListener('close', () => {
      this.#end();
      // Otherwise the library would parse these bytes now.
      connection.read();
      this.emit('close');
    });
  }

  onGone(abandon: () => void): void {
    this.#abandonTurn = abandon;
  }

  #read(): void {
    const connection = this.#connection;
    while (!this.#isWaiting && this.#chunks.length > 0 && !this.#socket.isPaused) {
      if (connection.writableLength > maxUnreadBytes) {
        this.#isWaiting = true;
        connection.once('drain', () => this.#continue());
        break;
      }
      const { turns, turnKey } = this.#options;
      const turn = turns.run(turnKey, this, () => this.#readSlice());
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
    this.#read();
  }

  #readSlice(): void {
    const [chunk] = this.#chunks;
    if (!chunk) return;
    if (chunk.length > sliceBytes) this.#chunks[0] = chunk.subarray(sliceBytes);
    else this.#chunks.shift();
    this.emit('data', chunk.length > sliceBytes ? chunk.subarray(0, sliceBytes) : chunk);
  }

  #hold(): void {
    this.#place ??= this.#options.arrivals.enter(this.#options.address, () => this.#socket.terminate());
    this.#place.hold(this.#chunks.reduce((sum, { length }) => sum + length, 0));
  }

  #leave(): void {
    this.#place?.leave();
    this.#place = null;
  }

  #end(): void {
    this.#isOver = true;
    this.#chunks.length = 0;
    this.#leave();
    this.#abandonTurn();
  }
}
