import { randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { createCompression } from '../../../src/server/compression.ts';

const accepting = (header?: string) => ({ headers: header === undefined ? {} : { 'accept-encoding': header } });

it('is nothing when it is off', () => {
  expect(createCompression('off')).toBeNull();
});

it('chooses the preferred encoding that the client accepts', () => {
  const both = createCompression(['gzip', 'br']);
  expect(
    ['br, gzip', 'br', 'gzip;q=0, *', 'deflate', undefined].map((header) => both?.choose(accepting(header))),
  ).toEqual(['gzip', 'br', 'br', null, null]);
  expect(createCompression(['gzip'])?.choose(accepting('br'))).toBeNull();
});

it('is for bodies of 8 KiB and more', () => {
  const compression = createCompression(['br']);
  expect([compression?.isFor(8_191), compression?.isFor(8_192)]).toEqual([false, true]);
});

it.each([
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const)('compresses with %s what a client can decompress', async (encoding, decompress) => {
  const body = Buffer.from('{"a":"b"}'.repeat(2_000));
  const compressed = await createCompression([encoding])?.compress(body, encoding);
  expect(compressed?.length).toBeLessThan(body.length / 20);
  expect(decompress(compressed ?? Buffer.alloc(0)).equals(body)).toBe(true);
});

it('compresses 16 bodies at a time: those beyond are sent as they are, and do not count', async () => {
  const compression = createCompression(['br']);
  const body = randomBytes(100_000);
  const compressAll = async (count: number) => {
    const results = await Promise.all(Array.from({ length: count }, () => compression?.compress(body, 'br')));
    return results.filter((result) => result !== null).length;
  };
  expect(await compressAll(20)).toBe(16);
  expect(await compressAll(20)).toBe(16);
});
