import { z } from 'zod';
import { ExactNumber } from '../json/exact-json.ts';

/**
 * JSON-RPC responses of a node, parsed tolerantly: unknown fields pass, numbers may replace text, and fields that some nodes
 * omit may be missing.
 */

const decimalText = z.union([z.string(), z.number().int().nonnegative(), z.instanceof(ExactNumber)]).transform(String);
const orNull = <Value extends z.ZodType>(value: Value) => value.nullish().transform((given) => given ?? null);

const eventIdWire = z.object({ txDigest: z.string(), eventSeq: decimalText });

const eventWire = z.object({
  id: eventIdWire,
  packageId: z.string(),
  transactionModule: z.string(),
  sender: z.string(),
  type: z.string(),
  parsedJson: z.unknown().optional(),
  bcs: orNull(z.string()),
  timestampMs: orNull(decimalText),
});

const timeAndPlace = z.object({ timestampMs: orNull(decimalText), checkpoint: orNull(decimalText) });

const transactionWire = z.looseObject({ digest: z.string() }).transform((raw, context) => {
  const { success, data } = timeAndPlace.safeParse(raw);
  if (!success) {
    context.issues.push({ code: 'custom', input: raw });
    return z.NEVER;
  }
  return { digest: raw.digest, ...data, raw: raw as Readonly<Record<string, unknown>> };
});

/**
 * Only `data` is always present. `nextCursor` is the last item's id even on the last page, so only `hasNextPage` says whether
 * there is more, and it may be missing.
 */
const hasNextPage = orNull(z.boolean());

export const eventPageWire = z.object({
  data: z.array(eventWire),
  nextCursor: orNull(eventIdWire),
  hasNextPage,
});

export const transactionPageWire = z.object({
  data: z.array(transactionWire),
  nextCursor: orNull(z.string()),
  hasNextPage,
});

const rpcErrorWire = z.object({ code: z.number().int(), message: z.string(), data: z.unknown().optional() });

export const rpcAnswerWire = z.union([
  z.object({ id: z.unknown().optional(), error: rpcErrorWire }),
  z.object({ id: z.unknown().optional(), result: z.unknown() }),
]);

export type EventIdWire = z.output<typeof eventIdWire>;
/** The mark of an item's position, where its source has one. */
interface Marked {
  readonly mark?: string | null | undefined;
}

export type EventWire = z.output<typeof eventWire> & Marked;
export type TransactionWire = z.output<typeof transactionWire> & Marked;

/** An externally tagged filter, for example `{ Sender: '0x2' }`. */
export type FilterWire = Readonly<Record<string, unknown>>;
