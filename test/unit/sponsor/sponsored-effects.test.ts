import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readOwner } from '../../../src/sponsor/sponsored-effects.ts';

describe('readOwner', () => {
  it.each([
    [{ AddressOwner: '0x5' }, { kind: 'ADDRESS', address: '0x5', initialSharedVersion: null }],
    [{ ObjectOwner: '0x6' }, { kind: 'OBJECT', address: '0x6', initialSharedVersion: null }],
    [{ Shared: { initial_shared_version: 3 } }, { kind: 'SHARED', address: null, initialSharedVersion: '3' }],
    [{ Shared: { initial_shared_version: '3' } }, { kind: 'SHARED', address: null, initialSharedVersion: '3' }],
    ['Immutable', { kind: 'IMMUTABLE', address: null, initialSharedVersion: null }],
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
  ])('does not know %j', (wire) => {
    expect(readOwner(wire)).toBeNull();
  });

  it('never throws, and sets the address exactly for those that have one', () => {
    const form = fc.oneof(
      fc.record({ AddressOwner: fc.string() }),
      fc.record({ ObjectOwner: fc.string() }),
      fc.record({ Shared: fc.record({ initial_shared_version: fc.maxSafeNat() }) }),
      fc.constant('Immutable'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(form, (wire) => {
        const owner = readOwner(wire);
        if (!owner) return;
        expect(owner.address !== null).toBe(owner.kind === 'ADDRESS' || owner.kind === 'OBJECT');
        expect(owner.initialSharedVersion !== null).toBe(owner.kind === 'SHARED');
      }),
    );
  });
});
