import type { LedgerHistory } from '../config/networks/history-schema.ts';
import type { LedgerExecutor } from '../ledger/ledger-executor.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import { askLedger, badLedger, type LedgerNode } from './ledger-connection.ts';
import { toTimestampMs } from './source.ts';

/** Checkpoints that one request reads for each end of a range: 300 million checkpoints take 7 requests. */
const probes = 15;
const maxRequests = 20;
const maxKept = 10_000;

/** The checkpoints of a time range: from `first` up to, and excluding, `end`. */
export interface CheckpointRange {
  readonly first: number;
  /** `null` while the newest checkpoint lies in the range. */
  readonly end: number | null;
}

/** Finds checkpoints by time. Their times never change, so they are cached. */
export interface CheckpointTimes {
  /** @returns `null` if no checkpoint is as new as `startMs` */
  find(
    range: { readonly startMs: number; readonly endMs: number },
    cancellation: Cancellation | undefined,
  ): Promise<CheckpointRange | null>;
}

export function createCheckpointTimes(
  execute: LedgerExecutor,
  { checkpoint: { field, argument } }: Pick<LedgerHistory, 'checkpoint'>,
): CheckpointTimes {
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
    async find({ startMs, endMs }, cancellation) {
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
