import { type Cancellation, createCancellation, type OpenCancellation } from '../upstream/cancellation.ts';
import type { CallQueue } from './call-queue.ts';

interface SharedCall<Value> {
  readonly answer: Promise<Value>;
  readonly cancellation: OpenCancellation;
  members: number;
}

/** Who wants an answer. */
export interface Asker {
  readonly caller: string;
  readonly cancellation: Cancellation;
}

/**
 * Makes one call for all who want the same answer at the same time. An asker that gives up hears so at once and does not affect
 * the others; the call is cancelled when nobody waits for it any more.
 */
export class SharedCalls<Value> {
  readonly #queue: CallQueue;
  readonly #underWay = new Map<string, SharedCall<Value>>();

  constructor(queue: CallQueue) {
    this.#queue = queue;
  }

  /** @param key the same for the same answer */
  get(
    key: string,
    call: (cancellation: Cancellation) => Promise<Value>,
    { caller, cancellation: own }: Asker,
  ): Promise<Value> {
    const shared = this.#underWay.get(key) ?? this.#begin(key, call, caller);
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

  #begin(key: string, call: (cancellation: Cancellation) => Promise<Value>, caller: string): SharedCall<Value> {
    const cancellation = createCancellation();
    const answer = this.#queue
      .run(caller, () => call(cancellation), cancellation)
      .finally(() => this.#forget(key, shared));
    const shared: SharedCall<Value> = { answer, cancellation, members: 0 };
    this.#underWay.set(key, shared);
    return shared;
  }

  #forget(key: string, shared: SharedCall<Value>): void {
    if (this.#underWay.get(key) === shared) this.#underWay.delete(key);
  }
}
