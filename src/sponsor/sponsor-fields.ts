import { Buffer } from 'node:buffer';
import type { GraphQLError } from 'graphql';
import { z } from 'zod';
import { gatewayError } from '../errors/gateway-error.ts';
import type { GasReservationState, Resolvers, SponsoredOwnerKind } from '../generated/own.ts';
import { toFullAddress } from '../transactions/ledger-bcs.ts';
import type { ExecutionResult } from './execution/execution-order.ts';
import type { Reservation } from './reservations.ts';
import { integerText, type WireEffects, type WireObjectRef } from './sponsor-response.ts';

/** A budget must be positive and below the sponsor's maximum. @throws `BAD_USER_INPUT` */
export function checkGasBudget(gasBudget: number, maxGasBudgetExclusive: number): void {
  if (Number.isSafeInteger(gasBudget) && gasBudget >= 1 && gasBudget < maxGasBudgetExclusive) return;
  throw badArgument('gasBudget', String(gasBudget), `it must be a whole number from 1 to ${maxGasBudgetExclusive - 1}`);
}

const maxReserveDurationSecs = 600;

/** A reservation lasts 1 to 600 seconds. @throws `BAD_USER_INPUT` */
export function checkReserveDuration(reserveDurationSecs: number): void {
  const inRange = reserveDurationSecs >= 1 && reserveDurationSecs <= maxReserveDurationSecs;
  if (Number.isInteger(reserveDurationSecs) && inRange) return;
  const rule = `it must be a whole number of seconds from 1 to ${maxReserveDurationSecs}`;
  throw badArgument('reserveDurationSecs', String(reserveDurationSecs), rule);
}

const maxReservationId = 2n ** 64n - 1n;

/**
 * The sponsor's own number: canonical decimal text of a u64, because it is written into the sponsor's request unchanged.
 * @throws `BAD_USER_INPUT`
 */
export function parseReservationId(text: string): string {
  if (/^(?:0|[1-9]\d{0,19})$/.test(text) && BigInt(text) <= maxReservationId) return text;
  const rule = `it must be a whole number from 0 to ${maxReservationId}, without leading zeros, as reserveGas gave it`;
  throw badArgument('reservationId', text, rule);
}

const maxIdempotencyKeyLength = 255;

/** A key has 1 to 255 visible characters. @returns `null` if none was given @throws `BAD_USER_INPUT` */
export function parseIdempotencyKey(key: string | null | undefined): string | null {
  if (key === null || key === undefined) return null;
  // Check the length first: one long text may be the key of many fields.
  if (key.length <= maxIdempotencyKeyLength && /^[\x21-\x7e]+$/.test(key)) return key;
  const rule = `it must be 1 to ${maxIdempotencyKeyLength} visible ASCII characters, without spaces`;
  throw badArgument('idempotencyKey', key, rule);
}

/**
 * The payload limit applies to the base64 texts of all transactions of an operation together: one variable may be used a hundred times,
 * and is decoded and sent each time. Checked before decoding.
 * @param texts by argument
 * @returns `earlier` for the next transaction of the operation
 * @throws `BAD_USER_INPUT`
 */
export function checkTransactionPayload(
  texts: Readonly<Record<string, string>>,
  maxBytes: number,
  earlier = 0,
): number {
  const sizes = Object.entries(texts).map(([name, text]) => [name, text.length] as const);
  const size = sizes.reduce((sum, [, length]) => sum + length, 0);
  if (earlier + size <= maxBytes) return earlier + size;
  const [argument] = sizes.reduce((most, each) => (each[1] > most[1] ? each : most), ['', 0] as const);
  const parts = sizes.length > 1 ? ` (${sizes.map(([name, length]) => `${name} ${length}`).join(', ')})` : '';
  const names = sizes.map(([name]) => name).join(' and ');
  const others = earlier === 0 ? '' : `, with ${earlier} of the transactions before it in the operation,`;
  const rule = `${names} ${sizes.length > 1 ? 'together are' : 'is'} ${size} bytes${parts}${others} and may be at most ${maxBytes}`;
  throw gatewayError('BAD_USER_INPUT', `Argument "${argument}" is too large: ${rule}.`, { argument });
}

/** An address in full. @throws `BAD_USER_INPUT` */
export function parseAddressArgument(argument: string, text: string): string {
  if (/^0x[\da-f]{1,64}$/i.test(text)) return toFullAddress(text);
  throw badArgument(argument, text, 'it must be an address: 0x and 1 to 64 hexadecimal digits');
}

/**
 * Decodes canonical base64. Buffer also accepts whitespace, missing padding, the URL alphabet and stray bits; comparing with its own
 * encoding rules them out.
 * @throws `BAD_USER_INPUT`
 */
export function parseBase64Argument(argument: string, text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > 0 && bytes.toString('base64') === text) return bytes;
  if (text === '') throw badArgument(argument, text, 'it must not be empty');
  const rule = 'it must be canonical base64: standard alphabet, padded with "=", no whitespace, unused bits zero';
  throw badArgument(argument, text, rule);
}

/** The argument `sender` in full; `null` if absent. @throws `BAD_USER_INPUT` */
export function parseSender(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : parseAddressArgument('sender', text);
}

/** Shorter than any signature or transaction, so that errors never contain a whole one. */
const maxShownLength = 24;

/** `BAD_USER_INPUT` that names argument, value and rule. A long value is truncated. */
export function badArgument(argument: string, value: string, rule: string): GraphQLError {
  const shown =
    value.length > maxShownLength
      ? `${JSON.stringify(value.slice(0, maxShownLength))}… (${value.length} characters)`
      : JSON.stringify(value);
  return gatewayError('BAD_USER_INPUT', `Argument "${argument}" has value ${shown}: ${rule}.`, { argument });
}

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
  throw unreadable('The sponsor answered a number beyond 2^53-1, which cannot be shown exactly.');
}

/** `<semver>-<build hash>`, with `-dirty` for a modified tree. A pre-release part may contain dashes, so it matches lazily. */
const versionForm = /^(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+?)??(?:\+[0-9A-Za-z.-]+)?)-([0-9A-Za-z]+(?:-dirty)?)$/;

/** The version text and its parts, which are `null` for a text of another form. */
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
  /** Version at which consensus began to order its transactions, as decimal text. */
  readonly initialSharedVersion: string | null;
}

const ownedBy = (
  kind: SponsoredOwnerKind,
  address: string | null,
  initialSharedVersion: string | null = null,
): SponsoredOwnerRecord => ({ kind, address, initialSharedVersion });

/** An object with one of four keys, or the bare word: the ledger's externally tagged union in JSON. */
const ownerForm = z.union([
  z.object({ AddressOwner: z.string() }).transform((wire) => ownedBy('ADDRESS', wire.AddressOwner)),
  z.object({ ObjectOwner: z.string() }).transform((wire) => ownedBy('OBJECT', wire.ObjectOwner)),
  z
    .object({ Shared: z.object({ initial_shared_version: integerText }) })
    .transform(({ Shared }) => ownedBy('SHARED', null, Shared.initial_shared_version)),
  z
    .object({ ConsensusAddressOwner: z.object({ owner: z.string(), start_version: integerText }) })
    .transform(({ ConsensusAddressOwner: { owner, start_version } }) =>
      ownedBy('CONSENSUS_ADDRESS', owner, start_version),
    ),
  z.literal('Immutable').transform(() => ownedBy('IMMUTABLE', null)),
]);

const unknownOwner = ownedBy('UNKNOWN', null);

/** The owner of an object in the sponsor's JSON. An unknown kind must not cost the rest of the effects. */
export function readOwner(wire: unknown): SponsoredOwnerRecord {
  return ownerForm.safeParse(wire).data ?? unknownOwner;
}

/** A value of a completed call. Repeating the call would not make it readable, and might reserve or execute again. */
function unreadable(message: string) {
  return gatewayError('UPSTREAM_BAD_RESPONSE', message, { upstream, retry: 'never' });
}

/**
 * Resolvers of reservations, executions and their effects. A value that cannot be shown exactly is an error of its own field,
 * so that digest and outcome remain.
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
      effects({ effects: reported }: ExecutionResult) {
        if (reported === null) return null;
        if (!reported.effects) throw unreadable('The sponsor answered effects of a form this gateway does not know.');
        return Object.assign(reported.effects, { raw: reported.rawEffects });
      },
    },
    SponsoredObjectRef: { version: ({ version }: WireObjectRef) => toUInt53(version) },
    SponsoredObjectChange: { owner: ({ owner }: WireEffects['gasObject']) => readOwner(owner) },
    SponsoredOwner: {
      initialSharedVersion: ({ initialSharedVersion }: SponsoredOwnerRecord) =>
        initialSharedVersion === null ? null : toUInt53(initialSharedVersion),
    },
  } as const satisfies Partial<Resolvers>;
}
