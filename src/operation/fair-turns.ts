/** The client that work is done for. Its work stops waiting when it leaves. */
export interface TurnClient {
  readonly onGone: (giveUp: () => void) => void;
}

export interface FairTurnsOptions {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Calls back in the next turn of the event loop, after I/O has been polled. */
  readonly nextTurn: (then: () => void) => void;
  /** Calls back in this turn of the event loop, after all promises that can settle have settled. */
  readonly afterPromises: (then: () => void) => void;
}

/** The clock and the event loop of this process. */
export const thisEventLoop: FairTurnsOptions = {
  now: () => performance.now(),
  nextTurn: (then) => void setImmediate(then),
  // Node runs what `nextTick` was given only when no promise is left to be settled.
  afterPromises: (then) => queueMicrotask(() => process.nextTick(then)),
};

/** Milliseconds of one turn of the event loop after which more work waits for the next turn. */
const budgetMs = 8;
/** Milliseconds. Shorter work is not charged to its caller, and does not count for the turn. */
const notableMs = 1;

/**
 * Shares the event loop between callers. Work runs immediately while a turn has time left. Beyond 8 ms it waits, and the caller
 * that has used the least time is served first (start-time fair queueing), so that no caller waits for the burst of another.
 */
export class FairTurns {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly #options: FairTurnsOptions;
  /** Callers by key: those with waiting work, and those that have used more time than others. */
  readonly #callers = new Map<string, TurnCaller>();
  /** The same callers; the next one to serve is last. */
  readonly #order: TurnCaller[] = [];
  /** Virtual time: the time used by the caller that was served last, before that. */
  #servedAt = 0;
  #waiting = 0;
  #isAwaitingTurn = false;
  /** Milliseconds of work in this turn, before `#since`. */
  #usedMs = 0;
  /** From here on all time counts as used, until the next turn; `null` = this turn is short so far. */
  #since: number | null = null;
  /** Key of the caller whose work runs; `null` = none. */
  #running: string | null = null;
  #began = 0;

  constructor(options: FairTurnsOptions) {
    this.now = options.now;
    this.#options = options;
  }

  /**
   * Runs work of a caller, now or in the caller's turn. If the client leaves while the work waits, it runs immediately, so it
   * must first check whether the client is still there.
   * @param key under which the caller is counted
   */
  run<Result>(key: string, client: TurnClient, work: () => Result | Promise<Result>): Result | Promise<Result> {
    const at = this.now();
    if (this.#running !== null) {
      // The next step of running work: a short one need not wait again.
      const isShort = this.#running === key && at - this.#began < notableMs;
      return isShort ? work() : this.#wait(key, client, work);
    }
    if (this.#waiting > 0 || !this.#hasTimeFor(this.#callers.get(key), at)) return this.#wait(key, client, work);
    this.#running = key;
    this.#began = at;
    try {
      return work();
    } finally {
      this.#running = null;
      this.#noteUse(key, at);
    }
  }

  /** Work that probably takes longer than the rest of the turn begins at the start of a turn. */
  #hasTimeFor(caller: TurnCaller | undefined, at: number): boolean {
    const elapsedMs = this.#since === null ? this.#usedMs : this.#usedMs + at - this.#since;
    return (
      elapsedMs < budgetMs && (caller === undefined || elapsedMs < notableMs || elapsedMs + caller.lastMs <= budgetMs)
    );
  }

  #noteUse(key: string, began: number): void {
    const now = this.now();
    const usedMs = now - began;
    if (usedMs >= notableMs) {
      const caller = this.#callerOf(key);
      caller.lastMs = usedMs;
      caller.servedAt += usedMs;
      this.#order.splice(this.#order.indexOf(caller), 1);
      this.#insert(caller);
    }
    if (this.#since !== null) return;
    this.#usedMs += usedMs;
    if (this.#usedMs < notableMs) return;
    this.#since = now;
    this.#awaitTurn();
  }

  #wait<Result>(key: string, client: TurnClient, work: () => Result | Promise<Result>): Promise<Result> {
    const caller = this.#callerOf(key);
    this.#waiting += 1;
    this.#awaitTurn();
    return new Promise((resolve, reject) => {
      const run = () => {
        this.#waiting -= 1;
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      };
      caller.pieces.push(run);
      client.onGone(() => {
        const at = caller.pieces.indexOf(run);
        if (at === -1) return;
        caller.pieces.splice(at, 1);
        run();
      });
    });
  }

  #awaitTurn(): void {
    if (this.#isAwaitingTurn) return;
    this.#isAwaitingTurn = true;
    this.#options.nextTurn(() => {
      this.#isAwaitingTurn = false;
      this.#usedMs = 0;
      this.#since = this.now();
      this.#serve();
    });
  }

  /** Serves waiting work until the turn has no time left. */
  #serve(): void {
    const began = this.now();
    const caller = this.#next();
    if (!caller) {
      // The turn is over: whatever comes next is another one.
      this.#usedMs = 0;
      this.#since = null;
      return;
    }
    if (!this.#hasTimeFor(caller, began)) {
      this.#awaitTurn();
      return;
    }
    this.#order.pop();
    this.#servedAt = caller.servedAt;
    this.#running = caller.key;
    this.#began = began;
    caller.pieces.shift()?.();
    this.#options.afterPromises(() => {
      this.#running = null;
      caller.lastMs = this.now() - began;
      caller.servedAt += caller.lastMs;
      this.#insert(caller);
      this.#serve();
    });
  }

  /** The caller to serve next. Forgets callers without work that have used no more time than it. */
  #next(): TurnCaller | undefined {
    let next = this.#order.at(-1);
    for (; next && next.pieces.length === 0; next = this.#order.at(-1)) {
      this.#servedAt = next.servedAt;
      this.#callers.delete(next.key);
      this.#order.pop();
    }
    return next;
  }

  #callerOf(key: string): TurnCaller {
    const known = this.#callers.get(key);
    if (known) return known;
    const caller: TurnCaller = { key, servedAt: this.#servedAt, lastMs: 0, pieces: [] };
    this.#callers.set(key, caller);
    this.#insert(caller);
    return caller;
  }

  /** Puts a caller behind all that have used as much time. */
  #insert(caller: TurnCaller): void {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#order[middle]?.servedAt ?? 0) > caller.servedAt) low = middle + 1;
      else high = middle;
    }
    this.#order.splice(low, 0, caller);
  }
}

interface TurnCaller {
  readonly key: string;
  /** Virtual time: milliseconds used, plus the virtual time at which it came. */
  servedAt: number;
  /** Milliseconds of its last work: the next probably takes as long. */
  lastMs: number;
  readonly pieces: (() => void)[];
}
