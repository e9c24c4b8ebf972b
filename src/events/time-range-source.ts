import type { LedgerHistory } from '../config/networks/history-schema.ts';
import type { LedgerExecutor } from '../ledger/ledger-executor.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import {
  askLedger,
  badLedger,
  createReadLedgerPage,
  type FilterMembers,
  type LedgerNode,
  type ReadLedgerPage,
  readPages,
  valueAt,
} from './ledger-source.ts';
import { type Position, type Source, type SourcePage, toTimestampMs } from './source.ts';

/** In milliseconds, both ends included. */
interface TimeRange {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Checkpoints that one request reads for each end of a range. In 300 million checkpoints it takes at most 9 requests; the first
 * reads the newest checkpoint.
 */
const probes = 15;
const maxRequests = 20;
const maxKept = 10_000;

export type CheckpointTimes = ReturnType<typeof createCheckpointTimes>;

/** Finds checkpoints by time. Their times never change, so they are cached. */
export function createCheckpointTimes(
  execute: LedgerExecutor,
  { checkpoint: { field, argument } }: Pick<LedgerHistory, 'checkpoint'>,
) {
  const kept = new Map<number, number>();

  /** @param dropped receives the numbers of pruned checkpoints */
  async function read(numbers: readonly number[], dropped: Set<number>, cancellation: Cancellation | undefined) {
    const fields = numbers.map((n) => `c${n}:${field}(${argument.replace('$', String(n))}){timestamp}`);
    const text = `{newest:${field}{sequenceNumber timestamp}${fields.join('')}}`;
    const data = await askLedger(execute, text, cancellation);
    for (const number of numbers) {
      const found = data[`c${number}`] as LedgerNode | null;
      if (found) kept.set(number, toMs(found));
      else dropped.add(number);
    }
    for (const oldest of kept.keys()) if (kept.size > maxKept) kept.delete(oldest);
    const newest = data.newest as LedgerNode | null;
    const number = Number(newest?.sequenceNumber ?? Number.NaN);
    if (!newest || !Number.isSafeInteger(number)) throw badLedger('names no newest checkpoint');
    return { number, timestampMs: toMs(newest) };
  }

  /** Bounds of the first checkpoint that is not older than a time: after `low`, and not after `high`. */
  function narrow(timeMs: number, newest: number, dropped: ReadonlySet<number>): { low: number; high: number } {
    let low = Math.max(-1, ...dropped);
    let high = newest;
    for (const [number, timestampMs] of kept) {
      if (number > newest) continue;
      if (timestampMs < timeMs) low = Math.max(low, number);
      else high = Math.min(high, number);
    }
    return { low, high };
  }

  return {
    /**
     * The checkpoints of a time range: from `first` up to, and excluding, `end`, which is `null` while the newest checkpoint lies
     * in the range.
     * @returns `null` if no checkpoint is as new as `startMs`
     */
    async find({ startMs, endMs }: TimeRange, cancellation: Cancellation | undefined) {
      // The ledger prunes its oldest checkpoints.
      const dropped = new Set<number>();
      const newest = await read([], dropped, cancellation);
      if (newest.timestampMs < startMs) return null;
      for (let requests = 0; requests < maxRequests; requests += 1) {
        const start = narrow(startMs, newest.number, dropped);
        const end = newest.timestampMs > endMs ? narrow(endMs + 1, newest.number, dropped) : null;
        const wanted = [start, ...(end ? [end] : [])].flatMap(between);
        if (wanted.length === 0) return { first: start.high, end: end?.high ?? null };
        await read([...new Set(wanted)], dropped, cancellation);
      }
      throw badLedger('gives no order of its checkpoints');
    },
  };
}

/** Checkpoints that divide the rest of a search evenly. */
function between({ low, high }: { readonly low: number; readonly high: number }): number[] {
  const size = high - low;
  const count = Math.min(probes, size - 1);
  return Array.from({ length: count }, (_, index) => low + Math.floor((size * (index + 1)) / (count + 1)));
}

function toMs({ timestamp }: LedgerNode): number {
  const timestampMs = toTimestampMs(toMilliseconds(timestamp));
  if (timestampMs === null) throw badLedger('gives no time of a checkpoint');
  return timestampMs;
}

/** The milliseconds of a `DateTime` as decimal text. */
export function toMilliseconds(value: unknown): string | null {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? null : String(ms);
}

interface TimeRangeOptions<Item> {
  readonly range: TimeRange;
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
    for await (const page of readPages(readTransactions, { filter: bound, backward, cancellation }, maxPages)) {
      const nearestFirst = backward ? page.edges.toReversed() : page.edges;
      const found = nearestFirst.find(({ item }) => item.hasEvents)?.item;
      if (!found) continue;
      const filter = { [events.filters.transaction ?? '']: JSON.stringify(found.digest) };
      const { edges } = await readEvents({ filter, cursor: null, backward, size: 1, cancellation });
      return edges[0] ? positionOf(edges[0].item) : null;
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
