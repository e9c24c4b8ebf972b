import { type Cancellation, createCancellation, type OpenCancellation } from '../upstream/cancellation.ts';
import type { Clock } from './clock.ts';
import type { ItemPosition, LivePage } from './live-source.ts';
import type { PageJudge } from './position-reader.ts';
import type { Turns } from './turns.ts';

export interface CallQueueOptions {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly maxAtOnce: number;
  /** Also the size of a burst after a quiet second. */
  readonly maxPerSecond: number;
}

/** Bounds the rate and the concurrency of calls to an upstream. Callers take turns, however many calls each requests. */
export class CallQueue {
  readonly #options: CallQueueOptions;
  /** Functions that begin a call, by caller. The caller whose turn it is comes first. */
  readonly #waiting = new Map<string, Set<() => void>>();
  #running = 0;
  /** When the next call would begin if all calls were evenly spaced. */
  #dueMs = Number.NEGATIVE_INFINITY;
  /** Stops the timer for the next call; `null` = the next call may begin now. */
  #stopTimer: (() => void) | null = null;

  constructor(options: CallQueueOptions) {
    this.#options = options;
  }

  /** Makes a call when it is its turn. Rejects if it is cancelled before that. */
  run<Value>(caller: string, call: () => Promise<Value>, cancellation: Cancellation): Promise<Value> {
    return new Promise((resolve, reject) => {
      let stopListening = () => {};
      const begin = () => {
        stopListening();
        this.#running += 1;
        const end = () => {
          this.#running -= 1;
          this.#beginSome();
        };
        call().finally(end).then(resolve, reject);
      };
      const own = this.#waiting.get(caller) ?? new Set();
      this.#waiting.set(caller, own.add(begin));
      stopListening = cancellation.onCancel(() => {
        own.delete(begin);
        if (own.size === 0 && this.#waiting.get(caller) === own) this.#waiting.delete(caller);
        if (this.#waiting.size === 0) this.#stopWaiting();
        reject(new Error('given up'));
      });
      this.#beginSome();
    });
  }

  #beginSome(): void {
    const { clock, maxAtOnce, maxPerSecond } = this.#options;
    while (this.#running < maxAtOnce && this.#waiting.size > 0 && !this.#stopTimer) {
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
      this.#takeNext()?.();
    }
  }

  #stopWaiting(): void {
    this.#stopTimer?.();
    this.#stopTimer = null;
  }

  #takeNext(): (() => void) | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [caller, own] = first;
    const [begin] = own;
    this.#waiting.delete(caller);
    if (begin) own.delete(begin);
    if (own.size > 0) this.#waiting.set(caller, own);
    return begin;
  }
}

interface SharedCall<Value> {
  readonly cancellation: OpenCancellation;
  readonly members: Set<Member<Value>>;
}

interface Member<Value> {
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
  stopListening: () => void;
}

export interface Requester {
  readonly caller: string;
  readonly cancellation: Cancellation;
}

/**
 * Makes one call for all streams that request the same page at the same time. A stream that is cancelled is rejected at once, and
 * does not affect the others; the call is cancelled when no stream is left.
 */
export class SharedCalls<Value> {
  readonly #queue: CallQueue;
  readonly #turns: Turns;
  readonly #underWay = new Map<string, SharedCall<Value>>();

  /** @param turns in which the streams continue: thousands may have requested one page */
  constructor(queue: CallQueue, turns: Turns) {
    this.#queue = queue;
    this.#turns = turns;
  }

  /** @param key equal for calls with the same answer */
  get(
    key: string,
    call: (cancellation: Cancellation) => Promise<Value>,
    { caller, cancellation: own }: Requester,
  ): Promise<Value> {
    const shared = this.#underWay.get(key) ?? this.#begin(key, call, caller);
    return new Promise((resolve, reject) => {
      const member: Member<Value> = { resolve, reject, stopListening() {} };
      shared.members.add(member);
      member.stopListening = own.onCancel(() => {
        shared.members.delete(member);
        if (shared.members.size === 0) {
          this.#forget(key, shared);
          shared.cancellation.cancel('aborted');
        }
        reject(new Error('given up'));
      });
    });
  }

  #begin(key: string, call: (cancellation: Cancellation) => Promise<Value>, caller: string): SharedCall<Value> {
    const cancellation = createCancellation();
    const shared: SharedCall<Value> = { cancellation, members: new Set() };
    this.#underWay.set(key, shared);
    void this.#queue
      .run(caller, () => call(cancellation), cancellation)
      .finally(() => this.#forget(key, shared))
      .then(
        (value) => this.#settle(shared, ({ resolve }) => resolve(value)),
        (error: unknown) => this.#settle(shared, ({ reject }) => reject(error)),
      );
    return shared;
  }

  /** Tells the waiting streams of a page that it arrived or failed, a few in each turn of the event loop. */
  #settle({ members }: SharedCall<Value>, settle: (member: Member<Value>) => void): void {
    const round = members.values();
    const settleNext = () => {
      const { done, value: member } = round.next();
      if (done) return;
      this.#turns.add(settleNext);
      member.stopListening();
      settle(member);
    };
    this.#turns.add(settleNext);
  }

  #forget(key: string, shared: SharedCall<Value>): void {
    if (this.#underWay.get(key) === shared) this.#underWay.delete(key);
  }
}

/** Reads older items of a query, for streams that are not live yet. */
export interface History<Item> {
  readonly judge: PageJudge;
  /** Reads one page for all streams at this position. @param upTo see `LiveSource.after` */
  pageAfter(position: ItemPosition | null, requester: Requester, upTo: ItemPosition | null): Promise<LivePage<Item>>;
}
