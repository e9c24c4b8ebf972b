import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkGasBudget,
  checkReserveDuration,
  checkTransactionPayload,
  parseAddressArgument,
  parseBase64Argument,
  parseReservationId,
} from '../../../src/sponsor/sponsor-fields.ts';
import { runs } from '../../support/runs.ts';

describe('checkGasBudget', () => {
  it.each([1, 5_000_000, 1_999_999_999])('accepts %d', (gasBudget) => {
    expect(checkGasBudget(gasBudget, 2_000_000_000)).toBeUndefined();
  });

  it.each([0, -1, 2_000_000_000, 2_000_000_001, 1.5, Number.NaN, 2 ** 53])('rejects %d', (gasBudget) => {
    expect(() => checkGasBudget(gasBudget, 2_000_000_000)).toThrow('from 1 to 1999999999');
  });

  it('names argument, value and rule', () => {
    expect(() => checkGasBudget(0, 100)).toThrow(
      expect.objectContaining({
        message: 'Argument "gasBudget" has value "0": it must be a whole number from 1 to 99.',
        extensions: { code: 'BAD_USER_INPUT', retry: 'never', argument: 'gasBudget' },
      }),
    );
  });

  it('accepts exactly the integers between 0 and the maximum, both excluded', () => {
    fc.assert(
      fc.property(fc.integer({ min: -10, max: 1_010 }), (gasBudget) => {
        const passes = gasBudget > 0 && gasBudget < 1_000;
        if (passes) checkGasBudget(gasBudget, 1_000);
        else expect(() => checkGasBudget(gasBudget, 1_000)).toThrow();
      }),
    );
  });
});

describe('checkReserveDuration', () => {
  it('accepts exactly 1 to 600 seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: -5, max: 650 }), (seconds) => {
        const passes = seconds >= 1 && seconds <= 600;
        if (passes) checkReserveDuration(seconds);
        else expect(() => checkReserveDuration(seconds)).toThrow('from 1 to 600');
      }),
      { numRuns: 500 },
    );
  });

  it.each([1, 600])('accepts the bound %d', (seconds) => {
    expect(checkReserveDuration(seconds)).toBeUndefined();
  });

  it.each([0, 601, 1.5])('names argument, value and rule for %d', (seconds) => {
    expect(() => checkReserveDuration(seconds)).toThrow(
      `Argument "reserveDurationSecs" has value "${seconds}": it must be a whole number of seconds from 1 to 600.`,
    );
  });
});

describe('parseReservationId', () => {
  it('accepts every u64', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), (id) => {
        expect(parseReservationId(String(id))).toBe(String(id));
      }),
    );
  });

  it('accepts the largest and rejects the next', () => {
    expect(parseReservationId('18446744073709551615')).toBe('18446744073709551615');
    expect(() => parseReservationId('18446744073709551616')).toThrow('from 0 to 18446744073709551615');
  });

  it.each(['', ' 1', '1 ', '01', '-1', '+1', '1.0', '1e3', '0x1', '１', '1}', '1,"tx_bytes":"x"', 'lease'])(
    'rejects %j',
    (text) => {
      expect(() => parseReservationId(text)).toThrow(
        expect.objectContaining({ extensions: { code: 'BAD_USER_INPUT', retry: 'never', argument: 'reservationId' } }),
      );
    },
  );

  it('accepts nothing that JSON would read as anything but that number', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9-]{1,22}$/)), (text) => {
        try {
          parseReservationId(text);
        } catch {
          return;
        }
        expect(String(BigInt(text))).toBe(text);
        expect(JSON.parse(`[${text}]`)).toHaveLength(1);
      }),
    );
  });

  it('shortens a long value in its message', () => {
    expect(() => parseReservationId('x'.repeat(5_000))).toThrow(`"${'x'.repeat(24)}"… (5000 characters)`);
  });
});

describe('checkTransactionPayload', () => {
  it('accepts both texts together up to the limit', () => {
    expect(checkTransactionPayload({ txBytes: 'A'.repeat(60), userSig: 'B'.repeat(40) }, 100)).toBe(100);
    expect(checkTransactionPayload({ txBytes: 'A'.repeat(60), userSig: 'B'.repeat(10) }, 100, 30)).toBe(100);
  });

  it.each([
    ['txBytes', 'A'.repeat(61), 'B'.repeat(40)],
    ['userSig', 'A'.repeat(1), 'B'.repeat(100)],
  ])('names %s if it is the longer of two that exceed the limit, and shows neither', (argument, txBytes, userSig) => {
    expect(() => checkTransactionPayload({ txBytes, userSig }, 100)).toThrow(
      expect.objectContaining({
        message: `Argument "${argument}" is too large: txBytes and userSig together are 101 bytes (txBytes ${txBytes.length}, userSig ${userSig.length}) and may be at most 100.`,
        extensions: { code: 'BAD_USER_INPUT', retry: 'never', argument },
      }),
    );
  });

  it('counts one text with those before it in the operation', () => {
    expect(() => checkTransactionPayload({ transactionKind: 'A'.repeat(61) }, 100, 40)).toThrow(
      'Argument "transactionKind" is too large: transactionKind is 61 bytes, with 40 of the transactions before it in the operation, and may be at most 100.',
    );
  });
});

describe('parseAddressArgument', () => {
  it('writes an address in full', () => {
    expect(parseAddressArgument('sender', '0x5F')).toBe(`0x${'5f'.padStart(64, '0')}`);
  });

  it.each(['', '5f', '0x', '0xg', `0x${'1'.repeat(65)}`, '0x5f '])('rejects %j', (text) => {
    expect(() => parseAddressArgument('sender', text)).toThrow('it must be an address');
  });
});

describe('parseBase64Argument', () => {
  it('decodes every non-empty sequence of bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (bytes) => {
        expect([...parseBase64Argument('txBytes', Buffer.from(bytes).toString('base64'))]).toEqual([...bytes]);
      }),
    );
  });

  it('accepts only one spelling of a value', () => {
    const spelling = fc.stringMatching(/^[A-Za-z0-9+/=\-_ \n]{1,12}$/);
    fc.assert(
      fc.property(spelling, (text) => {
        const canonical =
          /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/.test(text) &&
          text !== '';
        if (canonical) expect(parseBase64Argument('txBytes', text).length).toBeGreaterThan(0);
        else expect(() => parseBase64Argument('txBytes', text)).toThrow();
      }),
      { numRuns: runs(600) },
    );
  });

  it.each([
    ['whitespace', 'AAAA AAAA'],
    ['a line break', 'AAAA\nAAAA'],
    ['a trailing line break', 'AAAA\n'],
    ['missing padding', 'AA'],
    ['too much padding', 'AAAA===='],
    ['padding in the middle', 'AA==AAAA'],
    ['the URL alphabet', 'A-_A'],
    ['stray bits', 'AB=='],
    ['stray bits before one pad', 'AAB='],
    ['other characters', 'A*AA'],
    ['other scripts', 'ÄAAA'],
  ])('rejects %s', (_, text) => {
    expect(() => parseBase64Argument('userSig', text)).toThrow('it must be canonical base64');
  });

  it('rejects the empty text with its own message', () => {
    expect(() => parseBase64Argument('userSig', '')).toThrow('Argument "userSig" has value "": it must not be empty.');
  });

  it('never repeats a whole signature', () => {
    const signature = `${'QUJD'.repeat(33)} `;
    expect(() => parseBase64Argument('userSig', signature)).toThrow(
      expect.objectContaining({
        message: expect.not.stringContaining(signature.trim()),
        extensions: { code: 'BAD_USER_INPUT', retry: 'never', argument: 'userSig' },
      }),
    );
  });
});
