import { type Clock, createPace, type Pace, type PaceOptions } from './clock.ts';
import { type ItemPosition, type LivePage, PositionLostError } from './live-source.ts';
import { type PageJudge, PageRefusedError } from './page-judge.ts';
import type { Progress } from './progress.ts';

export const unavailableReason =
  'The upstream did not answer when the stream was opened. What happened until now may be left out.';

/** For `afterFailure`, where the upstream answers, and may answer better later. */
const checkAgainMs = 1_000;

export interface PositionReaderOptions<Item> {
  readonly readAfter: (position: ItemPosition | null) => Promise<LivePage<Item>>;
  readonly judge: PageJudge;
  readonly clock: Clock;
  readonly pace: PaceOptions;
  /**
   * How long the upstream may not know a position, in milliseconds, before it counts as lost. Only time between answers that
   * follow one another counts: before and after an outage, two may be minutes apart.
   */
  readonly lostAfterMs: number;
  readonly progress: Progress;
}

/** A position that the upstream does not know. */
export interface Loss<Item> {
  readonly lost: ItemPosition;
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
  async recover(error: unknown, position: ItemPosition | null): Promise<Loss<Item> | number> {
    if (!(error instanceof PositionLostError) || !position) return this.retryAfter(error);
    const { clock, lostAfterMs, progress } = this.#options;
    progress.waitFor('the upstream to know the place to go on from');
    if (this.#unknown?.key !== position.key) this.#unknown = { key: position.key, lostMs: 0, lastMs: null };
    const unknown = this.#unknown;
    unknown.lostMs += clock.now() - (unknown.lastMs ?? clock.now());
    unknown.lastMs = clock.now();
    let oldest: LivePage<Item> | null;
    try {
      oldest = await this.#readOldestIfDropped(position);
    } catch (failure) {
      return this.retryAfter(failure);
    }
    if (!oldest && unknown.lostMs < lostAfterMs) return this.pace.afterFailure(checkAgainMs);
    const reason = oldest
      ? 'The upstream no longer keeps what was there.'
      : 'The upstream does not know the place to go on from. The stream goes on from now.';
    return { lost: position, reason, oldest };
  }

  /** @returns milliseconds until the next attempt */
  retryAfter(error: unknown): number {
    if (this.#unknown) this.#unknown.lastMs = null;
    const message = error instanceof Error ? error.message : String(error);
    this.#options.progress.waitFor(`a better answer than: ${message.slice(0, 200)}`);
    return this.pace.afterFailure(error instanceof PageRefusedError ? checkAgainMs : undefined);
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
