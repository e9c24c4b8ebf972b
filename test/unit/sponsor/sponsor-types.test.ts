import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readOwner,
  reservationState,
  secondsLeft,
  toSponsorVersion,
  toUInt53,
} from '../../../src/sponsor/sponsor-fields.ts';

describe('readOwner', () => {
  it.each([
    [{ AddressOwner: '0x5' }, { kind: 'ADDRESS', address: '0x5', initialSharedVersion: null }],
    [{ ObjectOwner: '0x6' }, { kind: 'OBJECT', address: '0x6', initialSharedVersion: null }],
    [{ Shared: { initial_shared_version: 3 } }, { kind: 'SHARED', address: null, initialSharedVersion: '3' }],
    [{ Shared: { initial_shared_version: '3' } }, { kind: 'SHARED', address: null, initialSharedVersion: '3' }],
    ['Immutable', { kind: 'IMMUTABLE', address: null, initialSharedVersion: null }],
    // MystenLabs/sui-gas-pool@638e4fc returns the effects of the ledger's JSON-RPC.
    [
      { ConsensusAddressOwner: { start_version: 7, owner: '0x5' } },
      { kind: 'CONSENSUS_ADDRESS', address: '0x5', initialSharedVersion: '7' },
    ],
  ])('reads %j', (wire, owner) => {
    expect(readOwner(wire)).toEqual(owner);
  });

  it.each([
    null,
    undefined,
    'immutable',
    'Shared',
    {},
    { AddressOwner: 5 },
    { Shared: {} },
    { Shared: { initialSharedVersion: 3 } },
    { Shared: { initial_shared_version: -1 } },
    { ConsensusAddressOwner: { owner: '0x5' } },
    { ConsensusAddressOwner: '0x5' },
    { PartyOwner: { owner: '0x5' } },
  ])('does not know %j', (wire) => {
    expect(readOwner(wire)).toEqual({ kind: 'UNKNOWN', address: null, initialSharedVersion: null });
  });

  it('never throws, and has an address exactly for kinds that have one', () => {
    const form = fc.oneof(
      fc.record({ AddressOwner: fc.string() }),
      fc.record({ ObjectOwner: fc.string() }),
      fc.record({ Shared: fc.record({ initial_shared_version: fc.maxSafeNat() }) }),
      fc.record({ ConsensusAddressOwner: fc.record({ owner: fc.string(), start_version: fc.maxSafeNat() }) }),
      fc.constant('Immutable'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(form, (wire) => {
        const { kind, address, initialSharedVersion } = readOwner(wire);
        expect(address !== null).toBe(['ADDRESS', 'OBJECT', 'CONSENSUS_ADDRESS'].includes(kind));
        expect(initialSharedVersion !== null).toBe(['SHARED', 'CONSENSUS_ADDRESS'].includes(kind));
      }),
    );
  });
});

const reservation = {
  reservationId: '42',
  sponsorAddress: '0x5',
  gasCoins: [],
  sender: null,
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

  it('that was used is CONSUMED, before its expiry and after', () => {
    for (const nowMs of [1_000_000, 1_060_000])
      expect(reservationState({ ...reservation, isConsumed: true }, nowMs)).toBe('CONSUMED');
  });
});

describe('toUInt53', () => {
  it('accepts what a JSON number holds exactly', () => {
    expect(toUInt53('9007199254740991')).toBe(9007199254740991);
  });

  it.each(['9007199254740992', '9223372036854775809'])('refuses to round %s', (text) => {
    expect(() => toUInt53(text)).toThrow(
      expect.objectContaining({ extensions: { code: 'UPSTREAM_BAD_RESPONSE', retry: 'never', upstream: 'sponsor' } }),
    );
  });
});

describe('toSponsorVersion', () => {
  it.each([
    ['0.3.0-1a2b3c4d5e6f', '0.3.0', '1a2b3c4d5e6f'],
    ['0.3.0-1a2b3c4d5e6f-dirty', '0.3.0', '1a2b3c4d5e6f-dirty'],
    ['1.0.0-rc.1-abcdef', '1.0.0-rc.1', 'abcdef'],
    ['1.0.0-rc1-abcdef', '1.0.0-rc1', 'abcdef'],
    ['1.0.0+build.5-abcdef', '1.0.0+build.5', 'abcdef'],
    ['0.3.0', null, null],
    ['v0.3.0-abc', null, null],
    ['main', null, null],
    ['0.3-abc', null, null],
  ])('splits %s into %s and %s', (raw, semver, buildHash) => {
    expect(toSponsorVersion(raw)).toEqual({ raw, semver, buildHash });
  });
});
