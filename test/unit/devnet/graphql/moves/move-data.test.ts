import { describe, expect, test } from 'vitest';
import { toMoveData, toMoveJson } from '../../../../../src/devnet/graphql/moves/move-data.ts';

const address = `0x${'ab'.repeat(32)}`;
const bytes = Array.from({ length: 32 }, () => 0xab);

describe('Move data', () => {
  test.each([
    [true, { Bool: true }],
    [7, { Number: '7' }],
    ['18446744073709551615', { Number: '18446744073709551615' }],
    ['007', { String: '007' }],
    ['gold', { String: 'gold' }],
    [null, { Option: null }],
    [address, { Address: bytes }],
    [[1, 'a'], { Vector: [{ Number: '1' }, { String: 'a' }] }],
    [
      { id: address, to: address },
      {
        Struct: [
          { name: 'id', value: { UID: bytes } },
          { name: 'to', value: { Address: bytes } },
        ],
      },
    ],
  ])('of %j names its kind', (json, data) => {
    expect(toMoveData(json, 8)).toEqual(data);
  });

  test('is rejected if it is nested too deep', () => {
    expect(toMoveData({ a: { b: 1 } }, 3)).toEqual({
      Struct: [{ name: 'a', value: { Struct: [{ name: 'b', value: { Number: '1' } }] } }],
    });
    expect(() => toMoveData({ a: { b: 1 } }, 2)).toThrow('exceeded maximum depth');
    expect(toMoveJson({ a: { b: 1 } }, 3)).toEqual({ a: { b: 1 } });
    expect(() => toMoveJson({ a: { b: 1 } }, 2)).toThrow('exceeded maximum depth');
  });
});
