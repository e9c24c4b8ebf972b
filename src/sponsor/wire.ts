import { z } from 'zod';
import { isSuccess, type SponsorAnswer, wordOf } from './refusals/sponsor-answer.ts';

/** A whole number, as a JSON number or as text, kept as decimal text. No union, which would try and report each form. */
export const integerText = z.custom<number | string>(isWholeNumber).transform(String);

function isWholeNumber(value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0;
  return typeof value === 'string' && /^(?:0|[1-9]\d{0,77})$/.test(value);
}

/** A bounded list: to report the faults of a million items would take many seconds. */
const upTo = <Item extends z.ZodType>(most: number, item: Item) =>
  z.custom<unknown[]>((value) => Array.isArray(value) && value.length <= most).pipe(z.array(item));

/** One transaction changes a few thousand objects at most. The sponsor omits empty lists. */
const listOf = <Item extends z.ZodType>(item: Item) =>
  upTo(8_192, item)
    .nullish()
    .transform((items) => items ?? []);

const orNull = <Item extends z.ZodType>(item: Item) => item.nullish().transform((value) => value ?? null);

const objectRef = z.object({ objectId: z.string(), version: integerText, digest: z.string() });

const maxU64 = 2n ** 64n - 1n;

/** Address and number become part of the lease, and the number is sent back later. */
const reservation = z.object({
  sponsor_address: z.string().regex(/^[\x21-\x7e]{1,128}$/),
  reservation_id: integerText.refine((text) => BigInt(text) <= maxU64),
  // The most coins that a ledger accepts as payment.
  gas_coins: upTo(256, objectRef),
});

/** The owner is parsed by its resolver, so that an unknown kind does not cost the rest of the effects. */
const objectChange = z.object({ owner: z.unknown(), reference: objectRef });

const status = z.object({ status: z.string(), error: orNull(z.string()) });

const effects = z.object({
  messageVersion: z.string(),
  status,
  executedEpoch: integerText,
  gasUsed: z.object({
    computationCost: integerText,
    computationCostBurned: orNull(integerText),
    storageCost: integerText,
    storageRebate: integerText,
    nonRefundableStorageFee: integerText,
  }),
  modifiedAtVersions: listOf(z.object({ objectId: z.string(), sequenceNumber: integerText })),
  sharedObjects: listOf(objectRef),
  transactionDigest: z.string(),
  created: listOf(objectChange),
  mutated: listOf(objectChange),
  unwrapped: listOf(objectChange),
  deleted: listOf(objectRef),
  unwrappedThenDeleted: listOf(objectRef),
  wrapped: listOf(objectRef),
  gasObject: objectChange,
  eventsDigest: orNull(z.string()),
  dependencies: listOf(z.string()),
});

/** The part of the effects that shows the outcome, also if the rest has an unknown form. */
const verdict = z.object({
  transactionDigest: z.string().min(1),
  status: z.object({ status: z.enum(['success', 'failure']) }),
});

export type WireObjectRef = z.output<typeof objectRef>;
export type WireReservation = z.output<typeof reservation>;
export type WireEffects = z.output<typeof effects>;

export interface WireExecution {
  readonly transactionDigest: string;
  readonly succeeded: boolean;
  /** The effects exactly as sent. */
  readonly raw: unknown;
}

/** `{ result: Reservation }`, with or without `error: null`; `null` for anything else. */
export function readReservation(answer: SponsorAnswer): WireReservation | null {
  return isSuccess(answer) ? (reservation.safeParse(member(answer.json, 'result')).data ?? null) : null;
}

/**
 * `{ effects, error: null }`, with or without the second key, under any status: a transaction with effects ran. `null` for anything
 * else.
 */
export function readExecution({ json }: SponsorAnswer): WireExecution | null {
  const raw = member(json, 'effects');
  const { data } = verdict.safeParse(raw);
  return data ? { transactionDigest: data.transactionDigest, succeeded: data.status.status === 'success', raw } : null;
}

/** The effects field by field; `null` if they have an unknown form. */
export function readEffects(raw: unknown): WireEffects | null {
  return effects.safeParse(raw).data ?? null;
}

/** `{ result: "success" }`; `null` for anything else. */
export function readReloadResult(answer: SponsorAnswer): string | null {
  return isSuccess(answer) && member(answer.json, 'result') === 'success' ? 'success' : null;
}

/** `OK`, quoted or not; `null` for anything else, such as a proxy's page with status 200. */
export function readHealth(answer: SponsorAnswer): 'OK' | null {
  return isSuccess(answer) && wordOf(answer) === 'OK' ? 'OK' : null;
}

/** One printable word; `null` for anything else. */
export function readVersion(answer: SponsorAnswer): string | null {
  const word = wordOf(answer);
  return isSuccess(answer) && /^[\x21-\x7e]{1,128}$/.test(word) && !/[<>"{}]/.test(word) ? word : null;
}

/** The deep health check answers 200 with a sentence; `null` for any other sentence. */
export function readDeepHealth(answer: SponsorAnswer): 'ok' | 'failed' | null {
  if (!isSuccess(answer)) return null;
  const word = wordOf(answer);
  if (word === 'OK') return 'ok';
  return word.startsWith('Failed to check health') ? 'failed' : null;
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
