import type { LedgerHistory } from '../config/networks/history-schema.ts';
import type { LedgerExecutor } from '../ledger/ledger-executor.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import type { CheckpointTimes } from './checkpoint-times.ts';
import { createReadLedgerPage, type FilterMembers, type ReadLedgerPage, valueAt } from './ledger-connection.ts';
import type { Position, Source, SourcePage } from './source.ts';

export interface TimeRangeOptions<Item> {
  /** Time range in milliseconds, both ends included. */
  readonly range: { readonly startMs: number; readonly endMs: number };
  readonly times: CheckpointTimes;
  readonly history: LedgerHistory;
  readonly execute: LedgerExecutor;
  readonly sourceOf: (filter: FilterMembers) => Source<Item>;
  readonly readEvents: ReadLedgerPage<Item>;
}

/** Transactions that are searched for one with an event: 20 pages of 50. */
const maxPages = 20;

/**
 * The events of a time range. If the ledger's filter has no checkpoints, every event is read from the edge of the range on,
 * and a cursor of a neighbouring event marks that edge.
 */
export function createTimeRangeSource<Item>(options: TimeRangeOptions<Item>): Source<Item> {
  const { range, times, history, execute, sourceOf, readEvents } = options;
  const { checkpoints, transactions, events } = history;
  const every = sourceOf({});
  const { positionOf } = every;
  const readTransactions = createReadLedgerPage(
    transactions.field,
    {
      selection: '{digest effects{events(first:1){edges{cursor}}}}',
      cursor: null,
      toItem: (node) => {
        const edges = valueAt(node, 'effects.events.edges');
        return { digest: String(node.digest), hasEvents: Array.isArray(edges) && edges.length > 0 };
      },
    },
    execute,
  );

  /** The nearest event outside the range, on the side where reading begins; `null` if there is none. */
  async function findNeighbour(bound: FilterMembers, backward: boolean, cancellation: Cancellation | undefined) {
    let cursor: string | null = null;
    for (let pages = 0; pages < maxPages; pages += 1) {
      const page: Awaited<ReturnType<typeof readTransactions>> = await readTransactions({
        filter: bound,
        cursor,
        backward,
        cancellation,
      });
      const nearestFirst = backward ? page.edges.toReversed() : page.edges;
      const found = nearestFirst.find(({ item }) => item.hasEvents)?.item;
      if (found) {
        const filter = { [events.filters.transaction ?? '']: JSON.stringify(found.digest) };
        const { edges } = await readEvents({ filter, cursor: null, backward, size: 1, cancellation });
        return edges[0] ? positionOf(edges[0].item) : null;
      }
      cursor = backward ? page.start : page.end;
      if (cursor === null || !(backward ? page.hasPrevious : page.hasNext)) return null;
    }
    return null;
  }

  /** Truncates a page at the ends of the range. */
  function cut(page: SourcePage<Item>, descending: boolean): SourcePage<Item> {
    const isBehind = (item: Item) => {
      const { timestampMs } = positionOf(item);
      return timestampMs !== null && (descending ? timestampMs < range.startMs : timestampMs > range.endMs);
    };
    const isWithin = (item: Item) => {
      const { timestampMs } = positionOf(item);
      return timestampMs !== null && range.startMs <= timestampMs && timestampMs <= range.endMs;
    };
    const isOver = page.items.some(isBehind);
    return { ...page, items: page.items.filter(isWithin), hasMore: isOver ? false : page.hasMore };
  }

  return {
    positionOf,
    async readPage(request) {
      const { after, descending, cancellation } = request;
      if (after && !events.hasCheckpoints) return cut(await every.readPage(request), descending);
      const found = await times.find(range, cancellation);
      if (!found || found.end === found.first) return { items: [], next: null, hasMore: false };
      const before = found.first > 0 ? { [checkpoints.before]: String(found.first) } : null;
      const behind = found.end === null ? null : { [checkpoints.after]: String(found.end - 1) };
      if (events.hasCheckpoints) {
        const bounds = {
          ...(found.first > 0 && { [checkpoints.after]: String(found.first - 1) }),
          ...(found.end !== null && { [checkpoints.before]: String(found.end) }),
        };
        return cut(await sourceOf(bounds).readPage(request), descending);
      }
      const bound = descending ? behind : before;
      const neighbour: Position | null = bound && (await findNeighbour(bound, !descending, cancellation));
      return cut(await every.readPage({ ...request, after: neighbour }), descending);
    },
  };
}
