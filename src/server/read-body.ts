import type { IncomingMessage } from 'node:http';

export type BodyReading =
  | { readonly kind: 'whole'; readonly body: Buffer }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'aborted' };

/**
 * Reads a request body up to a bound: the declared length is believed when it is over, the stream is counted besides. By
 * events: an iterator over the stream would cost more than the reading.
 */
export function readBody(req: IncomingMessage, maxBytes: number): Promise<BodyReading> {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve({ kind: 'too-large' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        resolve({ kind: 'too-large' });
      }
    });
    req.once('end', () => {
      resolve({ kind: 'whole', body: joined(chunks, size) });
      // The listeners outlive the reading, and would keep the body.
      chunks.length = 0;
    });
    // Whatever broke the connection, the stream closes; after its end that says nothing any more.
    req.once('error', () => resolve({ kind: 'aborted' }));
    req.once('close', () => resolve({ kind: 'aborted' }));
  });
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
