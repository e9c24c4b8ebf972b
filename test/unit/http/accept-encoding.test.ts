import { describe, expect, it } from 'vitest';
import { chooseEncoding } from '../../../src/http/accept-encoding.ts';

describe('how an answer is compressed', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['*', 'br'],
    ['br; q=0.0, *', 'gzip'],
    ['identity', null],
    ['gzip;q=0', null],
    ['xgzip, brotli', null],
    ['', null],
    [undefined, null],
  ])('for %s is %s', (header, encoding) => {
    expect(chooseEncoding(header)).toBe(encoding);
  });
});
