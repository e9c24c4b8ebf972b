import type { MeasuredDefinition, MeasuredSpread } from './measure-definition.ts';
import { createTally, type Tally, type Transfer } from './output-cost.ts';
import { addCounts, maxCount } from './usage.ts';

/** Sums over all operations of a document, each fragment counted at every spread. */
export interface DocumentTotals {
  readonly inputNodes: number;
  readonly depth: number;
  /** In the order in which they must be made: a tally is complete before it is added to another. */
  readonly transfers: readonly Transfer[];
  /** The tally that all operations are added to. */
  readonly total: Tally;
  /** Bytes of transaction literals, those of a fragment counted at each spread. */
  readonly transactionBytes: number;
  /** An operation spreads, directly or through other fragments, one that the document does not define. */
  readonly hasUnknownFragment: boolean;
}

/** The sums of one operation or fragment, with the fragments that it spreads. */
interface Totals {
  readonly nodes: number;
  readonly depth: number;
  readonly transactionBytes: number;
}

/** What is known of a document while its definitions are added up. */
interface Adding {
  readonly fragments: ReadonlyMap<string, MeasuredDefinition>;
  /** The definitions that are added up already. */
  readonly known: Map<MeasuredDefinition, Totals>;
  readonly transfers: Transfer[];
  hasUnknownFragment: boolean;
}

/**
 * Adds up the operations of a document. Each fragment is added up once, however often it is spread, so the time is linear
 * in the text whatever it expands to.
 * @returns `null` when a fragment that an operation reaches contains itself
 */
export function addUpDefinitions(
  operations: readonly MeasuredDefinition[],
  fragments: ReadonlyMap<string, MeasuredDefinition>,
): DocumentTotals | null {
  const adding: Adding = { fragments, known: new Map(), transfers: [], hasUnknownFragment: false };
  const total = createTally();
  let inputNodes = 0;
  let depth = 0;
  let transactionBytes = 0;
  for (const operation of operations) {
    const totals = addUp(operation, adding);
    if (totals === null) return null;
    inputNodes = addCounts(inputNodes, totals.nodes);
    depth = Math.max(depth, totals.depth);
    transactionBytes = addCounts(transactionBytes, totals.transactionBytes);
    adding.transfers.push({ from: operation.fields, to: total, size: null });
  }
  const { transfers, hasUnknownFragment } = adding;
  return { inputNodes, depth, transfers, total, transactionBytes, hasUnknownFragment };
}

/** Adds up a definition after the fragments below it. Uses a stack, since a chain of fragments may be as long as the text. */
function addUp(root: MeasuredDefinition, adding: Adding): Totals | null {
  const { known } = adding;
  const entered = new Set([root]);
  const open = [{ measured: root, next: 0 }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const spread = top.measured.spreads[top.next];
    top.next += 1;
    if (spread === undefined) {
      known.set(top.measured, addSteps(top.measured, adding));
      open.pop();
      continue;
    }
    const fragment = fragmentOf(spread, adding);
    if (fragment === undefined) adding.hasUnknownFragment = true;
    if (fragment === undefined || known.has(fragment)) continue;
    if (entered.has(fragment)) return null;
    entered.add(fragment);
    open.push({ measured: fragment, next: 0 });
  }
  return known.get(root) ?? null;
}

/** Adds the pages and spreads of a definition whose fragments are all added up. */
function addSteps(measured: MeasuredDefinition, adding: Adding): Totals {
  const { known, transfers } = adding;
  let { nodes, depth } = measured;
  let { bytes } = measured.transaction;
  for (const step of measured.steps) {
    if (step.kind === 'page') {
      if (step.rows.isPaged) transfers.push({ from: step.rows, to: step.to, size: step.size });
      continue;
    }
    const fragment = fragmentOf(step, adding);
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

function fragmentOf(spread: MeasuredSpread, { fragments }: Adding): MeasuredDefinition | undefined {
  return fragments.get(spread.node.name.value);
}
