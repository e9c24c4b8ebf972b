import depthLimit from 'graphql-depth-limit';
import type { Limits } from './limits.ts';
import type { MeasuredDocument } from './measure-document.ts';

/** Larger documents could exhaust the package's stack or time: it recurses and expands fragments at every spread. */
const walkable = { nodes: 10_000, depth: 100 };

/**
 * A first, coarse check of depth: do fields alone nest deeper than the limit? It counts neither fragments as levels nor
 * fields below `__` fields, so it never refuses what the exact count allows, and is skipped if that count is within the limit.
 *
 * Only documents within the limit of nodes are given to the package, and none with missing fragments, with cycles, or with a
 * definition named `__proto__`: on these it throws and writes to the console.
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
