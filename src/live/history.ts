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
  readonly call: (cancellation: Cancellation) => Promise<unknown>;
  readonly cancellation: OpenCancellation;
  readonly members: Set<Member>;
}

interface Member {
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
  stopListening: () => void;
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
    return new Promise((resolve, reject) => {
      const shared = this.#shared.get(key) ?? this.#add({ key, caller, call, cancellation: createCancellation() });
      const member: Member = { resolve, reject, stopListening() {} };
      shared.members.add(member);
      member.stopListening = own.onCancel(() => {
        shared.members.delete(member);
        if (shared.members.size === 0) this.#giveUp(shared);
        reject(new Error('given up'));
      });
      this.#beginSome();
    });
  }

  #add(given: Omit<SharedCall, 'members'>): SharedCall {
    const shared = { ...given, members: new Set<Member>() };
    this.#shared.set(shared.key, shared);
    this.#waiting.set(shared.caller, (this.#waiting.get(shared.caller) ?? new Set()).add(shared));
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
      this.#begin(next);
    }
  }

  #begin(shared: SharedCall): void {
    this.#running += 1;
    void shared
      .call(shared.cancellation)
      .finally(() => {
        this.#running -= 1;
        this.#forget(shared);
        this.#beginSome();
      })
      .then(
        (value) => this.#settle(shared, ({ resolve }) => resolve(value as never)),
        (error: unknown) => this.#settle(shared, ({ reject }) => reject(error)),
      );
  }

  /** Tells the waiting streams of a page that it arrived or failed, a few in each turn of the event loop. */
  #settle({ members }: SharedCall, settle: (member: Member) => void): void {
    const round = members.values();
    const settleNext = () => {
      const { done, value: member } = round.next();
      if (done) return;
      this.#options.turns.add(settleNext);
      member.stopListening();
      settle(member);
    };
    this.#options.turns.add(settleNext);
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
