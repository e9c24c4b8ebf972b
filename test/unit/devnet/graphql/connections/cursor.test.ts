import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkpointCursor,
  eventCursor,
  nameCursor,
  transactionCursor,
} from '../../../../../src/devnet/graphql/connections/cursor.ts';

const encode = (text: string) => Buffer.from(text).toString('base64url');

describe('a cursor', () => {
  test('is URL-safe base64 without padding over compact JSON', () => {
    expect(checkpointCursor.encode({ c: 7, s: 3 })).toBe(encode('{"c":7,"s":3}'));
    expect(transactionCursor.encode({ c: 1, t: 2, i: true })).toBe(encode('{"c":1,"t":2,"i":true}'));
  });

  test('is parsed as it was written', () => {
    const natural = fc.maxSafeNat();
    fc.assert(
      fc.property(natural, natural, natural, fc.string(), (tx, e, c, n) => {
        expect(eventCursor.parse(eventCursor.encode({ tx, e, c }))).toEqual({ tx, e, c });
        expect(nameCursor.parse(nameCursor.encode({ n, c }))).toEqual({ n, c });
      }),
    );
  });

  test.each([
    ['!abc', 'Invalid symbol 33, offset 0.'],
    ['ab=', 'Invalid symbol 61, offset 2.'],
    ['a', 'Invalid input length or last symbol.'],
    [encode('nonsense'), 'expected value at line 1 column 1'],
    ['', 'expected value at line 1 column 1'],
    [encode('[1]'), 'invalid type: expected a cursor at line 1 column 1'],
    [encode('null'), 'invalid type: expected a cursor at line 1 column 1'],
    [encode('{"c":1}'), 'missing field `s` at line 1'],
    [encode('{"c":"1","s":1}'), 'invalid type of field `c`: expected a number at line 1'],
    [encode('{"c":-1,"s":1}'), 'invalid type of field `c`: expected a number at line 1'],
    [encode('{"c":0.5,"s":1}'), 'invalid type of field `c`: expected a number at line 1'],
    [checkpointCursor.encode({ c: 1, s: 1 }).slice(0, -2), /^Failed to parse "String": /],
    [eventCursor.encode({ tx: 1, e: 1, c: 1 }), 'missing field `s` at line 1'],
  ])('rejects %j', (text, reason) => {
    expect(() => checkpointCursor.parse(text)).toThrow(
      typeof reason === 'string' ? `Failed to parse "String": ${reason}` : reason,
    );
  });
});
