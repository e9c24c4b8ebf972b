import type { IncomingMessage } from 'node:http';

export type BodyReading =
  | { readonly kind: 'whole'; readonly body: Buffer }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'aborted' };

/** Reads a request body up to a bound: the declared length is believed when it is over, the stream is counted besides. */
export async function readBody(req: IncomingMessage, maxBytes: number): Promise<BodyReading> {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) return { kind: 'too-large' };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of req) {
      size += (chunk as Buffer).length;
      if (size > maxBytes) return { kind: 'too-large' };
      chunks.push(chunk as Buffer);
    }
  } catch {
    return { kind: 'aborted' };
  }
  return { kind: 'whole', body: Buffer.concat(chunks, size) };
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
