import { type ASTNode, GraphQLError, type GraphQLSchema, Kind } from 'graphql';
import depthLimit from 'graphql-depth-limit';
import { gatewayError } from '../../errors/gateway-error.ts';
import { type Occurrence, walkLevels } from '../selections.ts';
import type { CalledPageBounds } from './called-pages.ts';
import type { ComplexityRules } from './complexity.ts';
import { type MeasuredDocument, maxExemptNodes } from './measure-document.ts';
import { contractRules, type LimitRules } from './usage.ts';

/** Limits of documents, named as in `serviceConfig`. All are inclusive. */
interface DocumentLimits {
  /** Levels of selections; a fragment counts as one. */
  readonly maxQueryDepth: number;
  /** Selections, with fragments expanded at every spread. */
  readonly maxQueryNodes: number;
  /** Fields of the largest possible response. */
  readonly maxOutputNodes: number;
  /** Maximum bytes of query text without the transaction literals in it. */
  readonly maxQueryPayloadSize: number;
  /** Maximum bytes of transaction arguments, in literals and variables. */
  readonly maxTransactionPayloadSize: number;
  /** Items of a page without an explicit size. */
  readonly defaultPageSize: number;
  readonly maxPageSize: number;
}

export interface Limits extends DocumentLimits {
  /** How documents are counted. Left out: the rules of the `ledger` profile. */
  readonly rules?: LimitRules;
  /** If given, rejections name the field that exceeds a limit, for a ledger that counts by type. */
  readonly schema?: GraphQLSchema;
  /** Limits of pages that the gateway reads call by call. Left out: there are none. */
  readonly calledPages?: CalledPageBounds;
}

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
  /** Must equal the ledger's default page size, since it decides how output nodes are counted. */
  defaultPageSize: 20,
  /** Shown in `serviceConfig` only: the ledger itself rejects larger pages. */
  maxPageSize: 50,
};

/**
 * The limits in force: the smaller of the operator's and the ledger's. Page sizes are always the ledger's, because the gateway
 * would miscount pages with others.
 * @param configured absent or `null` = the ledger's
 * @param upstream the ledger's response; a missing or invalid number is replaced by the shipped one
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

export interface LimitRefusal {
  readonly error: GraphQLError;
  /** The document was counted to its end, so the answer can show usage. */
  readonly hasUsage: boolean;
}

interface RefusalFacts {
  readonly limit?: {
    readonly name: LimitName | 'maxPageSize' | 'maxMultiGetSize' | 'maxEventCalls' | 'maxNesting' | 'maxComplexity';
    readonly max: number;
    readonly actual: number;
  };
  /** The selection, argument or directive that exceeds the limit. */
  readonly node?: ASTNode;
  /** Names of the fields that lead to it. */
  readonly path?: readonly string[];
  /** The ledger checks this limit after counting, so usage is shown. */
  readonly hasUsage?: boolean;
}

export function refuse(
  message: string,
  { limit, node, path, hasUsage = false }: RefusalFacts,
  { code }: LimitRules = contractRules,
): LimitRefusal {
  const error = gatewayError(code, message, limit ? { limit } : {}, {
    ...(node && { nodes: [node] }),
    ...(path?.length && { path }),
  });
  return { error, hasUsage };
}

/** Rejects what is too complex in the ledger's words, which have no code. */
export function refuseComplexity(actual: number, { max, text }: ComplexityRules): LimitRefusal {
  const limit = { name: 'maxComplexity', max, actual };
  return { error: new GraphQLError(text, { extensions: { limit } }), hasUsage: true };
}

/** Rejects an exceeded limit with the ledger's message. */
export function refuseAs(
  kind: keyof LimitRules['texts'],
  facts: RefusalFacts & Required<Pick<RefusalFacts, 'limit'>>,
  { rules = contractRules, maxQueryPayloadSize, maxTransactionPayloadSize }: Limits,
): LimitRefusal {
  const { actual, max } = facts.limit;
  const numbers = { actual, max, query: maxQueryPayloadSize, transaction: maxTransactionPayloadSize };
  const message = rules.texts[kind].replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof numbers) => String(numbers[name]));
  return refuse(message, facts, rules);
}

/**
 * Levels of selection sets below an operation's, and of lists and objects in a value: the bound of the ledger's parser. Spreads
 * are followed, so a fragment that contains itself is over it.
 */
export const maxNesting = 32;

/** @param actual levels counted; `maxCount` for a fragment that contains itself */
export function refuseNesting(actual: number): LimitRefusal {
  const message = `The recursion depth of the query cannot be greater than \`${maxNesting}\``;
  return refuse(message, { limit: { name: 'maxNesting', max: maxNesting, actual } });
}

/**
 * Lines that a document may have. Finding the line of an error reads the text from its start, so many lines and many errors
 * multiply. No real query is that long, and transaction payloads have no line breaks.
 */
export const maxLines = 1_000;

/** Bytes of the longest escape in JSON, for one UTF-16 unit. */
const longestEscape = 6;

/** Rejects text that is too long, before it is parsed. */
export function checkText(text: string, limits: Limits): LimitRefusal | null {
  const { rules = contractRules } = limits;
  const max = limits.maxQueryPayloadSize + limits.maxTransactionPayloadSize;
  const actual = text.length * longestEscape <= max ? 0 : bytesOf(text, rules);
  if (actual > max) return refuseAs('overall', { limit: { name: 'maxQueryPayloadSize', max, actual } }, limits);
  return text.length > maxLines && hasTooManyLines(text)
    ? refuse(`Documents are limited to ${maxLines} lines.`, {}, rules)
    : null;
}

/** Bytes that count against the query allowance: of a text, or of the body that carries it. */
export function bytesOf(text: string, { payload }: LimitRules): number {
  return payload === 'text' ? Buffer.byteLength(text) : Buffer.byteLength(JSON.stringify({ query: text }));
}

/** Counts CR and LF separately, so CRLF counts twice; no real document comes near the bound. */
function hasTooManyLines(text: string): boolean {
  let lines = 1;
  for (const terminator of ['\n', '\r']) {
    for (let at = text.indexOf(terminator); at !== -1; at = text.indexOf(terminator, at + 1)) {
      lines += 1;
      if (lines > maxLines) return true;
    }
  }
  return false;
}

/** Checks what depends on the text alone, in the ledger's order: nesting, directives, unknown fragments, depth, nodes. */
export function checkDocument(measured: MeasuredDocument, limits: Limits): LimitRefusal | null {
  const { nesting, inputNodes, depth, unsupportedDirective, unknownFragment } = measured;
  const { maxQueryDepth, maxQueryNodes, rules = contractRules } = limits;
  if (nesting > maxNesting) return refuseNesting(nesting);
  if (unsupportedDirective) {
    const supported = 'Supported directives are `@include`, `@skip`';
    const message = `Directive \`@${unsupportedDirective.name.value}\` is not supported. ${supported}`;
    return refuse(message, { node: unsupportedDirective }, rules);
  }
  if (measured.isExempt)
    return inputNodes > maxExemptNodes ? refuseExcess(measured, Number.POSITIVE_INFINITY, maxExemptNodes, rules) : null;
  if (unknownFragment) {
    const message = `Fragment ${unknownFragment.name.value} referred to but not found in document`;
    return refuse(message, { node: unknownFragment }, rules);
  }
  const isOver = exceedsFieldDepth(measured, limits) || depth > maxQueryDepth || inputNodes > maxQueryNodes;
  return isOver ? refuseExcess(measured, maxQueryDepth, maxQueryNodes, rules) : null;
}

/**
 * Rejects the first selection that is over a bound, in the ledger's order: operation by operation with one count of nodes,
 * level by level, depth before nodes. Visits at most `maxNodes` selections, whatever the document expands to.
 */
function refuseExcess(
  { executable, depth, inputNodes }: MeasuredDocument,
  maxDepth: number,
  maxNodes: number,
  rules: LimitRules,
): LimitRefusal | null {
  let nodes = 0;
  for (const { node, level, parent } of walkLevels(executable)) {
    const pathOf = () => (rules.connections === 'type' ? { path: toPath(parent) } : {});
    if (level > maxDepth) {
      const limit = { name: 'maxQueryDepth', max: maxDepth, actual: depth } as const;
      return refuse(`Query nesting is over ${maxDepth}`, { limit, node, ...pathOf() }, rules);
    }
    if (nodes === maxNodes) {
      const limit = { name: 'maxQueryNodes', max: maxNodes, actual: inputNodes } as const;
      return refuse(`Query has over ${maxNodes} nodes`, { limit, node, ...pathOf() }, rules);
    }
    nodes += 1;
  }
  return null;
}

/** Names of the fields that lead to an occurrence, its own included. */
export function toPath(occurrence: Occurrence | null): readonly string[] {
  if (!occurrence) return [];
  const { node, parent } = occurrence;
  return node.kind === Kind.FIELD ? [...toPath(parent), node.name.value] : toPath(parent);
}

/** Larger documents could exhaust the stack or time of the package: it recurses and expands fragments at every spread. */
const walkable = { nodes: 10_000, depth: 100 };

/**
 * A first, coarse check of depth: do fields alone nest deeper than the limit? It ignores fragments and fields below `__`
 * fields, so it never rejects what the exact count allows. The package throws and writes to the console on missing fragments,
 * cycles and a definition named `__proto__`, so it is not given those.
 */
export function exceedsFieldDepth(
  measured: MeasuredDocument,
  { maxQueryDepth, maxQueryNodes }: Pick<Limits, 'maxQueryDepth' | 'maxQueryNodes'>,
): boolean {
  if (measured.depth <= maxQueryDepth) return false;
  const isSafeToWalk =
    measured.inputNodes <= Math.min(maxQueryNodes, walkable.nodes) &&
    measured.depth <= walkable.depth &&
    measured.unknownFragment === null &&
    !hasPrototypeName(measured);
  if (!isSafeToWalk) return false;
  let isExceeded = false;
  depthLimit(maxQueryDepth - 1)({
    getDocument: () => measured.document,
    reportError: () => {
      isExceeded = true;
    },
  });
  return isExceeded;
}

/** The package keeps definitions in plain objects by name, where `__proto__` cannot be a key. */
function hasPrototypeName({ executable: { operations, fragmentDefinitions } }: MeasuredDocument): boolean {
  return [...operations, ...fragmentDefinitions].some(({ name }) => name?.value === '__proto__');
}
