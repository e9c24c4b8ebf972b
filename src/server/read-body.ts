import type { IncomingMessage } from 'node:http';

export type BodyReading =
  | { readonly kind: 'whole'; readonly body: Buffer }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'aborted' };

/**
 * As many pieces are kept apart before they are put together. Each takes some hundreds of bytes besides its own, and a body
 * may come byte by byte.
 */
const maxLoosePieces = 512;

/**
 * Reads a request body up to a bound: the declared length is believed when it is over, the stream is counted besides. By
 * events: an iterator over the stream would cost more than the reading.
 * @param done called once
 */
export function readBody(req: IncomingMessage, maxBytes: number, done: (reading: BodyReading) => void): void {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) {
    done({ kind: 'too-large' });
    return;
  }
  /** Made of many pieces each. */
  let blocks: Buffer[] = [];
  let pieces: Buffer[] = [];
  let size = 0;
  let isDone = false;
  const settle = (reading: BodyReading): void => {
    if (isDone) return;
    isDone = true;
    // The listeners outlive the reading, and would keep the body.
    blocks = [];
    pieces = [];
    done(reading);
  };
  const abort = () => settle({ kind: 'aborted' });
  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) settle({ kind: 'too-large' });
    else if (!isDone) {
      pieces.push(chunk);
      if (pieces.length < maxLoosePieces) return;
      blocks.push(Buffer.concat(pieces));
      pieces = [];
    }
  });
  req.on('end', () =>
    settle({ kind: 'whole', body: joined(blocks.length > 0 ? [...blocks, ...pieces] : pieces, size) }),
  );
  // Whatever broke the connection, the stream closes; after its end that says nothing any more.
  req.on('error', abort);
  req.on('close', abort);
}

function joined(chunks: readonly Buffer[], size: number): Buffer {
  const [only] = chunks;
  return only && chunks.length === 1 ? only : Buffer.concat(chunks as Buffer[], size);
}

/**
 * Gives a body that was already read back to whoever handles the request next. The shape is the one Yoga's adapter
 * takes from body parsers: an own property, and an async iterable (a plain Buffer would have every byte listed as a key).
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
