import type { IncomingMessage } from 'node:http';

/**
 * The whole body as text; `null` if it is over the bound (the rest is read and dropped, so that the answer still reaches
 * the caller); `undefined` if the caller hung up.
 */
export function readBody(req: IncomingMessage, maxBytes: number): Promise<string | null | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    req.on('end', () => resolve(size > maxBytes ? null : Buffer.concat(chunks).toString('utf8')));
    req.on('error', () => resolve(undefined));
    req.on('close', () => resolve(undefined));
  });
}
