import { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';
import type { RequestMemory } from '../upstream/cancellation.ts';
import { createRoom, type Place, type PlaceFor, type Share } from '../upstream/quota.ts';

export type BodyReading =
  | { readonly kind: 'whole'; readonly body: Buffer }
  | { readonly kind: 'too-large' }
  /** The body came in too many small pieces. */
  | { readonly kind: 'scattered' }
  /** The body arrived slowly, and other requests needed its memory. */
  | { readonly kind: 'crowded-out' }
  | { readonly kind: 'aborted' };

const nothing = () => {};

/**
 * A request whose body can be read without its stream: Node's parser calls `push` with the chunks. Most bodies arrive with
 * their headers, and a stream would deliver them in a later turn of the event loop, which for a small request costs more than
 * all other work on its body.
 */
export class IncomingRequest extends IncomingMessage {
  abandonBody = nothing;
  #take: ((piece: Buffer | null) => void) | null = null;
  #unread = 0;

  /**
   * From here on the stream gets nothing. Call in the turn in which the request arrived: what was pushed before stays there.
   * @param take called with each piece, then with `null`
   */
  takeBody(take: (piece: Buffer | null) => void): void {
    this.#take = take;
  }

  /** Drops what is only needed until the response begins, for a request whose response is a stream. */
  dropHead(): void {
    this.off('close', this.abandonBody);
    this.abandonBody = nothing;
    this.#take = nothing;
    this.headers = {};
    this.rawHeaders = [];
  }

  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.#take !== null) {
      this.#take(piece);
      return true;
    }
    if (piece === null) return super.push(piece);
    this.#unread += 1;
    // No code reads this body, and Node keeps each piece. `false` pauses the connection.
    return this.#unread <= maxLoosePieces && super.push(piece, encoding);
  }
}

interface BodyBounds {
  readonly maxBytes: number;
  readonly arrivals: PlaceFor;
}

/** Memory of a chunk of a body besides its content, in bytes. */
export const bytesPerPiece = 256;

const maxLoosePieces = 512;
/** Memory of a header beside its text, in bytes. Headers stay in memory until the body has arrived. */
const bytesPerHeader = 64;

/**
 * Pieces that a body may have, plus one for every `minBytesPerPiece` bytes. A piece costs a few microseconds whatever its
 * size: a megabyte in one-byte chunks took seconds. Clients that write a body field by field stay far below.
 */
const maxPieces = 4_096;
const minBytesPerPiece = 64;

/**
 * Reads a request body of at most `maxBytes`, by its declared length and by the bytes received. A body in one piece, like
 * most, is not counted.
 * @param address of the sender
 * @param done called once, perhaps before this returns
 */
export function readBody(
  req: IncomingRequest,
  address: string,
  bounds: BodyBounds,
  done: (reading: BodyReading) => void,
): void {
  const { maxBytes } = bounds;
  /** Declared length of the body; NaN if none is declared. */
  const declared = Number(req.headers['content-length']);
  if (declared > maxBytes) {
    done({ kind: 'too-large' });
    return;
  }
  let blocks: Buffer[] = [];
  let pieces: Buffer[] = [];
  let size = 0;
  let count = 0;
  let arrival: Place | null = null;
  /** `null` after the call: Node keeps a request until the next one on its connection. */
  let whenDone: typeof done | null = done;
  const settle = (reading: BodyReading): void => {
    const callback = whenDone;
    if (callback === null) return;
    whenDone = null;
    arrival?.leave();
    blocks = [];
    pieces = [];
    callback(reading);
  };
  req.abandonBody = () => settle({ kind: 'aborted' });
  req.on('close', req.abandonBody);
  req.takeBody((chunk) => {
    if (whenDone === null) return;
    if (chunk === null) {
      settle({ kind: 'whole', body: joined([...blocks, ...pieces], size) });
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
      // Otherwise Node would go on parsing pieces from the system's buffer.
      req.socket.pause();
      settle({ kind: 'scattered' });
      return;
    }
    if (pieces.length >= maxLoosePieces) {
      blocks.push(Buffer.concat(pieces));
      pieces = [];
    }
    arrival ??= bounds.arrivals.enter(address, () => settle({ kind: 'crowded-out' }));
    arrival.hold(size + pieces.length * bytesPerPiece + (req.rawHeaders.length / 2) * bytesPerHeader);
  });
}

function joined(chunks: readonly Buffer[], size: number): Buffer {
  const [only] = chunks;
  return only && chunks.length === 1 ? only : Buffer.concat(chunks as Buffer[], size);
}

/**
 * Passes a body that was already read to Yoga, in the form that its adapter takes from body parsers: an own property that is
 * an async iterable. (Of a plain Buffer it would list every byte as a key.)
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

/** Number of largest bodies that fit in memory while they arrive. A body whose operation runs counts `copies` times. */
const largestAtOnce = 96;
/**
 * Copies of a body in memory while its operation runs: its variables, with up to two bytes per character, and the forwarded
 * body.
 */
const copies = 3;
/** Requests in flight of all addresses together: each takes up to 16 KiB, with its response and its operation. */
const maxRequests = 4_096;
/** Bytes of a body that is counted with its request. */
const coveredBytes = 2_048;

/**
 * Counts requests in flight, and the memory of bodies and messages from their first byte until their operations have ended. An
 * address may hold as much as it leaves free: alone a half, beside one other address a third, and so on. Incomplete bodies use
 * the rest, and give way.
 * @param maxBodyBytes of the largest body or message
 */
export function createBytesInFlight(maxBodyBytes: number) {
  const room = createRoom(largestAtOnce * maxBodyBytes);
  const requests = createRoom(maxRequests);
  return {
    enter: room.enter,
    open: requests.open,
    close: requests.close,
    /** Bytes of memory that bodies use now. */
    get bytes(): number {
      return room.size;
    },
    /** Counts a request on the share of its address. @returns `false` if too many are in flight */
    begin: (share: Share): boolean => requests.takeOn(share, 1),
    end: (share: Share): void => requests.giveBack(share, 1),
    /**
     * Counts a whole body or message against its address.
     * @returns to be released once; `null` = there is no room, so reject it
     */
    take(address: string, bytes: number): RequestMemory | null {
      if (bytes <= coveredBytes) return uncounted;
      const giveBack = room.take(address, copies * bytes);
      if (!giveBack) return null;
      let holders = 1;
      return {
        keep() {
          holders += 1;
        },
        release() {
          holders -= 1;
          if (holders === 0) giveBack();
        },
      };
    },
  };
}

const uncounted: RequestMemory = { keep() {}, release() {} };

/** A third of the default query timeout. */
const retryAfterMs = 5_000;

export function tooMuchInFlight(): GraphQLError {
  const message = 'The requests in flight leave no room for one of this size. Send fewer large requests at a time.';
  return gatewayError('UNAVAILABLE', message, { retryAfterMs });
}
