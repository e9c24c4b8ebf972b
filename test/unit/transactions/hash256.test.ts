import { blake2b } from '@noble/hashes/blake2.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hash256 } from '../../../src/transactions/digest.ts';

test('hashes like another implementation, in any number of parts', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 700 }), { maxLength: 4 }), (parts) => {
      expect(hash256(...parts)).toEqual(blake2b(Buffer.concat(parts), { dkLen: 32 }));
    }),
  );
});

test.each([0, 1, 127, 128, 129, 16_384, 16_385, 131_072])('hashes %i bytes like another implementation', (size) => {
  const bytes = Uint8Array.from({ length: size }, (_, at) => at * 7);
  expect(hash256(bytes)).toEqual(blake2b(bytes, { dkLen: 32 }));
});

test('returns fresh bytes to each caller', () => {
  const first = hash256(Uint8Array.of(1));
  const copy = Uint8Array.from(first);
  hash256(Uint8Array.of(2));
  expect(first).toEqual(copy);
});
