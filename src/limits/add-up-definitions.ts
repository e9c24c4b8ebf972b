import type { MeasuredDefinition, MeasuredSpread } from './measure-definition.ts';
import { createTally, type Tally, type Transfer } from './output-cost.ts';
import { addCounts, maxCount } from './usage.ts';

/** A document's operations with every fragment in its places. */
export interface DocumentTotals {
  readonly inputNodes: number;
  readonly depth: number;
  readonly transfers: readonly Transfer[];
  readonly total: Tally;
  /** Transaction literals, a fragment's at each of its uses. */
  readonly transactionBytes: number;
  /** An operation spreads a fragment that is not in the document, itself or through others. */
  readonly hasUnknownFragment: boolean;
}

interface Totals {
  readonly nodes: number;
  readonly depth: number;
  readonly transactionBytes: number;
}

/**
 * Resolves each fragment once, however often it is spread, so the work is linear in the text whatever it expands to.
 * @returns `null` when a fragment that an operation reaches contains itself
 */
export function addUpDefinitions(
  operations: readonly MeasuredDefinition[],
  fragments: ReadonlyMap<string, MeasuredDefinition>,
): DocumentTotals | null {
  const known = new Map<MeasuredDefinition, Totals>();
  const transfers: Transfer[] = [];
  const total = createTally();
  let hasUnknownFragment = false;
  let inputNodes = 0;
  let depth = 0;
  let transactionBytes = 0;
  for (const operation of operations) {
    const totals = link(operation);
    if (totals === null) return null;
    inputNodes = addCounts(inputNodes, totals.nodes);
    depth = Math.max(depth, totals.depth);
    transactionBytes = addCounts(transactionBytes, totals.transactionBytes);
    transfers.push({ from: operation.fields, to: total, size: null });
  }
  return { inputNodes, depth, transfers, total, transactionBytes, hasUnknownFragment };

  /** Depth first over the fragments, by a stack: a chain of them may be as long as the text. */
  function link(root: MeasuredDefinition): Totals | null {
    const entered = new Set([root]);
    const open = [{ measured: root, next: 0 }];
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const spread = top.measured.spreads[top.next];
      top.next += 1;
      if (spread === undefined) {
        known.set(top.measured, sumUp(top.measured));
        open.pop();
        continue;
      }
      const fragment = fragmentOf(spread);
      if (fragment === undefined) hasUnknownFragment = true;
      if (fragment === undefined || known.has(fragment)) continue;
      if (entered.has(fragment)) return null;
      entered.add(fragment);
      open.push({ measured: fragment, next: 0 });
    }
    return known.get(root) ?? null;
  }

  function sumUp(measured: MeasuredDefinition): Totals {
    let { nodes, depth } = measured;
    let { bytes } = measured.transaction;
    for (const step of measured.steps) {
      if (step.kind === 'page') {
        if (step.rows.isPaged) transfers.push({ from: step.rows, to: step.to, size: step.size });
        continue;
      }
      const fragment = fragmentOf(step);
      const totals = fragment && known.get(fragment);
      if (!fragment || !totals) continue;
      nodes = addCounts(nodes, totals.nodes);
      depth = Math.min(Math.max(depth, step.level + totals.depth), maxCount);
      if (step.isTop) bytes = addCounts(bytes, totals.transactionBytes);
      transfers.push({ from: fragment.fields, to: step.fields, size: null });
      if (!fragment.rows.isPaged) continue;
      transfers.push({ from: fragment.rows, to: step.rows, size: null });
      step.rows.isPaged = true;
    }
    return { nodes, depth, transactionBytes: bytes };
  }

  function fragmentOf(spread: MeasuredSpread): MeasuredDefinition | undefined {
    return fragments.get(spread.node.name.value);
  }
}
