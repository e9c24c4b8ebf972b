import { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';
import { type Arrival, type Arrivals, bytesPerPiece, createArrivals } from '../upstream/arrivals.ts';
import type { Held } from '../upstream/cancellation.ts';

export type BodyReading =
  | { readonly kind: 'whole'; readonly body: Buffer }
  | { readonly kind: 'too-large' }
  /** It came in too many too small pieces. */
  | { readonly kind: 'scattered' }
  /** It arrived slowly, and others needed its memory. */
  | { readonly kind: 'crowded-out' }
  | { readonly kind: 'aborted' };

/**
 * A request whose body can be read without its stream: the chunks are taken from `push`, which Node's parser calls. Most bodies
 * arrive with their headers, and a stream would deliver them in a later turn of the event loop. For a small request that would
 * cost more than all other work on its body.
 */
export class IncomingRequest extends IncomingMessage {
  #take: ((piece: Buffer | null) => void) | null = null;

  /**
   * From here on the stream gets nothing. Call it in the turn in which the request came: what was pushed before stays there.
   * @param take called with each piece, then with `null`
   */
  takeBody(take: (piece: Buffer | null) => void): void {
    this.#take = take;
  }

  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.#take === null) return super.push(piece, encoding);
    this.#take(piece);
    return true;
  }
}

interface BodyBounds {
  readonly maxBytes: number;
  readonly arrivals: Arrivals;
}

/** Pieces are joined when there are so many. */
const maxLoosePieces = 512;
/** Memory of a header beside its text, in bytes. Headers are kept while the body is awaited. */
const bytesPerHeader = 64;

/**
 * Pieces in which a body may come, and one more for every `minBytesPerPiece` bytes. A piece costs a few microseconds however
 * small it is: a megabyte in chunks of one byte took seconds. Clients that write a body field by field stay far below.
 */
const maxPieces = 4_096;
const minBytesPerPiece = 64;

/**
 * Reads a request body of at most `maxBytes`, by its declared length and by what really comes. A body in one piece, as nearly
 * all are, is not counted.
 * @param done called once, perhaps before this returns
 */
export function readBody(req: IncomingRequest, bounds: BodyBounds, done: (reading: BodyReading) => void): void {
  const { maxBytes } = bounds;
  /** Not a number where none is declared. */
  const declared = Number(req.headers['content-length']);
  if (declared > maxBytes) {
    done({ kind: 'too-large' });
    return;
  }
  /** Pieces that were joined, `maxLoosePieces` into each. */
  let blocks: Buffer[] = [];
  let pieces: Buffer[] = [];
  let size = 0;
  let count = 0;
  let arrival: Arrival | null = null;
  /** `null` once it was called: Node keeps a request until the next one on its connection. */
  let whenDone: typeof done | null = done;
  const settle = (reading: BodyReading): void => {
    const callback = whenDone;
    if (callback === null) return;
    whenDone = null;
    arrival?.leave();
    arrival = null;
    blocks = [];
    pieces = [];
    callback(reading);
  };
  req.on('close', () => settle({ kind: 'aborted' }));
  req.takeBody((chunk) => {
    if (whenDone === null) return;
    if (chunk === null) {
      settle({ kind: 'whole', body: joined(blocks.length > 0 ? [...blocks, ...pieces] : pieces, size) });
      return;
    }
    size += chunk.length;
    if (size > maxBytes) {
      settle({ kind: 'too-large' });
      return;
    }
    pieces.push(chunk);
    if (size === declared) return;
    count += 1;
    if (count > maxPieces + size / minBytesPerPiece) {
      // Otherwise Node would go on parsing the pieces that wait in the system.
      req.socket.pause();
      settle({ kind: 'scattered' });
      return;
    }
    if (pieces.length >= maxLoosePieces) {
      blocks.push(Buffer.concat(pieces));
      pieces = [];
    }
    arrival ??= bounds.arrivals.begin(() => settle({ kind: 'crowded-out' }));
    arrival.hold(size + pieces.length * bytesPerPiece + (req.rawHeaders.length / 2) * bytesPerHeader);
  });
}

function joined(chunks: readonly Buffer[], size: number): Buffer {
  const [only] = chunks;
  return only && chunks.length === 1 ? only : Buffer.concat(chunks as Buffer[], size);
}

/**
 * Gives a body that was already read to Yoga, as its adapter takes one from body parsers: an own property that is an async
 * iterable. (Of a plain Buffer it would list every byte as a key.)
 */
export function restoreBody(req: IncomingMessage, body: Buffer): void {
  Object.assign(req, {
    body: {
      data: body,
      async *[Symbol.asyncIterator]() {
        yield body;
      },
    },
  });
}

export type BytesInFlight = ReturnType<typeof createBytesInFlight>;

/** Bodies of the largest size for which there is room while they arrive. One whose operation runs counts as `copies`. */
const largestAtOnce = 96;
/**
 * Copies of a body in memory while its operation runs: its variables, which take up to two bytes per character, and the
 * forwarded body.
 */
const copies = 3;
/** In bytes. Smaller bodies are not counted: other bounds limit them, and the rest of a request takes as much memory. */
const smallBytes = 16 * 1024;

/**
 * Counts the memory of request bodies and messages, from their first byte until their operations are over. A caller may hold as
 * much as it leaves free: alone a half, beside one other caller a third, and so on. So there is always room for one more
 * caller. Bodies that have arrived in part use the rest, and are given up when it is needed.
 * @param maxBodyBytes of the largest body or message
 */
export function createBytesInFlight(maxBodyBytes: number) {
  const maxBytes = largestAtOnce * maxBodyBytes;
  const callers = new Map<string, CallerShare>();
  let heldBytes = 0;
  const arrivals = createArrivals(() => maxBytes - heldBytes);

  return {
    begin: arrivals.begin,
    /** Bytes counted now. */
    get bytes(): number {
      return heldBytes;
    },
    /**
     * Counts a whole body or message against its caller.
     * @returns to be released once; `null` = there is no room, and it must be rejected
     */
    take(caller: string, bytes: number): Held | null {
      if (bytes <= smallBytes) return uncounted;
      const weight = copies * bytes;
      const own = callers.get(caller) ?? new CallerShare();
      if (own.bytes + weight > maxBytes - heldBytes - weight) return null;
      callers.set(caller, own);
      own.bytes += weight;
      heldBytes += weight;
      arrivals.shrink();
      let holders = 1;
      return {
        keep() {
          holders += 1;
        },
        release() {
          holders -= 1;
          if (holders > 0) return;
          own.bytes -= weight;
          heldBytes -= weight;
          if (own.bytes === 0) callers.delete(caller);
        },
      };
    },
  };
}

export class CallerShare {
  bytes = 0;
}

const uncounted: Held = { keep() {}, release() {} };

/** In seconds: a third of the usual timeout of a query. */
const retryAfterSeconds = 5;

export function tooMuchInFlight(): GraphQLError {
  const message = 'The requests in flight leave no room for one of this size. Send fewer large requests at a time.';
  return gatewayError('UNAVAILABLE', message, { retryAfterSeconds });
}
