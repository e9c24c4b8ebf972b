import type { LedgerHistory } from '../config/networks/history-schema.ts';
import type { LedgerExecutor } from '../ledger/ledger-executor.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import type { NetworkReport } from '../upstream/network-in-force.ts';
import {
  askLedger,
  badLedger,
  type FilterMembers,
  type LedgerNode,
  type ReadLedgerPage,
  toMilliseconds,
  toReportSelection,
  toTextOrNull,
} from './ledger-pages.ts';
import { readAsOf } from './ledger-source.ts';
import { type Source, type SourcePage, toTimestampMs } from './source.ts';

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

/**
 * Finds checkpoints by time. Their times never change within an era of the network, so they are cached.
 * @param report records what an answer says about the network, and returns its era
 */
export function createCheckpointTimes(
  execute: LedgerExecutor,
  history: Pick<LedgerHistory, 'checkpoint' | 'pruned'>,
  report: (report: NetworkReport) => number,
) {
  const { field, argument } = history.checkpoint;
  const kept = new Map<number, number>();
  /** The era and the network of the cached times. */
  let era = '';

  /** @param dropped receives the numbers of pruned checkpoints */
  async function read(numbers: readonly number[], dropped: Set<number>, cancellation: Cancellation | undefined) {
    const fields = numbers.map((n) => `c${n}:${field}(${argument.replace('$', String(n))}){timestamp}`);
    const asked = era;
    const text = `{${toReportSelection(history)}${fields.join('')}}`;
    const data = await askLedger(execute, text, history, cancellation);
    const newest = data.newest as LedgerNode | null;
    const newestNumber = Number(newest?.sequenceNumber ?? Number.NaN);
    if (!newest || !Number.isSafeInteger(newestNumber)) throw badLedger('names no newest checkpoint');
    const network = toTextOrNull(data.chain);
    const timestampMs = toMs(newest);
    const answered = `${report({ network, newest: newestNumber, newestMs: timestampMs })} ${network}`;
    if (answered !== era) kept.clear();
    era = answered;
    const found = { number: newestNumber, timestampMs };
    // The answer may be older than the era.
    if (asked !== era) return found;
    for (const number of numbers) {
      const node = data[`c${number}`] as LedgerNode | null;
      if (node) kept.set(number, toMs(node));
      // A node that lags does not have the others yet.
      else if (number <= newestNumber) dropped.add(number);
    }
    for (const oldest of kept.keys()) if (kept.size > maxKept) kept.delete(oldest);
    return found;
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
     * in the range. `before` is the one before `first`, if the ledger has it.
     * @returns `null` if no checkpoint is as new as `startMs`
     */
    async find({ startMs, endMs }: TimeRange, cancellation: Cancellation | undefined) {
      // The ledger prunes its oldest checkpoints.
      const dropped = new Set<number>();
      let newest = await read([], dropped, cancellation);
      for (let requests = 0; requests < maxRequests; requests += 1) {
        if (newest.timestampMs < startMs) return null;
        const start = narrow(startMs, newest.number, dropped);
        const end = newest.timestampMs > endMs ? narrow(endMs + 1, newest.number, dropped) : null;
        const wanted = [start, ...(end ? [end] : [])].flatMap(between);
        if (wanted.length === 0) {
          return { first: start.high, end: end?.high ?? null, before: kept.has(start.low) ? start.low : null };
        }
        const asked = era;
        const last = await read([...new Set(wanted)], dropped, cancellation);
        if (asked === era) continue;
        // Another network has begun, and is searched from the beginning.
        dropped.clear();
        newest = last;
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

interface TimeRangeOptions<Item> {
  readonly range: TimeRange;
  readonly times: CheckpointTimes;
  readonly history: Pick<LedgerHistory, 'checkpoints' | 'events'>;
  readonly sourceOf: (filter: FilterMembers) => Source<Item>;
  readonly readEvents: ReadLedgerPage<Item>;
}

/**
 * The events of a time range. If the ledger's filter has no checkpoints, every event is read from the edge of the range on, which
 * the ledger shows as of the checkpoint there.
 */
export function createTimeRangeSource<Item>(options: TimeRangeOptions<Item>): Source<Item> {
  const { range, times, history, sourceOf, readEvents } = options;
  const { checkpoints, events } = history;
  const every = sourceOf({});
  const { positionOf } = every;

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
      const { after, limit, descending, cancellation } = request;
      const form = events.cursor;
      if (after && form) return cut(await every.readPage(request), descending);
      const found = await times.find(range, cancellation);
      if (!found || found.end === found.first) return { items: [], next: null, hasMore: false };
      const { first, end, before } = found;
      if (!form) {
        const bounds = {
          ...(first > 0 && { [checkpoints.after]: String(first - 1) }),
          ...(end !== null && { [checkpoints.before]: String(end) }),
        };
        return cut(await sourceOf(bounds).readPage(request), descending);
      }
      const edge = descending ? (end === null ? null : end - 1) : before;
      if (edge === null) return cut(await every.readPage(request), descending);
      const size = descending ? limit : 1;
      const page = await readAsOf(readEvents, edge, form, { filter: {}, size, cancellation });
      const isLast = descending && page.edges.length === 0;
      // The cursor that names the checkpoint may be that of the oldest item.
      const { edges } = isLast ? await readEvents({ filter: {}, backward: false, size: 1, cancellation }) : page;
      const items = edges.map(({ item }) => item).toReversed();
      const [newest] = items;
      // Nothing is older than the range.
      if (!descending)
        return cut(await every.readPage({ ...request, after: newest ? positionOf(newest) : null }), false);
      const last = items.at(-1);
      return cut({ items, next: last ? positionOf(last) : null, hasMore: page.hasPrevious }, true);
    },
  };
}
