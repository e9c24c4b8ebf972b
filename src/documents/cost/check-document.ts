import type { SelectionNode } from 'graphql';
import depthLimit from 'graphql-depth-limit';
import { type ExecutableDocument, walkLevels } from '../selections.ts';
import {
  countedRefusal,
  type LimitRefusal,
  type Limits,
  maxNesting,
  nestingRefusal,
  payloadRefusal,
  uncountedRefusal,
} from './limits.ts';
import type { MeasuredDocument } from './measure-document.ts';

/** Selections allowed in a document that is exempt from the limits of queries. The longest introspection has about a hundred. */
const maxExemptNodes = 2_000;

/** Checks what depends on the text alone, in the ledger's order: nesting, directives, unknown fragments, depth, nodes. */
export function checkDocument(measured: MeasuredDocument, limits: Limits): LimitRefusal | null {
  const { unsupportedDirective, unknownFragment } = measured;
  if (measured.nesting > maxNesting) return nestingRefusal(measured.nesting);
  if (unsupportedDirective) {
    const supported = 'Supported directives are `@include`, `@skip`';
    const message = `Directive \`@${unsupportedDirective.name.value}\` is not supported. ${supported}`;
    return uncountedRefusal(message, unsupportedDirective);
  }
  if (measured.isExempt) return checkExpansion(measured);
  if (unknownFragment) {
    const message = `Fragment ${unknownFragment.name.value} referred to but not found in document`;
    return uncountedRefusal(message, unknownFragment);
  }
  return checkInput(measured, limits);
}

function checkExpansion(measured: MeasuredDocument): LimitRefusal | null {
  const actual = measured.inputNodes;
  if (actual <= maxExemptNodes) return null;
  const excess = findExcess(measured.executable, Number.POSITIVE_INFINITY, maxExemptNodes);
  const limit = { name: 'maxQueryNodes', max: maxExemptNodes, actual } as const;
  const refusal = countedRefusal(`Query has over ${maxExemptNodes} nodes`, limit, excess?.selection);
  return { ...refusal, hasUsage: false };
}

function checkInput(measured: MeasuredDocument, limits: Limits): LimitRefusal | null {
  const { maxQueryDepth, maxQueryNodes } = limits;
  const isOver =
    exceedsFieldDepth(measured, limits) || measured.depth > maxQueryDepth || measured.inputNodes > maxQueryNodes;
  const excess = isOver ? findExcess(measured.executable, maxQueryDepth, maxQueryNodes) : null;
  if (!excess) return null;
  if (excess.limit === 'depth') {
    const limit = { name: 'maxQueryDepth', max: maxQueryDepth, actual: measured.depth } as const;
    return countedRefusal(`Query nesting is over ${maxQueryDepth}`, limit, excess.selection);
  }
  const limit = { name: 'maxQueryNodes', max: maxQueryNodes, actual: measured.inputNodes } as const;
  return countedRefusal(`Query has over ${maxQueryNodes} nodes`, limit, excess.selection);
}

/**
 * Lines that a document may have. Finding the line of an error reads the text from its start, so many lines and many errors
 * multiply. No real query is that long, and transaction payloads have no line breaks.
 */
export const maxLines = 1_000;

/** Rejects text that is too long, before it is parsed. */
export function checkText(text: string, limits: Limits): LimitRefusal | null {
  const max = limits.maxQueryPayloadSize + limits.maxTransactionPayloadSize;
  // UTF-8 takes at most three bytes per UTF-16 unit: count the bytes only where that bound is not enough.
  const actual = text.length * 3 <= max ? 0 : Buffer.byteLength(text);
  if (actual > max) {
    const limit = { name: 'maxQueryPayloadSize', max, actual } as const;
    return payloadRefusal(`Overall request too large: ${actual} bytes`, limit, limits);
  }
  return text.length > maxLines && hasTooManyLines(text)
    ? uncountedRefusal(`Documents are limited to ${maxLines} lines.`)
    : null;
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

interface Excess {
  readonly limit: 'depth' | 'nodes';
  readonly selection: SelectionNode;
}

/**
 * The first selection that is over a bound, in the ledger's order: operation by operation with one count of nodes, level by
 * level, depth before nodes. Visits at most `maxNodes` selections, whatever the document expands to.
 */
function findExcess(document: ExecutableDocument, maxDepth: number, maxNodes: number): Excess | null {
  let nodes = 0;
  for (const { node: selection, level } of walkLevels(document)) {
    if (level > maxDepth) return { limit: 'depth', selection };
    if (nodes === maxNodes) return { limit: 'nodes', selection };
    nodes += 1;
  }
  return null;
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
  const isWalkable =
    measured.inputNodes <= Math.min(maxQueryNodes, walkable.nodes) &&
    measured.depth <= walkable.depth &&
    measured.unknownFragment === null &&
    !hasPrototypeName(measured);
  if (!isWalkable) return false;
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
