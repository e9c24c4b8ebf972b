import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseReservationId } from '../../../../src/subschemas/sponsor/parse-reservation-id.ts';

describe('parseReservationId', () => {
  it('passes every u64 as it is', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), (id) => {
        expect(parseReservationId(String(id))).toBe(String(id));
      }),
    );
  });

  it('passes the largest and refuses the next', () => {
    expect(parseReservationId('18446744073709551615')).toBe('18446744073709551615');
    expect(() => parseReservationId('18446744073709551616')).toThrow('from 0 to 18446744073709551615');
  });

  it.each(['', ' 1', '1 ', '01', '-1', '+1', '1.0', '1e3', '0x1', '１', '1}', '1,"tx_bytes":"x"', 'lease'])(
    'refuses %j',
    (text) => {
      expect(() => parseReservationId(text)).toThrow(
        expect.objectContaining({ extensions: { code: 'BAD_USER_INPUT', argument: 'reservationId' } }),
      );
    },
  );

  it('passes nothing that JSON would read as anything but that number', () => {
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

  it('shows a long value shortened', () => {
    expect(() => parseReservationId('x'.repeat(5_000))).toThrow(`"${'x'.repeat(24)}"… (5000 characters)`);
  });
});
