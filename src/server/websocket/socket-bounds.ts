import type { EventEmitter } from 'node:events';
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
 * @returns lifts these limits
 */
export function boundUntilAcknowledged(
  socket: WebSocket,
  connection: EventEmitter,
  maxBytes: number,
  isInitialised: () => boolean,
): () => void {
  let size = 0;
  const count = (chunk: Buffer) => {
    const sizeBefore = size;
    size += chunk.length;
    // The connection is closing, and the client still sends.
    if (sizeBefore > maxBytes * 4) socket.terminate();
    else if (size > maxBytes && sizeBefore <= maxBytes)
      socket.close(closeCodes.tooBig, 'Too much before it is acknowledged');
  };
  // Runs before the library reads the message, so that the library finds the connection closing.
  connection.prependListener('data', count);
  const stopTimeout = startPeerTimeout(initialisationTimeoutMs, () => {
    if (!isInitialised()) socket.close(closeCodes.initialisationTimeout, 'Connection initialisation timeout');
  });
  return () => {
    stopTimeout();
    connection.off('data', count);
  };
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
 * @param connection emits `data`, which the library already reads, so that it has parsed each chunk before it is counted here
 */
export function boundArrivals(socket: WebSocket, connection: EventEmitter, arrivals: PlaceFor, address: string): void {
  let bytes = 0;
  let pieces = 0;
  /** Bytes of the current chunk that belong to complete frames. */
  let read = 0;
  let isWhole = false;
  let arrival: Place | null = null;
  const leave = (): void => {
    arrival?.leave();
    arrival = null;
  };
  const abandon = (): void => {
    arrival = null;
    socket.close(closeCodes.tryAgainLater, 'Too many messages are under way');
    socket.terminate();
  };
  const count = (chunk: Buffer): void => {
    bytes += chunk.length - read;
    pieces += 1;
    read = 0;
    if (isWhole) {
      // The rest is the beginning of the next message.
      bytes = Math.min(bytes, chunk.length);
      if (bytes <= headsBytes) bytes = 0;
      pieces = 1;
      isWhole = false;
    }
    if (bytes <= 0) {
      bytes = 0;
      pieces = 0;
      leave();
      return;
    }
    arrival ??= arrivals.enter(address, abandon);
    arrival.hold(bytes + pieces * bytesPerPiece);
  };
  const readFrame = ({ length }: Buffer): void => {
    read += length + headOf(length);
  };
  socket.on('message', (data) => {
    readFrame(data as Buffer);
    isWhole = true;
  });
  socket.on('ping', readFrame);
  socket.on('pong', readFrame);
  connection.on('data', count);
  connection.once('close', leave);
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
