import type { WebSocket } from 'ws';
import { startPeerTimeout } from '../../upstream/peer-timeout.ts';
import type { Place, PlaceFor } from '../../upstream/quota.ts';
import { bytesPerPiece } from '../read-body.ts';

/** Close codes that the gateway sends: below 4000 from RFC 6455, above from graphql-transport-ws. */
export const closeCodes = {
  goingAway: 1001,
  policyViolation: 1008,
  tooBig: 1009,
  tryAgainLater: 1013,
  badRequest: 4400,
  unauthorized: 4401,
  subprotocolNotAcceptable: 4406,
  initialisationTimeout: 4408,
  idInUse: 4409,
  tooManyInitialisations: 4429,
  internalError: 4500,
} as const;

/** Milliseconds in which a client must send `connection_init`. */
const initialisationTimeoutMs = 3_000;

/**
 * Closes a connection whose client sends no `connection_init` in time, or sends more than `maxBytes` before the
 * acknowledgement. The library limits single messages only, and buffers a fragmented message until it is complete.
 */
export class GreetingBounds {
  readonly #socket: WebSocket;
  readonly #maxBytes: number;
  readonly #stopTimeout: () => void;
  #size = 0;

  constructor(socket: WebSocket, maxBytes: number, isInitialised: () => boolean) {
    this.#socket = socket;
    this.#maxBytes = maxBytes;
    this.#stopTimeout = startPeerTimeout(initialisationTimeoutMs, () => {
      if (!isInitialised()) socket.close(closeCodes.initialisationTimeout, 'Connection initialisation timeout');
    });
  }

  /** Must be called before the library reads the bytes, so that the library finds the connection closing. */
  count(chunk: Buffer): void {
    const [sizeBefore, maxBytes] = [this.#size, this.#maxBytes];
    this.#size += chunk.length;
    // The connection is closing, and the client still sends.
    if (sizeBefore > maxBytes * 4) this.#socket.terminate();
    else if (this.#size > maxBytes && sizeBefore <= maxBytes)
      this.#socket.close(closeCodes.tooBig, 'Too much before it is acknowledged');
  }

  lift(): void {
    this.#stopTimeout();
  }
}

/** An upper bound of the frame headers, which cannot be distinguished from the content after them. */
const headsBytes = 4_096;
function headOf(size: number): number {
  if (size < 126) return 6;
  return size < 65_536 ? 8 : 14;
}

/**
 * Counts the bytes of incomplete messages, which the library buffers. If all connections together hold too much, `arrivals`
 * closes one of the address that holds most.
 */
export class ArrivalBounds {
  readonly #socket: WebSocket;
  readonly #arrivals: PlaceFor;
  readonly #address: string;
  #bytes = 0;
  #pieces = 0;
  /** Bytes of the current chunk that belong to complete frames. */
  #read = 0;
  #isWhole = false;
  #place: Place | null = null;

  constructor(socket: WebSocket, arrivals: PlaceFor, address: string) {
    this.#socket = socket;
    this.#arrivals = arrivals;
    this.#address = address;
  }

  /** Call for each frame that the library has parsed, before its chunk is counted. */
  readFrame({ length }: Buffer): void {
    this.#read += length + headOf(length);
  }

  /** The same for a frame that completes a message. */
  readMessage(data: Buffer): void {
    this.readFrame(data);
    this.#isWhole = true;
  }

  /** Counts a chunk that the library has parsed. */
  count(chunk: Buffer): void {
    this.#bytes += chunk.length - this.#read;
    this.#pieces += 1;
    this.#read = 0;
    if (this.#isWhole) {
      // The rest is the beginning of the next message.
      this.#bytes = Math.min(this.#bytes, chunk.length);
      if (this.#bytes <= headsBytes) this.#bytes = 0;
      this.#pieces = 1;
      this.#isWhole = false;
    }
    if (this.#bytes <= 0) {
      this.#bytes = 0;
      this.#pieces = 0;
      this.leave();
      return;
    }
    this.#place ??= this.#arrivals.enter(this.#address, () => this.#abandon());
    this.#place.hold(this.#bytes + this.#pieces * bytesPerPiece);
  }

  /** Call when the connection is closed. */
  leave(): void {
    this.#place?.leave();
    this.#place = null;
  }

  #abandon(): void {
    this.#place = null;
    this.#socket.close(closeCodes.tryAgainLater, 'Too many messages are under way');
    this.#socket.terminate();
  }
}

/** Maximum bytes of messages besides operations between two pings. */
const maxBytesBetweenPings = 256 * 1024;
/** Added for each message, so that many small ones are limited too. */
const messageCost = 64;

/**
 * Limits the bytes that a client sends between two pings besides operations, such as pings: the rate limit does not count such
 * messages. Operations of a caller over its rate limit count as well.
 */
export class MessageBudget {
  #spent = 0;
  #last = 0;

  /**
   * Counts a message.
   * @returns `false` if the client sent too much since the last ping
   */
  spend(bytes: number): boolean {
    const isWithin = this.#spent <= maxBytesBetweenPings;
    this.#last = bytes + messageCost;
    this.#spent += this.#last;
    return isWithin;
  }

  /**
   * Takes back the last message, because it is an operation.
   * @returns its cost
   */
  refund(): number {
    this.#spent -= this.#last;
    return this.#last;
  }

  /** Counts an operation after all, because its caller is over the rate limit. */
  charge(cost: number): void {
    this.#spent += cost;
  }

  reset(): void {
    this.#spent = 0;
  }
}
