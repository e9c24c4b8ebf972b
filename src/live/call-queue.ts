import type { Cancellation } from '../upstream/cancellation.ts';
import type { Clock } from './clock.ts';

export interface CallQueueOptions {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly maxAtOnce: number;
  /** As many may begin at once after a quiet second. */
  readonly maxPerSecond: number;
}

/** Bounds the calls to an upstream. Callers take turns, however many calls each of them wants. */
export class CallQueue {
  readonly #options: CallQueueOptions;
  /** What begins a call, by caller. The caller whose turn it is comes first. */
  readonly #waiting = new Map<string, Set<() => void>>();
  #running = 0;
  /** When the calls that have begun would all have begun, had they kept their distance from one another. */
  #dueMs = Number.NEGATIVE_INFINITY;
  /** Set while the next call may not begin yet. */
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
