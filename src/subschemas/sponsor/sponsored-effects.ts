import { gatewayError } from '../../errors/gateway-error.ts';
import type { ExecuteTxResultResolvers, Resolvers } from '../../generated/own.ts';
import type { SponsorExecution } from './sponsor-client.ts';
import { readOwner, type SponsoredOwnerRecord } from './sponsored-owner.ts';
import { toUInt53 } from './to-uint53.ts';
import type { WireEffects, WireObjectRef } from './wire.ts';

const unreadable = (what: string) =>
  gatewayError('UPSTREAM_BAD_RESPONSE', `The sponsor answered ${what} of a form this gateway does not know.`, {
    upstream: 'sponsor',
  });

const executeTxResult: ExecuteTxResultResolvers = {
  outcome: ({ succeeded }: SponsorExecution) => (succeeded ? 'EXECUTED' : 'FAILED'),
  effects({ effects, rawEffects }: SponsorExecution) {
    if (!effects) throw unreadable('effects');
    return { ...effects, raw: rawEffects };
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
