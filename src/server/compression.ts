import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Encoding } from '../config/value-types.ts';
import { chooseEncoding } from './request-head.ts';

/** Smaller responses gain less than a millisecond on a slow network. */
const minBytes = 8 * 1024;
/** Compressions in flight; further responses are sent as they are, so that they do not wait for a thread. */
const maxCompressions = 16;

export type Compression = NonNullable<ReturnType<typeof createCompression>>;

/**
 * Compresses response bodies in the thread pool.
 * @param encodings enabled, the preferred one first
 */
export function createCompression(encodings: 'off' | readonly Encoding[]) {
  if (encodings === 'off') return null;
  let running = 0;
  return {
    /** Does a response of this size depend on the Accept-Encoding header? */
    isFor: (size: number) => size >= minBytes,
    choose: ({ headers }: Pick<IncomingMessage, 'headers'>): Encoding | null =>
      chooseEncoding(headers['accept-encoding']?.toString(), encodings),
    /** Resolves to `null` if too many responses are being compressed, or if compression fails. */
    async compress(body: Buffer, encoding: Encoding): Promise<Buffer | null> {
      if (running >= maxCompressions) return null;
      running += 1;
      try {
        return await compressors[encoding](body);
      } catch {
        return null;
      } finally {
        running -= 1;
      }
    },
  };
}

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** The fastest levels: the next ones take up to four times the CPU time to save another tenth of the bytes. */
const compressors: Readonly<Record<Encoding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    toBrotli(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body) => toGzip(body, { level: 1 }),
};
