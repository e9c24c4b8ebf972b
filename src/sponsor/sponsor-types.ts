import { z } from 'zod';
import { gatewayError } from '../errors/gateway-error.ts';
import type { GasReservationState, Resolvers, SponsoredOwnerKind } from '../generated/own.ts';
import type { ExecutionResult } from './execution/execution-order.ts';
import type { Reservation } from './reservation/reservation.ts';
import type { SponsorEffects } from './sponsor-client.ts';
import { integerText, type WireEffects, type WireObjectRef } from './wire.ts';

const upstream = 'sponsor';

/**
 * Versions are u64 at the sponsor and JSON numbers here. The ledger marks cancelled reads of shared objects with versions near
 * 2^63; a rounded one would name a version that does not exist.
 * @param text decimal
 * @throws `UPSTREAM_BAD_RESPONSE` beyond 2^53-1
 */
export function toUInt53(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  const message = 'The sponsor answered a number beyond 2^53-1, which cannot be shown exactly.';
  throw gatewayError('UPSTREAM_BAD_RESPONSE', message, { upstream });
}

/** `<semver>-<build hash>`, with `-dirty` for a modified tree. A pre-release part may contain dashes, so it matches lazily. */
const versionForm = /^(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+?)??(?:\+[0-9A-Za-z.-]+)?)-([0-9A-Za-z]+(?:-dirty)?)$/;

/** The version text and its parts, which are `null` for text of another form. */
export function toSponsorVersion(raw: string) {
  const [, semver, buildHash] = versionForm.exec(raw) ?? [];
  return { raw, semver: semver ?? null, buildHash: buildHash ?? null };
}

export function secondsLeft({ expiresAtMs }: Reservation, nowMs: number): number {
  return Math.max(0, Math.floor((expiresAtMs - nowMs) / 1000));
}

export function reservationState({ expiresAtMs, isConsumed }: Reservation, nowMs: number): GasReservationState {
  if (isConsumed) return 'CONSUMED';
  return nowMs < expiresAtMs ? 'ACTIVE' : 'EXPIRED';
}

export interface SponsoredOwnerRecord {
  readonly kind: SponsoredOwnerKind;
  readonly address: string | null;
  /** Decimal text. */
  readonly initialSharedVersion: string | null;
}

const ownedBy = (kind: SponsoredOwnerKind, address: string | null): SponsoredOwnerRecord => ({
  kind,
  address,
  initialSharedVersion: null,
});

/** An object with one of three keys, or the bare word: the ledger's externally tagged union in JSON. */
const ownerForm = z.union([
  z.object({ AddressOwner: z.string() }).transform((wire) => ownedBy('ADDRESS', wire.AddressOwner)),
  z.object({ ObjectOwner: z.string() }).transform((wire) => ownedBy('OBJECT', wire.ObjectOwner)),
  z
    .object({ Shared: z.object({ initial_shared_version: integerText }) })
    .transform((wire) => ({ ...ownedBy('SHARED', null), initialSharedVersion: wire.Shared.initial_shared_version })),
  z.literal('Immutable').transform(() => ownedBy('IMMUTABLE', null)),
]);

/** The owner of an object as the sponsor writes it; `null` for an unknown kind. */
export function readOwner(wire: unknown): SponsoredOwnerRecord | null {
  return ownerForm.safeParse(wire).data ?? null;
}

function unreadable(what: string) {
  const message = `The sponsor answered ${what} of a form this gateway does not know.`;
  return gatewayError('UPSTREAM_BAD_RESPONSE', message, { upstream });
}

/**
 * Resolvers of reservations, executions and their effects. A value that cannot be shown exactly is an error of its own field, so
 * that digest and outcome remain.
 * @param now milliseconds since the Unix epoch
 */
export function createSponsorTypeResolvers(now: () => number) {
  return {
    GasReservation: {
      expiresAt: ({ expiresAtMs }: Reservation) => new Date(expiresAtMs).toISOString(),
      secondsLeft: (reservation: Reservation) => secondsLeft(reservation, now()),
      state: (reservation: Reservation) => reservationState(reservation, now()),
    },
    ReservedGasCoin: { version: ({ version }: { readonly version: string }) => toUInt53(version) },
    ExecuteTxResult: {
      effects({ effects: told }: ExecutionResult<SponsorEffects>) {
        if (told === null) return null;
        if (!told.effects) throw unreadable('effects');
        return Object.assign(told.effects, { raw: told.rawEffects });
      },
    },
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
}
