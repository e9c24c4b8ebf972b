import { bcs } from '@mysten/bcs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ledgerBcs, parseBcs } from '../../../src/transactions/ledger-bcs.ts';
import { typeTagBcs } from '../../../src/transactions/transaction-bcs.ts';

const byteLists = bcs.vector(bcs.byteVector());

describe('reading BCS strictly', () => {
  test('accepts a value that fills the bytes', () => {
    expect(parseBcs(byteLists, Uint8Array.of(2, 1, 7, 0))).toEqual([Uint8Array.of(7), new Uint8Array()]);
  });

  test.each([
    ['nothing at all', [], 'unexpected end of input (at byte 0 of 0)'],
    ['a list that ends early', [2, 1, 7], 'unexpected end of input (at byte 3 of 3)'],
    ['bytes that end early', [1, 3, 7], 'unexpected end of input (at byte 2 of 3)'],
    ['one byte too many', [1, 0, 9], '1 trailing byte (at byte 2 of 3)'],
    ['two bytes too many', [0, 9, 9], '2 trailing bytes (at byte 1 of 3)'],
    ['a length with a needless byte', [0x80, 0x00], 'length is not in its shortest form (at byte 0 of 2)'],
    ['a length that does not end', [0xff, 0xff], 'unexpected end of input (at byte 0 of 2)'],
    ['a length of six bytes', [0x80, 0x80, 0x80, 0x80, 0x80, 0x01], 'length is over 32 bits (at byte 0 of 6)'],
    ['a list longer than what is left', [0xac, 0x02, 0], 'a list of 300 does not fit what is left (at byte 2 of 3)'],
  ])('rejects %s', (_case, bytes, message) => {
    expect(() => parseBcs(byteLists, Uint8Array.from(bytes))).toThrow(new RangeError(message));
  });

  test('does not read beyond a view of a buffer', () => {
    const buffer = Uint8Array.of(9, 1, 3, 7, 7, 7, 9);
    expect(parseBcs(byteLists, buffer.subarray(1, 6))).toEqual([Uint8Array.of(7, 7, 7)]);
    expect(() => parseBcs(byteLists, buffer.subarray(1, 5))).toThrow('unexpected end of input');
    expect(() => parseBcs(byteLists, buffer.subarray(1, 1))).toThrow('unexpected end of input (at byte 0 of 0)');
  });

  test('returns bytes that do not change with the input', () => {
    const input = Uint8Array.of(1, 1, 7);
    const read = parseBcs(byteLists, input);
    input.fill(0);
    expect(read).toEqual([Uint8Array.of(7)]);
  });

  test('rejects a forged length at every level of a type before memory is allocated', () => {
    const listTooLong = [0xa0, 0xf7, 0x36]; // 900,000
    const level = [7, ...new Uint8Array(32), 1, 65, 1, 65, ...listTooLong];
    const levels = Array.from({ length: 15 }, () => level).flat();
    const bytes = Buffer.concat([Uint8Array.from(levels), new Uint8Array(900_000).fill(11)]);
    const before = process.memoryUsage().heapUsed;
    expect(() => parseBcs(typeTagBcs, bytes)).toThrow('900000 type parameters where 32 are the most');
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
  });

  test('keeps a byte order mark, without which the text would have two encodings', () => {
    const bytes = Uint8Array.of(4, 0xef, 0xbb, 0xbf, 65);
    expect(bcs.string().serialize(parseBcs(bcs.string(), bytes)).toBytes()).toEqual(bytes);
  });

  test('rejects text that is not UTF-8, and names that are not Move identifiers', () => {
    expect(() => parseBcs(bcs.string(), Uint8Array.of(1, 0xff))).toThrow(RangeError);
    expect(() => parseBcs(ledgerBcs.identifier, Uint8Array.of(1, 0x2d))).toThrow('expected a Move identifier');
  });
});

describe('integers of the ledger', () => {
  test('are written as the library writes them', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
        const bytes = ledgerBcs.u64.serialize(value).toBytes();
        expect(bytes).toEqual(bcs.u64().serialize(value).toBytes());
        expect(parseBcs(ledgerBcs.u64, bytes)).toBe(value);
      }),
    );
    fc.assert(
      fc.property(fc.maxSafeNat(), (value) => {
        const bytes = ledgerBcs.u53.serialize(value).toBytes();
        expect(bytes).toEqual(bcs.u64().serialize(value).toBytes());
        expect(parseBcs(ledgerBcs.u53, bytes)).toBe(value);
      }),
    );
  });

  test.each([-1n, 2n ** 64n])('cannot hold %s', (value) => {
    expect(() => ledgerBcs.u64.serialize(value)).toThrow('Expected a u64');
  });

  test.each([-1, 0.5, 2 ** 53, Number.NaN])('cannot hold %s where they must be exact', (value) => {
    expect(() => ledgerBcs.u53.serialize(value)).toThrow('Expected 0 to 2^53-1');
  });
});

describe('addresses', () => {
  test.each(['0x2', `0x${'2'.repeat(65)}`, `0x${'g'.repeat(64)}`, ''])('must be written in full, not as %j', (text) => {
    expect(() => ledgerBcs.address.serialize(text)).toThrow('Expected an address of 64 hex digits');
  });
});
