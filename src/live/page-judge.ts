import type { Clock } from './clock.ts';
import type { ItemPosition, PositionPage } from './live-source.ts';

/** A fault of a page, in words, and the item that shows it. */
export interface PageFault {
  readonly what: string;
  readonly key: string;
}

/** Milliseconds for which a fault is rejected. After that it counts as the upstream's own order. */
const refusedForMs = 5_000;
/** A fault that was not seen for so many milliseconds counts as new. */
const forgottenAfterMs = 3_000;
const maxPending = 256;
const maxAcceptedFaults = 1_024;

/** The upstream answered with a page that contradicts itself. */
export class PageRefusedError extends Error {
  override readonly name = 'PageRefusedError';
}

/**
 * Rejects pages that are out of order, repeat an item or do not advance: a retry usually brings a better page. Accepts a page that
 * keeps its fault for 5 s, because streams would wait for ever otherwise. All readers of a query share one.
 */
export class PageJudge {
  readonly #now: () => number;
  readonly #onAccepted: (fault: string) => void;
  readonly #pending = new Map<string, { readonly key: string; readonly sinceMs: number; lastMs: number }>();
  readonly #accepted = new Set<string>();

  /** @param onAccepted called with a fault in words when a page is accepted in spite of it */
  constructor({ now }: Pick<Clock, 'now'>, onAccepted: (fault: string) => void) {
    this.#now = now;
    this.#onAccepted = onAccepted;
  }

  /** @returns the page, without what it repeats @throws PageRefusedError */
  take<Entry extends ItemPosition>(page: PositionPage<Entry>, from: ItemPosition | null): PositionPage<Entry> {
    const faults = findPageFaults(page, from);
    if (faults.length === 0) {
      this.#clear(page, from);
      return page;
    }
    this.acceptIfPersistent(faults);
    return withoutRepeats(page, from);
  }

  /** @throws PageRefusedError unless these faults have lasted for 5 s */
  acceptIfPersistent(faults: readonly PageFault[]): void {
    const nowMs = this.#now();
    const fresh = faults.filter((fault) => !this.#accepted.has(nameOf(fault)));
    let sinceMs = nowMs;
    for (const fault of fresh) {
      const known = this.#pending.get(nameOf(fault));
      const isKnown = known !== undefined && nowMs - known.lastMs <= forgottenAfterMs;
      if (isKnown) known.lastMs = nowMs;
      else keep(this.#pending, nameOf(fault), { key: fault.key, sinceMs: nowMs, lastMs: nowMs });
      sinceMs = Math.min(sinceMs, isKnown ? known.sinceMs : nowMs);
    }
    const [first] = fresh;
    if (!first) return;
    if (nowMs - sinceMs < refusedForMs) throw new PageRefusedError(`a page ${first.what}`);
    for (const fault of fresh) {
      this.#pending.delete(nameOf(fault));
      this.#accepted.add(nameOf(fault));
    }
    for (const oldest of this.#accepted) {
      if (this.#accepted.size <= maxAcceptedFaults) break;
      this.#accepted.delete(oldest);
    }
    this.#onAccepted(first.what);
  }

  #clear({ entries }: PositionPage, from: ItemPosition | null): void {
    if (this.#pending.size === 0) return;
    const keys = new Set([from?.key ?? '', ...entries.map(({ key }) => key)]);
    for (const [name, { key }] of this.#pending) if (keys.has(key)) this.#pending.delete(name);
  }
}

/** The faults of a page that should follow a position. They would deliver items twice or out of order. */
export function findPageFaults(
  { entries, hasMore, misplaced = [] }: PositionPage,
  from: ItemPosition | null,
): PageFault[] {
  if (entries.length === 0)
    return hasMore ? [{ what: 'is empty and says that there is more', key: from?.key ?? '' }] : [];
  const faults = misplaced.map((key) => ({ what: 'is out of order', key }));
  const keys = new Set<string>();
  let latest = from?.timestampMs ?? null;
  for (const { key, timestampMs } of entries) {
    if (key === from?.key) faults.push({ what: 'does not advance', key });
    if (keys.has(key)) faults.push({ what: 'has an item twice', key });
    keys.add(key);
    if (timestampMs !== null && latest !== null && timestampMs < latest) faults.push({ what: 'is out of order', key });
    latest = timestampMs ?? latest;
  }
  return faults;
}

function withoutRepeats<Entry extends ItemPosition>(
  { entries, hasMore }: PositionPage<Entry>,
  from: ItemPosition | null,
): PositionPage<Entry> {
  const at = entries.findLastIndex(({ key }) => key === from?.key);
  const rest = [...new Map(entries.slice(at + 1).map((entry) => [entry.key, entry])).values()];
  return { entries: rest, hasMore: hasMore && rest.length > 0 };
}

function nameOf({ what, key }: PageFault): string {
  return `${key} ${what}`;
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value);
  const [oldest = ''] = map.keys();
  if (map.size > maxPending) map.delete(oldest);
}
