import { exceedsFieldDepth } from './exceeds-field-depth.ts';
import { findExcess } from './find-excess.ts';
import type { Limits } from './limits.ts';
import type { MeasuredDocument } from './measure-document.ts';
import { countedRefusal, type LimitRefusal, maxNesting, nestingRefusal, uncountedRefusal } from './refusal.ts';

/** Selections allowed in a document that is exempt from the limits of queries. The longest introspection has about a hundred. */
const maxExemptNodes = 2_000;

/**
 * Checks what depends on the text alone: nesting, directives, unknown fragments, depth, nodes, in the ledger's order. The
 * result can be kept with the document, since it is the same for every request.
 */
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
