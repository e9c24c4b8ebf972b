import { type Cancellation, createCancellation, type OpenCancellation } from '../upstream/cancellation.ts';
import type { Turns } from '../upstream/fair-turns.ts';
import type { Clock } from './clock.ts';
import type { ItemPosition, LivePage } from './live-source.ts';
import type { PageJudge } from './position-reader.ts';

export interface HistoryCallsOptions {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly maxAtOnce: number;
  /** Also the size of a burst after a quiet second. */
  readonly maxPerSecond: number;
  /** The turns in which the streams continue: thousands may have requested one page. */
  readonly turns: Turns;
}

/** One call for all streams that request the same page. */
interface SharedCall {
  readonly key: string;
  /** The caller of the first of them, whose turn it takes. */
  readonly caller: string;
  readonly begin: () => void;
  readonly answer: Promise<unknown>;
  readonly cancellation: OpenCancellation;
  members: number;
}

export interface Requester {
  readonly caller: string;
  readonly cancellation: Cancellation;
}

/**
 * Bounds the rate and the concurrency of calls to an upstream. Callers take turns, however many calls each requests; streams that
 * request the same page at the same time share a call. A stream that is cancelled is rejected at once, and does not affect the
 * others; the call is cancelled when no stream is left.
 */
export class HistoryCalls {
  readonly #options: HistoryCallsOptions;
  /** Calls that have not ended, by key. */
  readonly #shared = new Map<string, SharedCall>();
  /** Calls that have not begun, by caller. The caller whose turn it is comes first. */
  readonly #waiting = new Map<string, Set<SharedCall>>();
  #running = 0;
  /** When the next call would begin if all calls were evenly spaced. */
  #dueMs = Number.NEGATIVE_INFINITY;
  /** Stops the timer for the next call; `null` = the next call may begin now. */
  #stopTimer: (() => void) | null = null;

  constructor(options: HistoryCallsOptions) {
    this.#options = options;
  }

  /** @param key equal for calls with the same answer */
  get<Value>(
    key: string,
    call: (cancellation: Cancellation) => Promise<Value>,
    { caller, cancellation: own }: Requester,
  ): Promise<Value> {
    const shared = this.#shared.get(key) ?? this.#add(key, caller, call);
    shared.members += 1;
    return new Promise((resolve, reject) => {
      const stopListening = own.onCancel(() => {
        shared.members -= 1;
        if (shared.members === 0) this.#giveUp(shared);
        reject(new Error('given up'));
      });
      const inTurn = (settle: () => void) =>
        this.#options.turns.add(() => {
          stopListening();
          settle();
        });
      shared.answer.then(
        (value) => inTurn(() => resolve(value as Value)),
        (error: unknown) => inTurn(() => reject(error)),
      );
      this.#beginSome();
    });
  }

  #add(key: string, caller: string, call: (cancellation: Cancellation) => Promise<unknown>): SharedCall {
    const cancellation = createCancellation();
    let begin = () => {};
    const answer = new Promise((resolve) => {
      begin = () => resolve(call(cancellation));
    }).finally(() => {
      this.#running -= 1;
      this.#forget(shared);
      this.#beginSome();
    });
    const shared: SharedCall = { key, caller, begin, answer, cancellation, members: 0 };
    this.#shared.set(key, shared);
    this.#waiting.set(caller, (this.#waiting.get(caller) ?? new Set()).add(shared));
    return shared;
  }

  #giveUp(shared: SharedCall): void {
    this.#forget(shared);
    const own = this.#waiting.get(shared.caller);
    if (own?.delete(shared) && own.size === 0) this.#waiting.delete(shared.caller);
    if (this.#waiting.size === 0) {
      this.#stopTimer?.();
      this.#stopTimer = null;
    }
    shared.cancellation.cancel('aborted');
  }

  #beginSome(): void {
    const { clock, maxAtOnce, maxPerSecond } = this.#options;
    while (this.#running < maxAtOnce && !this.#stopTimer) {
      const [[caller = '', own] = []] = this.#waiting;
      const [next] = own ?? [];
      if (!own || !next) return;
      const nowMs = clock.now();
      const waitMs = this.#dueMs - nowMs - 1_000;
      if (waitMs > 0) {
        this.#stopTimer = clock.after(waitMs, () => {
          this.#stopTimer = null;
          this.#beginSome();
        });
        return;
      }
      this.#dueMs = Math.max(this.#dueMs, nowMs) + 1_000 / maxPerSecond;
      // The caller's next call comes behind those of the others.
      own.delete(next);
      this.#waiting.delete(caller);
      if (own.size > 0) this.#waiting.set(caller, own);
      this.#running += 1;
      next.begin();
    }
  }

  #forget(shared: SharedCall): void {
    if (this.#shared.get(shared.key) === shared) this.#shared.delete(shared.key);
  }
}

/** Reads older items of a query, for streams that are not live yet. */
export interface History<Item> {
  readonly judge: PageJudge;
  /** Reads one page for all streams at this position. @param upTo see `LiveSource.after` */
  pageAfter(position: ItemPosition | null, requester: Requester, upTo: ItemPosition | null): Promise<LivePage<Item>>;
}
