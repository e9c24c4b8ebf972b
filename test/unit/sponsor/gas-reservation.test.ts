import { describe, expect, it } from 'vitest';
import { reservationState, secondsLeft } from '../../../src/sponsor/gas-reservation.ts';
import { toUInt53 } from '../../../src/sponsor/to-uint53.ts';

const reservation = {
  reservationId: '42',
  sponsorAddress: '0x5',
  gasCoins: [],
  gasBudget: 5,
  expiresAtMs: 1_060_000,
  isConsumed: false,
};

describe('a gas reservation', () => {
  it.each([
    [1_000_000, 60, 'ACTIVE'],
    [1_000_001, 59, 'ACTIVE'],
    [1_059_999, 0, 'ACTIVE'],
    [1_060_000, 0, 'EXPIRED'],
    [9_999_999, 0, 'EXPIRED'],
  ])('at %d has %d whole seconds left and is %s', (nowMs, seconds, state) => {
    expect(secondsLeft(reservation, nowMs)).toBe(seconds);
    expect(reservationState(reservation, nowMs)).toBe(state);
  });

  it('that was used is so, before its end and after', () => {
    for (const nowMs of [1_000_000, 1_060_000])
      expect(reservationState({ ...reservation, isConsumed: true }, nowMs)).toBe('CONSUMED');
  });
});

describe('toUInt53', () => {
  it('passes what a JSON number holds exactly', () => {
    expect(toUInt53('9007199254740991')).toBe(9007199254740991);
  });

  it.each(['9007199254740992', '9223372036854775809'])('refuses to round %s', (text) => {
    expect(() => toUInt53(text)).toThrow(
      expect.objectContaining({ extensions: { code: 'UPSTREAM_BAD_RESPONSE', upstream: 'sponsor' } }),
    );
  });
});
