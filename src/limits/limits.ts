/** The bounds in force for documents, named as `serviceConfig` names them. All are inclusive. */
export interface Limits {
  /** Levels. */
  readonly maxQueryDepth: number;
  /** Selections, fragments expanded. */
  readonly maxQueryNodes: number;
  readonly maxOutputNodes: number;
  /** Bytes of query text beside what is transaction payload in it. */
  readonly maxQueryPayloadSize: number;
  /** Bytes. */
  readonly maxTransactionPayloadSize: number;
  /** Items of a page that names no size. */
  readonly defaultPageSize: number;
  /** Items. */
  readonly maxPageSize: number;
}

export type LimitName = Exclude<keyof Limits, 'defaultPageSize' | 'maxPageSize'>;

/** What ledgers ship with, for the numbers that one does not tell. */
export const shippedLimits: Limits = {
  /** Explorers ask a dozen levels; types and dynamic fields of objects nest further than people write. */
  maxQueryDepth: 20,
  /** A page of a rich explorer view takes under two hundred. */
  maxQueryNodes: 300,
  /** A full page of fifty, of rows of forty fields, of which each holds another full page. */
  maxOutputNodes: 100_000,
  /** A page of text; what is longer is generated, and can be split. */
  maxQueryPayloadSize: 5_000,
  /** The largest transaction, 128 KiB, as base64: `ceil(131072 × 4 / 3)`. */
  maxTransactionPayloadSize: 174_763,
  defaultPageSize: 20,
  maxPageSize: 50,
};

/**
 * The bounds in force: of each, the smaller of what the operator configured and what the ledger enforces. Page sizes are
 * the ledger's alone: a configured one would change what its own pages cost.
 * @param configured what the operator says; absent or `null` = the ledger's own
 * @param upstream what the ledger says; where it says nothing usable, the shipped number stands for it
 */
export function stricterLimits(
  configured: { readonly [Name in LimitName]?: number | null | undefined },
  upstream: { readonly [Name in keyof Limits]?: unknown },
): Limits {
  const told = (name: keyof Limits): number => (isBound(upstream[name]) ? upstream[name] : shippedLimits[name]);
  const stricter = (name: LimitName): number => Math.min(configured[name] ?? Number.POSITIVE_INFINITY, told(name));
  return {
    maxQueryDepth: stricter('maxQueryDepth'),
    maxQueryNodes: stricter('maxQueryNodes'),
    maxOutputNodes: stricter('maxOutputNodes'),
    maxQueryPayloadSize: stricter('maxQueryPayloadSize'),
    maxTransactionPayloadSize: stricter('maxTransactionPayloadSize'),
    defaultPageSize: told('defaultPageSize'),
    maxPageSize: told('maxPageSize'),
  };
}

function isBound(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
