import type { IncomingMessage } from 'node:http';

export type BodyReading =
  | { readonly kind: 'whole'; readonly body: Buffer }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'aborted' };

/**
 * Pieces of a body that are kept before they are joined. Each takes some hundreds of bytes beside its content, and a client
 * may send a body byte by byte.
 */
const maxLoosePieces = 512;

/**
 * Reads a request body of at most `maxBytes`. Refuses at once if the declared length is over, and counts what really comes.
 * Uses events, because an async iterator costs more than the reading itself.
 * @param done called once
 */
export function readBody(req: IncomingMessage, maxBytes: number, done: (reading: BodyReading) => void): void {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) {
    done({ kind: 'too-large' });
    return;
  }
  /** Pieces that were joined, `maxLoosePieces` into each. */
  let blocks: Buffer[] = [];
  let pieces: Buffer[] = [];
  let size = 0;
  let isDone = false;
  const settle = (reading: BodyReading): void => {
    if (isDone) return;
    isDone = true;
    // The listeners live as long as the request, and would keep the body in memory.
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
  // `close` comes after `end` too, when `settle` does nothing any more.
  req.on('error', abort);
  req.on('close', abort);
}

function joined(chunks: readonly Buffer[], size: number): Buffer {
  const [only] = chunks;
  return only && chunks.length === 1 ? only : Buffer.concat(chunks as Buffer[], size);
}

/**
 * Gives a body that was already read to Yoga, in the form in which its adapter takes one from body parsers: an own property
 * that is an async iterable. (Of a plain Buffer it would list every byte as a key.)
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
