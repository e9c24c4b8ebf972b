/** One who is told when there is something new. */
export interface Follower {
  wake(): void;
}

/** One who is handed what a stream tells as soon as it is there. */
export interface Taker<Payload> {
  /** Does it take another one now? When it does again, it calls `resume` of the stream. */
  readonly isReady: boolean;
  take(payload: Payload): void;
  /** The stream has ended by itself: nothing more comes. */
  end(): void;
  /** The same, for a reason that nobody foresaw. */
  fail(error: unknown): void;
}

/** So many are woken in one turn of the event loop: requests of others come between. */
const mostAtOnce = 256;

/** Wakes all who follow when there is something new, some of them in each turn of the event loop. */
export class Rounds {
  readonly #followers = new Set<Follower>();
  /** Those whom the round under way still comes to; `null` = none is. */
  #round: Iterator<Follower> | null = null;
  /** Has something come that those whom the round has passed do not know of? */
  #isStale = false;

  add(follower: Follower): void {
    this.#followers.add(follower);
  }

  delete(follower: Follower): void {
    this.#followers.delete(follower);
  }

  begin(): void {
    this.#isStale = this.#round !== null;
    if (this.#round) return;
    this.#round = this.#followers.values();
    this.#wakeSome(this.#round);
  }

  #wakeSome(round: Iterator<Follower>): void {
    for (let woken = 0; woken < mostAtOnce; woken += 1) {
      const { done, value } = round.next();
      if (done) {
        this.#round = null;
        if (this.#isStale) this.begin();
        return;
      }
      try {
        value.wake();
      } catch (error) {
        // It is a fault of ours, and not theirs who come next.
        setImmediate(() => this.#wakeSome(round));
        throw error;
      }
    }
    setImmediate(() => this.#wakeSome(round));
  }
}
