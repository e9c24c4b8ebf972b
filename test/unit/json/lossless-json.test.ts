import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLosslessJson } from '../../../src/json/exact-json.ts';

describe('parseLosslessJson', () => {
  it('returns a number beyond 2^53-1 as its exact text', () => {
    expect(parseLosslessJson('{"reservation_id":18446744073709551615}')).toEqual({
      reservation_id: '18446744073709551615',
    });
  });

  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', '9007199254740992'],
    ['-9007199254740992', '-9007199254740992'],
    ['[1234567890123456789, 1]', ['1234567890123456789', 1]],
    ['1234567890123456.5', 1234567890123456.5],
    ['1234567890123456e2', 1234567890123456e2],
    ['"9007199254740993"', '9007199254740993'],
    ['"a \\" 9007199254740993"', 'a " 9007199254740993'],
    ['"\\\\", 9007199254740993'.replace(/^/, '[').concat(']'), ['\\', '9007199254740993']],
  ])('reads %s', (text, value) => {
    expect(parseLosslessJson(text)).toEqual(value);
  });

  it.each(['', '{', '{1234567890123456789: 1}', '01234567890123456789', 'OK'])(
    'rejects %j, which is not JSON',
    (text) => {
      expect(() => parseLosslessJson(text)).toThrow(SyntaxError);
    },
  );

  it('agrees with JSON.parse if no number is rounded', () => {
    const json = fc.jsonValue({ noUnicodeString: false });
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify({ value, padding: '12345678901234567890' });
        expect(parseLosslessJson(text)).toEqual(withLargeIntegersAsText(JSON.parse(text)));
      }),
    );
  });

  it('keeps every u64 exact anywhere', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), fc.string(), (number, text) => {
        const [before, exact] = parseLosslessJson(`[${JSON.stringify(text)}, ${number}]`) as [string, string | number];
        expect(before).toBe(text);
        expect(String(exact)).toBe(String(number));
      }),
    );
  });
});

/** `JSON.stringify` writes whole doubles below 1e21 as plain digits; those above 2^53 come back as that text. */
function withLargeIntegersAsText(value: unknown): unknown {
  if (typeof value === 'number') {
    const text = JSON.stringify(value);
    return /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? text : value;
  }
  if (Array.isArray(value)) return value.map(withLargeIntegersAsText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withLargeIntegersAsText(item)]));
}
