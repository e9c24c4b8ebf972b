import { z } from 'zod';
import type { SponsoredOwnerKind } from '../../generated/own.ts';
import { integerText } from './wire.ts';

export interface SponsoredOwnerRecord {
  readonly kind: SponsoredOwnerKind;
  readonly address: string | null;
  /** Decimal text. */
  readonly initialSharedVersion: string | null;
}

/** One object with one of three keys, or the bare word: the ledger's externally tagged union as JSON. */
const owner = z.union([
  z.object({ AddressOwner: z.string() }).transform((wire) => ownedBy('ADDRESS', wire.AddressOwner)),
  z.object({ ObjectOwner: z.string() }).transform((wire) => ownedBy('OBJECT', wire.ObjectOwner)),
  z
    .object({ Shared: z.object({ initial_shared_version: integerText }) })
    .transform((wire) => ({ ...ownedBy('SHARED', null), initialSharedVersion: wire.Shared.initial_shared_version })),
  z.literal('Immutable').transform(() => ownedBy('IMMUTABLE', null)),
]);

/** The owner of an object as the sponsor writes it; `null` for a kind this schema does not know. */
export function readOwner(wire: unknown): SponsoredOwnerRecord | null {
  return owner.safeParse(wire).data ?? null;
}

function ownedBy(kind: SponsoredOwnerKind, address: string | null): SponsoredOwnerRecord {
  return { kind, address, initialSharedVersion: null };
}
