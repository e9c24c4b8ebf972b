import { type Cancellation, createCancellation, type OpenCancellation } from '../upstream/cancellation.ts';

interface SharedCall<Value> {
  readonly answer: Promise<Value>;
  readonly cancellation: OpenCancellation;
  members: number;
}

/**
 * Has all who want the same at the same time share one call, and makes so many calls at once at most. Who gives up is told so at
 * once and does not affect the others; the call is cancelled when nobody is left.
 */
export class SharedCalls<Value> {
  readonly #maxAtOnce: number;
  readonly #underWay = new Map<string, SharedCall<Value>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(maxAtOnce: number) {
    this.#maxAtOnce = maxAtOnce;
  }

  /** @param key the same for the same answer */
  get(key: string, call: (cancellation: Cancellation) => Promise<Value>, own: Cancellation): Promise<Value> {
    const shared = this.#underWay.get(key) ?? this.#begin(key, call);
    shared.members += 1;
    return new Promise((resolve, reject) => {
      const stopListening = own.onCancel(() => {
        shared.members -= 1;
        if (shared.members === 0) {
          this.#forget(key, shared);
          shared.cancellation.cancel('aborted');
        }
        reject(new Error('given up'));
      });
      shared.answer.then(resolve, reject).finally(stopListening);
    });
  }

  #begin(key: string, call: (cancellation: Cancellation) => Promise<Value>): SharedCall<Value> {
    const cancellation = createCancellation();
    const start = async () => {
      this.#running += 1;
      try {
        if (cancellation.cause) throw new Error('given up');
        return await call(cancellation);
      } finally {
        this.#forget(key, shared);
        this.#running -= 1;
        this.#waiting.shift()?.();
      }
    };
    const isFree = this.#running < this.#maxAtOnce;
    const answer = isFree ? start() : new Promise<void>((resolve) => this.#waiting.push(resolve)).then(start);
    const shared: SharedCall<Value> = { answer, cancellation, members: 0 };
    this.#underWay.set(key, shared);
    return shared;
  }

  #forget(key: string, shared: SharedCall<Value>): void {
    if (this.#underWay.get(key) === shared) this.#underWay.delete(key);
  }
}
