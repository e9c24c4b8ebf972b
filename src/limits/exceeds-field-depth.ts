import depthLimit from 'graphql-depth-limit';
import type { Limits } from './limits.ts';
import type { MeasuredDocument } from './measure-document.ts';

/** The package recurses, spreads lists into arguments, and expands fragments at every use. */
const walkable = { nodes: 10_000, depth: 100 };

/**
 * The coarse gate: do fields alone nest deeper than the limit? It counts neither fragments as levels nor what lies below
 * `__` fields, so what it refuses the exact count refuses too.
 *
 * The package writes to the console and throws on fragments that are missing or contain themselves, and on a name. It is
 * only asked about documents it can walk, and that the budget of nodes does not refuse first.
 */
export function exceedsFieldDepth(
  measured: MeasuredDocument,
  { maxQueryDepth, maxQueryNodes }: Pick<Limits, 'maxQueryDepth' | 'maxQueryNodes'>,
): boolean {
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

/** The package keeps definitions in plain objects, where this name is not a key. */
function hasPrototypeName({ executable: { operations, fragmentDefinitions } }: MeasuredDocument): boolean {
  return [...operations, ...fragmentDefinitions].some(({ name }) => name?.value === '__proto__');
}
