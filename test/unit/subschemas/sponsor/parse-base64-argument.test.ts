import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBase64Argument } from '../../../../src/subschemas/sponsor/parse-base64-argument.ts';

describe('parseBase64Argument', () => {
  it('reads back every non-empty sequence of bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (bytes) => {
        expect([...parseBase64Argument('txBytes', Buffer.from(bytes).toString('base64'))]).toEqual([...bytes]);
      }),
    );
  });

  it('passes one spelling of a value only', () => {
    const spelling = fc.stringMatching(/^[A-Za-z0-9+/=\-_ \n]{1,12}$/);
    fc.assert(
      fc.property(spelling, (text) => {
        const canonical =
          /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/.test(text) &&
          text !== '';
        if (canonical) expect(parseBase64Argument('txBytes', text).length).toBeGreaterThan(0);
        else expect(() => parseBase64Argument('txBytes', text)).toThrow();
      }),
      { numRuns: 2_000 },
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
  ])('refuses %s', (_, text) => {
    expect(() => parseBase64Argument('userSig', text)).toThrow('it must be canonical base64');
  });

  it('refuses the empty text by its own rule', () => {
    expect(() => parseBase64Argument('userSig', '')).toThrow('Argument "userSig" has value "": it must not be empty.');
  });

  it('never repeats a signature whole', () => {
    const signature = `${'QUJD'.repeat(33)} `;
    expect(() => parseBase64Argument('userSig', signature)).toThrow(
      expect.objectContaining({
        message: expect.not.stringContaining(signature.trim()),
        extensions: { code: 'BAD_USER_INPUT', argument: 'userSig' },
      }),
    );
  });
});
