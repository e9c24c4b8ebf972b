import { describe, expect, test } from 'vitest';
import { bcsLength } from '../../../../../src/devnet/graphql/objects/bcs-length.ts';
import { parseTypeTag } from '../../../../../src/devnet/transactions/type-text.ts';

describe('the length of a value', () => {
  test.each([
    ['bool', [], 1],
    ['u8', [], 1],
    ['u16', [], 2],
    ['u32', [], 4],
    ['u64', [], 8],
    ['u128', [], 16],
    ['u256', [], 32],
    ['address', [], 32],
    ['0x2::object::ID', [], 32],
    ['vector<u8>', [3, 1, 2, 3, 9], 4],
    ['vector<u64>', [2, ...Array(16).fill(0)], 17],
    ['vector<vector<u8>>', [2, 1, 7, 0], 4],
    ['0x1::string::String', [2, 104, 105], 3],
    ['vector<u8>', [0x80, 0x01, ...Array(128).fill(0)], 130],
  ])('of type %s', (type, bytes, length) => {
    expect(bcsLength(parseTypeTag(type), Uint8Array.from([9, 9, ...bytes]), 2)).toBe(length);
  });

  test('of an unknown struct, or of truncated bytes, is unknown', () => {
    expect(() => bcsLength(parseTypeTag('0x5::a::B'), new Uint8Array(9), 0)).toThrow('layout of a::B is not known');
    expect(() => bcsLength(parseTypeTag('vector<u8>'), new Uint8Array(0), 0)).toThrow('ends early');
  });
});
