/** Whose work it is. A piece of work whose client has left is not waited for any longer. */
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

/** Milliseconds of one turn of the event loop after which further work waits for the next turn. */
const budgetMs = 8;
/** Milliseconds. Less is neither charged to a caller by itself nor a reason to look at the turn. */
const notableMs = 1;

/**
 * Shares the event loop between callers. Work runs at once while a turn has time left. Beyond that it waits, and the caller
 * that has used the least time is served first (start-time fair queueing), so that nobody waits for another caller's burst.
 */
export class FairTurns {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly #options: FairTurnsOptions;
  /** By key: callers with work that waits, and those that have used more time than others. */
  readonly #callers = new Map<string, TurnCaller>();
  /** The same callers, the one to be served next at the end. */
  readonly #order: TurnCaller[] = [];
  /** Virtual time: what the caller served last had used before. */
  #servedAt = 0;
  #waiting = 0;
  #isAwaitingTurn = false;
  /** Milliseconds that work took in this turn, before `#since`. */
  #usedMs = 0;
  /** From then on all time counts as used, until the next turn; `null` = this turn is short so far. */
  #since: number | null = null;
  /** The key of the caller whose piece of work runs; `null` = none. */
  #running: string | null = null;
  #began = 0;

  constructor(options: FairTurnsOptions) {
    this.now = options.now;
    this.#options = options;
  }

  /**
   * Does a piece of work of a caller: now, or when it is the caller's turn. If the client leaves while the work waits, it is
   * called at once, so it must begin by looking whether there still is a client.
   * @param key under which the caller is counted
   */
  run<Result>(key: string, client: TurnClient, work: () => Result | Promise<Result>): Result | Promise<Result> {
    const at = this.now();
    if (this.#running !== null) {
      // The next step of the piece that runs: a short one need not wait again.
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

  /** A piece that is likely to take longer than is left of the turn is begun at the beginning of one only. */
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

  /** Does pieces of work one after another, until the turn has no time left. */
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

  /** The caller to be served next. Forgets callers without work that have used no more than it. */
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

  /** Puts a caller behind all that have used as much. */
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
  /** Virtual time: all that it has used, in milliseconds, on top of what others had when it came. */
  servedAt: number;
  /** What its last piece took, in milliseconds: the next one is likely to take as long. */
  lastMs: number;
  readonly pieces: (() => void)[];
}
