import type { EventBounds } from './event-pages.ts';

/** The bounds in force for documents, named as `serviceConfig` names them. All are inclusive. */
export interface DocumentLimits {
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

/** All bounds in force. */
export interface Limits extends DocumentLimits {
  /** Of pages that the gateway reads call by call, of which the ledger knows nothing. Left out: unbounded. */
  readonly events?: EventBounds;
}

/** Those of documents, which the ledger has too. */
export type LimitName = Exclude<keyof DocumentLimits, 'defaultPageSize' | 'maxPageSize'>;

/**
 * What ledgers ship with, for the numbers that one does not tell: anything else would refuse here what it serves, or send
 * it what it refuses.
 */
export const shippedLimits: DocumentLimits = {
  /** Six connections in one another, each three levels (field, `edges`, `node`), and their leaf. */
  maxQueryDepth: 20,
  /** Selections are cheap to read and dear to answer: each can be a lookup of its own. */
  maxQueryNodes: 300,
  /** Fifty rows of forty fields, each a page of fifty. */
  maxOutputNodes: 100_000,
  /** Three hundred selections of some sixteen letters. */
  maxQueryPayloadSize: 5_000,
  /** The largest transaction, 128 KiB, as base64: `ceil(131072 × 4 / 3)`. */
  maxTransactionPayloadSize: 174_763,
  /** What the ledger counts where a document names no size, so it must be the ledger's to the unit. */
  defaultPageSize: 20,
  /** The ledger refuses more; here it is only shown. */
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
  upstream: { readonly [Name in keyof DocumentLimits]?: unknown },
): DocumentLimits {
  const told = (name: keyof DocumentLimits): number => (isBound(upstream[name]) ? upstream[name] : shippedLimits[name]);
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
