import type { GraphQLError } from 'graphql';
import type { CancelCause, Cancellation } from '../../upstream/cancellation.ts';

export type Told<Result> = { readonly result: Result } | { readonly error: GraphQLError };

/** Somebody who waits. */
interface Waiter<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: GraphQLError) => void;
  stopListening: () => void;
}

export interface WaitersOptions<Result> {
  /** What somebody is told who is out of time. */
  readonly outOfTime: () => Told<Result>;
  /** The last of those who waited has hung up, or is out of time; he is told after this. */
  readonly leaving: (cause: CancelCause) => void;
  /** The same, a moment later, unless somebody has come meanwhile. */
  readonly left: () => void;
}

const nothing = () => {};

/** Those who wait for one execution. Who hangs up is told at its end all the same; who is out of time is told at once. */
export class Waiters<Result> {
  readonly #options: WaitersOptions<Result>;
  #all: Waiter<Result>[] = [];
  /** Those who have neither hung up nor run out of time. */
  #present = 0;

  constructor(options: WaitersOptions<Result>) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#present === 0;
  }

  /** @param cancellation of the operation that waits */
  join(cancellation: Cancellation): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter<Result> = { resolve, reject, stopListening: nothing };
      this.#all.push(waiter);
      this.#present += 1;
      waiter.stopListening = cancellation.onCancel((cause) => this.#leave(waiter, cause));
    });
  }

  tell(told: Told<Result>): void {
    const all = this.#all;
    this.#all = [];
    this.#present = 0;
    for (const waiter of all) tellOne(waiter, told);
  }

  #leave(waiter: Waiter<Result>, cause: CancelCause): void {
    const { outOfTime, leaving, left } = this.#options;
    this.#present -= 1;
    const tellIfLate = () => {
      if (cause === 'timeout') tellOne(waiter, outOfTime());
    };
    if (this.#present > 0) {
      tellIfLate();
      return;
    }
    leaving(cause);
    // What `leaving` brings about is heard before this.
    setImmediate(() => {
      if (this.#present === 0) left();
      tellIfLate();
    });
  }
}

function tellOne<Result>({ resolve, reject, stopListening }: Waiter<Result>, told: Told<Result>): void {
  stopListening();
  if ('result' in told) resolve(told.result);
  else reject(told.error);
}
