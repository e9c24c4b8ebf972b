import type { ASTNode, GraphQLError } from 'graphql';
import { gatewayError } from '../../errors/gateway-error.ts';
import type { CalledPageBounds } from './called-pages.ts';

/** Limits of documents, named as in `serviceConfig`. All are inclusive. */
export interface DocumentLimits {
  /** Levels of selections; a fragment is one. */
  readonly maxQueryDepth: number;
  /** Selections, with fragments expanded at every spread. */
  readonly maxQueryNodes: number;
  /** Fields of the largest possible answer. */
  readonly maxOutputNodes: number;
  /** Bytes of query text without the transaction literals in it. */
  readonly maxQueryPayloadSize: number;
  /** Bytes of transaction arguments, in literals and variables. */
  readonly maxTransactionPayloadSize: number;
  /** Items of a page that is asked for without a size. */
  readonly defaultPageSize: number;
  /** Items of the largest page. */
  readonly maxPageSize: number;
}

export interface Limits extends DocumentLimits {
  /** Bounds of pages that the gateway reads call by call. Left out: the gateway reads none. */
  readonly calledPages?: CalledPageBounds;
}

/** The limits of documents, without the page sizes. */
export type LimitName = Exclude<keyof DocumentLimits, 'defaultPageSize' | 'maxPageSize'>;

/**
 * The limits that ledgers are shipped with, used where a ledger does not report its own. Smaller numbers would reject queries
 * that it serves; larger ones would send it queries that it rejects.
 */
export const shippedLimits: DocumentLimits = {
  /** Enough for six nested connections of three levels each (field, `edges`, `node`) and a leaf. */
  maxQueryDepth: 20,
  maxQueryNodes: 300,
  /** Enough for 50 rows of 40 fields, each a page of 50. */
  maxOutputNodes: 100_000,
  /** Enough for 300 selections of some 16 characters. */
  maxQueryPayloadSize: 5_000,
  /** The largest transaction, 128 KiB, as base64: `ceil(131072 × 4 / 3)`. */
  maxTransactionPayloadSize: 174_763,
  /** Must equal the ledger's, since it decides how output nodes are counted. */
  defaultPageSize: 20,
  /** Only shown: the ledger itself rejects larger pages. */
  maxPageSize: 50,
};

/**
 * The limits in force: each the smaller of the operator's and the ledger's. Page sizes are always the ledger's, because a
 * configured one would miscount its pages.
 * @param configured absent or `null` = the ledger's
 * @param upstream the ledger's answer; a number that is missing or unusable is replaced by the shipped one
 */
export function stricterLimits(
  configured: { readonly [Name in LimitName]?: number | null | undefined },
  upstream: { readonly [Name in keyof DocumentLimits]?: unknown },
): DocumentLimits {
  const reported = (name: keyof DocumentLimits): number =>
    isBound(upstream[name]) ? upstream[name] : shippedLimits[name];
  const stricter = (name: LimitName): number => Math.min(configured[name] ?? Number.POSITIVE_INFINITY, reported(name));
  return {
    maxQueryDepth: stricter('maxQueryDepth'),
    maxQueryNodes: stricter('maxQueryNodes'),
    maxOutputNodes: stricter('maxOutputNodes'),
    maxQueryPayloadSize: stricter('maxQueryPayloadSize'),
    maxTransactionPayloadSize: stricter('maxTransactionPayloadSize'),
    defaultPageSize: reported('defaultPageSize'),
    maxPageSize: reported('maxPageSize'),
  };
}

function isBound(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

/** Why a document is rejected. */
export interface LimitRefusal {
  readonly error: GraphQLError;
  /** The document was counted to its end, so the answer can show usage. */
  readonly hasUsage: boolean;
}

export interface BrokenLimit {
  readonly name: LimitName | 'maxEventCalls' | 'maxNesting';
  readonly max: number;
  readonly actual: number;
}

/** Rejects for a limit that the ledger checks after counting, so usage is shown. */
export function countedRefusal(message: string, limit: BrokenLimit, node?: ASTNode): LimitRefusal {
  return { error: gatewayError('BAD_USER_INPUT', message, { limit }, at(node)), hasUsage: true };
}

/** Rejects for a reason that the ledger finds before counting, so no usage is shown. */
export function uncountedRefusal(message: string, node?: ASTNode): LimitRefusal {
  return { error: gatewayError('BAD_USER_INPUT', message, {}, at(node)), hasUsage: false };
}

/** Rejects too many bytes. The message ends like the ledger's, with both allowances. */
export function payloadRefusal(message: string, limit: BrokenLimit, limits: Limits): LimitRefusal {
  const allowances =
    `Requests are limited to ${limits.maxTransactionPayloadSize} bytes or fewer on transaction payloads ` +
    '(all inputs to executeTx, executeTransactionBlock or dryRunTransactionBlock) and the rest of the request ' +
    `(the query part) must be ${limits.maxQueryPayloadSize} bytes or fewer.`;
  return { error: gatewayError('BAD_USER_INPUT', `${message}. ${allowances}`, { limit }), hasUsage: false };
}

function at(node: ASTNode | undefined): { nodes?: readonly ASTNode[] } {
  return node ? { nodes: [node] } : {};
}

/**
 * Levels of selection sets below an operation's, and of lists and objects in a value: the bound of the ledger's parser.
 * Spreads are followed, so a fragment that contains itself is over it.
 */
export const maxNesting = 32;

/** @param actual levels counted; `maxCount` for a fragment that contains itself */
export function nestingRefusal(actual: number): LimitRefusal {
  const message = `The recursion depth of the query cannot be greater than \`${maxNesting}\``;
  const limit = { name: 'maxNesting', max: maxNesting, actual } as const;
  return { error: gatewayError('BAD_USER_INPUT', message, { limit }), hasUsage: false };
}
