import { z } from 'zod';
import { gatewayError } from '../errors/gateway-error.ts';
import type { ExecuteTxResultResolvers, Resolvers, SponsoredOwnerKind } from '../generated/own.ts';
import type { ExecutionResult } from './execution/execution-order.ts';
import type { SponsorEffects } from './sponsor-client.ts';
import { toUInt53 } from './to-uint53.ts';
import { integerText, type WireEffects, type WireObjectRef } from './wire.ts';

export interface SponsoredOwnerRecord {
  readonly kind: SponsoredOwnerKind;
  readonly address: string | null;
  /** Decimal text. */
  readonly initialSharedVersion: string | null;
}

/** One object with one of three keys, or the bare word: the ledger's externally tagged union as JSON. */
const ownerForm = z.union([
  z.object({ AddressOwner: z.string() }).transform((wire) => ownedBy('ADDRESS', wire.AddressOwner)),
  z.object({ ObjectOwner: z.string() }).transform((wire) => ownedBy('OBJECT', wire.ObjectOwner)),
  z
    .object({ Shared: z.object({ initial_shared_version: integerText }) })
    .transform((wire) => ({ ...ownedBy('SHARED', null), initialSharedVersion: wire.Shared.initial_shared_version })),
  z.literal('Immutable').transform(() => ownedBy('IMMUTABLE', null)),
]);

/** The owner of an object as the sponsor writes it; `null` for a kind this schema does not know. */
export function readOwner(wire: unknown): SponsoredOwnerRecord | null {
  return ownerForm.safeParse(wire).data ?? null;
}

function ownedBy(kind: SponsoredOwnerKind, address: string | null): SponsoredOwnerRecord {
  return { kind, address, initialSharedVersion: null };
}

const unreadable = (what: string) =>
  gatewayError('UPSTREAM_BAD_RESPONSE', `The sponsor answered ${what} of a form this gateway does not know.`, {
    upstream: 'sponsor',
  });

const executeTxResult: ExecuteTxResultResolvers = {
  effects({ effects: told }: ExecutionResult<SponsorEffects>) {
    if (told === null) return null;
    if (!told.effects) throw unreadable('effects');
    const { effects } = told;
    // Each member by its name: an object spread would give the effects of each execution a hidden class of their own.
    const shown: WireEffects & { readonly raw: unknown } = {
      messageVersion: effects.messageVersion,
      status: effects.status,
      executedEpoch: effects.executedEpoch,
      gasUsed: effects.gasUsed,
      modifiedAtVersions: effects.modifiedAtVersions,
      sharedObjects: effects.sharedObjects,
      transactionDigest: effects.transactionDigest,
      created: effects.created,
      mutated: effects.mutated,
      unwrapped: effects.unwrapped,
      deleted: effects.deleted,
      unwrappedThenDeleted: effects.unwrappedThenDeleted,
      wrapped: effects.wrapped,
      gasObject: effects.gasObject,
      eventsDigest: effects.eventsDigest,
      dependencies: effects.dependencies,
      raw: told.rawEffects,
    };
    return shown;
  },
};

/**
 * An execution and its effects, field by field. What cannot be shown exactly is an error of its own field, so that it never
 * takes digest and outcome with it.
 */
export const sponsoredEffectsResolvers = {
  ExecuteTxResult: executeTxResult,
  SponsoredObjectRef: { version: ({ version }: WireObjectRef) => toUInt53(version) },
  SponsoredObjectChange: {
    owner({ owner }: WireEffects['gasObject']): SponsoredOwnerRecord {
      const known = readOwner(owner);
      if (!known) throw unreadable('an owner');
      return known;
    },
  },
  SponsoredOwner: {
    initialSharedVersion: ({ initialSharedVersion }: SponsoredOwnerRecord) =>
      initialSharedVersion === null ? null : toUInt53(initialSharedVersion),
  },
} as const satisfies Partial<Resolvers>;
