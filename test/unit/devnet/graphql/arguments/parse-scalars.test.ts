import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  parseBase64,
  parseDigest,
  parseLedgerAddress,
  parseUInt53,
} from '../../../../../src/devnet/graphql/arguments/parse-scalars.ts';

describe('a ledger address', () => {
  test('is padded to 64 digits in lower case', () => {
    expect(parseLedgerAddress('0x2')).toBe(`0x${'2'.padStart(64, '0')}`);
    expect(parseLedgerAddress('0xAb')).toBe(`0x${'ab'.padStart(64, '0')}`);
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-fA-F]{1,64}$/), (digits) => {
        const address = parseLedgerAddress(`0x${digits}`);
        expect(address).toMatch(/^0x[0-9a-f]{64}$/);
        expect(BigInt(address)).toBe(BigInt(`0x${digits}`));
      }),
    );
  });

  test.each(['', '0x', '2', '0X2', '0x 2', '0x2 ', `0x${'1'.repeat(65)}`, null, 2, {}, ['0x2']])(
    'rejects %j',
    (value) => {
      expect(() => parseLedgerAddress(value)).toThrow(/LedgerAddress/);
    },
  );
});

describe('a UInt53', () => {
  test('is an integer from 0 to 2^53-1', () => {
    for (const value of [0, 1, Number.MAX_SAFE_INTEGER]) expect(parseUInt53(value)).toBe(value);
    for (const value of [-1, 0.5, 2 ** 53, Number.NaN]) {
      expect(() => parseUInt53(value)).toThrow('Failed to parse "UInt53": Expected an unsigned integer.');
    }
    for (const value of ['1', null, true, {}]) expect(() => parseUInt53(value)).toThrow('Expected input type "UInt53"');
  });
});

describe('base64 and digests', () => {
  test('are parsed strictly', () => {
    expect([...parseBase64('AQI=')]).toEqual([1, 2]);
    for (const text of ['AQI', 'AQ-_', 'AQI= ', '?'])
      expect(() => parseBase64(text)).toThrow('Failed to parse "Base64"');
    expect(parseDigest('1'.repeat(32))).toBe('1'.repeat(32));
    expect(() => parseDigest('1'.repeat(31))).toThrow('Expected digest to be 32 bytes but got 31');
    expect(() => parseDigest('0OIl')).toThrow('Invalid digest');
  });
});
