import type { Turns } from './turns.ts';

/** Told when there is something new. */
export interface Follower {
  wake(): void;
}

/** Is handed what a stream tells as soon as it is there. */
export interface Taker<Payload> {
  /** Does it take another one now? When it does again, it calls `resume` of the stream. */
  readonly isReady: boolean;
  take(payload: Payload): void;
  /** The stream has ended by itself: nothing more comes. */
  end(): void;
  /** The same, because of a fault. */
  fail(error: unknown): void;
}

/** Wakes all followers when there is something new, each in a step of its own. */
export class Rounds {
  readonly #turns: Turns;
  readonly #followers = new Set<Follower>();
  /** Followers that the round under way has yet to wake; `null` = no round is under way. */
  #round: Iterator<Follower> | null = null;
  /** Has something come that followers already woken in this round do not know of? */
  #isStale = false;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  /** How many follow. */
  get size(): number {
    return this.#followers.size;
  }

  add(follower: Follower): void {
    this.#followers.add(follower);
  }

  delete(follower: Follower): void {
    this.#followers.delete(follower);
  }

  begin(): void {
    if (this.#round) {
      this.#isStale = true;
      return;
    }
    if (this.#followers.size === 0) return;
    this.#round = this.#followers.values();
    this.#turns.add(this.#wakeNext);
  }

  readonly #wakeNext = (): boolean => {
    const { done, value } = (this.#round as Iterator<Follower>).next();
    if (!done) {
      try {
        value.wake();
      } catch (error) {
        // A fault of this follower, and the others have to be woken.
        this.#turns.add(this.#wakeNext);
        throw error;
      }
      return true;
    }
    this.#round = null;
    if (this.#isStale) {
      this.#isStale = false;
      this.begin();
    }
    return false;
  };
}
