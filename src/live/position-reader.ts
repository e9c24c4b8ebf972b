import { type Clock, createPace, type Pace, type PaceOptions } from './clock.ts';
import {
  type ItemPosition,
  type LivePage,
  PositionFailedError,
  PositionLostError,
  type PositionPage,
} from './live-source.ts';
import type { Progress } from './progress.ts';

/** A fault of a page, in words, and the item that shows it. */
interface PageFault {
  readonly what: string;
  readonly key: string;
}

/** Milliseconds for which a fault is rejected. After that it counts as the upstream's own order. */
const refusedForMs = 5_000;
/** Milliseconds after which a fault that was not seen again counts as new. */
const forgottenAfterMs = 3_000;
const maxPending = 256;
const maxAcceptedFaults = 1_024;

/** The upstream answered with a page that contradicts itself. */
export class PageRefusedError extends Error {
  override readonly name = 'PageRefusedError';
}

/** The fault of a page without an item that the upstream has. */
export const unreadableItem = 'has an item of an unknown form';

/**
 * Rejects pages that are out of order, repeat an item, do not advance or lack an item of an unknown form: a retry usually brings a better page. Accepts a page that
 * keeps its fault for 5 s, because streams would wait for ever otherwise. All readers of a query share one.
 */
export class PageJudge {
  readonly #now: () => number;
  readonly #onAccepted: (fault: string) => void;
  readonly #pending = new Map<string, { readonly key: string; sinceMs: number; lastMs: number }>();
  readonly #accepted = new Set<string>();

  /** @param onAccepted called with each fault in words when a page is accepted in spite of it */
  constructor({ now }: Pick<Clock, 'now'>, onAccepted: (fault: string) => void) {
    this.#now = now;
    this.#onAccepted = onAccepted;
  }

  /** @returns the page without items that earlier pages had @throws PageRefusedError */
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
      this.#onAccepted(fault.what);
    }
    for (const oldest of this.#accepted) {
      if (this.#accepted.size <= maxAcceptedFaults) break;
      this.#accepted.delete(oldest);
    }
  }

  /** A read got no page: the time since the last one with a fault does not count, and the fault is not forgotten. */
  pause(): void {
    const nowMs = this.#now();
    for (const fault of this.#pending.values()) {
      const pausedMs = nowMs - fault.lastMs;
      if (pausedMs > forgottenAfterMs) continue;
      fault.sinceMs += pausedMs;
      fault.lastMs = nowMs;
    }
  }

  #clear({ entries }: PositionPage, from: ItemPosition | null): void {
    if (this.#pending.size === 0) return;
    const keys = new Set([from?.key ?? '', ...entries.map(({ key }) => key)]);
    for (const [name, { key }] of this.#pending) if (keys.has(key)) this.#pending.delete(name);
  }
}

/** The faults of a page that should follow a position. They would deliver items twice, out of order or not at all. */
export function findPageFaults(
  { entries, hasMore, mark = null, misplaced = [], unreadableAfter = [] }: PositionPage,
  from: ItemPosition | null,
): PageFault[] {
  const faults = misplaced.map((key) => ({ what: 'is out of order', key }));
  for (const key of unreadableAfter) faults.push({ what: unreadableItem, key });
  if (entries.length === 0 && hasMore && (mark === null || mark === from?.mark))
    faults.push({ what: 'is empty and says that there is more', key: from?.key ?? '' });
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
  { entries, hasMore, mark }: PositionPage<Entry>,
  from: ItemPosition | null,
): PositionPage<Entry> {
  const at = entries.findLastIndex(({ key }) => key === from?.key);
  const rest = [...new Map(entries.slice(at + 1).map((entry) => [entry.key, entry])).values()];
  return { entries: rest, hasMore: hasMore && (rest.length > 0 || mark != null), mark };
}

function nameOf({ what, key }: PageFault): string {
  return `${key} ${what}`;
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value);
  const [oldest = ''] = map.keys();
  if (map.size > maxPending) map.delete(oldest);
}

export const unavailableReason =
  'The upstream did not answer when the stream was opened. What happened until now may be left out.';

export const unknownReason = 'The upstream does not know the place to go on from. The stream goes on from now.';

/** For `afterFailure`, where the upstream answers, and may answer better later. */
const checkAgainMs = 1_000;

export interface PositionReaderOptions<Item> {
  readonly readAfter: (position: ItemPosition | null) => Promise<LivePage<Item>>;
  /** Does the upstream answer for the newest items, where it fails for older ones? */
  readonly answersNow: () => Promise<boolean>;
  readonly judge: PageJudge;
  readonly clock: Clock;
  readonly pace: PaceOptions;
  /**
   * How long the upstream may not know a position, or fail there and answer elsewhere, in milliseconds, before it counts as lost.
   * Only time between answers that follow one another counts: before and after an outage, two may be minutes apart.
   */
  readonly lostAfterMs: number;
  readonly progress: Progress;
}

/** A position that the upstream does not know. */
export interface LostPosition<Item> {
  /** `null` = before the oldest item. */
  readonly lost: ItemPosition | null;
  readonly reason: string;
  /** What the upstream still has begins with this page; `null` if the upstream has not dropped the position, or may not have. */
  readonly oldest: LivePage<Item> | null;
}

/** Reads pages behind positions. Decides after a failure when to retry, and when a position is lost. */
export class PositionReader<Item> {
  readonly pace: Pace;
  readonly #options: PositionReaderOptions<Item>;
  #unknown: { readonly key: string; lostMs: number; lastMs: number | null } | null = null;

  constructor(options: PositionReaderOptions<Item>) {
    this.#options = options;
    this.pace = createPace(options.pace, options.clock);
  }

  /** @throws PositionLostError, PageRefusedError, or the failure of the upstream: see `recover` */
  async read(position: ItemPosition | null): Promise<LivePage<Item>> {
    const { readAfter, judge, progress } = this.#options;
    progress.waitFor('an answer');
    const page = await readAfter(position);
    // The upstream knows the position, even if the page is refused.
    this.#unknown = null;
    return judge.take(page, position);
  }

  /** @returns the loss of the position, or milliseconds until the next attempt */
  async recover(error: unknown, position: ItemPosition | null): Promise<LostPosition<Item> | number> {
    const isUnknown = error instanceof PositionLostError;
    if (!isUnknown && !(error instanceof PositionFailedError)) return this.retryAfter(error);
    const { clock, lostAfterMs, progress } = this.#options;
    progress.waitFor(isUnknown ? 'the upstream to know the place to go on from' : toWish(error));
    const { key = '' } = position ?? {};
    if (this.#unknown?.key !== key) this.#unknown = { key, lostMs: 0, lastMs: null };
    const unknown = this.#unknown;
    unknown.lostMs += clock.now() - (unknown.lastMs ?? clock.now());
    unknown.lastMs = clock.now();
    let oldest: LivePage<Item> | null = null;
    try {
      if (!position) throw error;
      oldest = await this.#readOldestIfDropped(position);
    } catch (failure) {
      if (!(await this.#options.answersNow())) return this.retryAfter(failure);
    }
    if (!oldest && unknown.lostMs < lostAfterMs) return this.pace.afterFailure(checkAgainMs);
    const fromNow = isUnknown
      ? unknownReason
      : 'The upstream fails to read on from this place. The stream goes on from now.';
    this.#unknown = null;
    const reason = oldest ? 'The upstream no longer keeps what was there.' : fromNow;
    return { lost: position, reason, oldest };
  }

  /** @returns milliseconds until the next attempt */
  retryAfter(error: unknown): number {
    const isRefused = error instanceof PageRefusedError;
    this.interrupt();
    if (!isRefused) this.#options.judge.pause();
    this.#options.progress.waitFor(toWish(error));
    return this.pace.afterFailure(isRefused ? checkAgainMs : undefined);
  }

  /** The time until the next answer does not count towards the loss of a position. */
  interrupt(): void {
    if (this.#unknown) this.#unknown.lastMs = null;
  }

  /**
   * Reads the oldest page. If even its first item is not older than the lost position, the upstream dropped everything up to the
   * position. Otherwise the position should be there, and another node may know it.
   */
  async #readOldestIfDropped(lost: ItemPosition): Promise<LivePage<Item> | null> {
    const { readAfter, judge } = this.#options;
    const page = await readAfter(null);
    const [first] = page.entries;
    const isDropped =
      first !== undefined &&
      first.key !== lost.key &&
      first.timestampMs !== null &&
      lost.timestampMs !== null &&
      first.timestampMs >= lost.timestampMs;
    return isDropped ? judge.take(page, null) : null;
  }
}

function toWish(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `a better answer than: ${message.slice(0, 200)}`;
}
