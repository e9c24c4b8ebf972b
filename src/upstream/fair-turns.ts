/** Milliseconds of work in one turn of the event loop, after which further work waits. */
const turnMs = 8;
/** Milliseconds. Shorter work is not charged to its caller. */
const shortMs = 1;

export interface EventLoop {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Calls back in the next turn of the event loop, after I/O has been polled. */
  readonly nextTurn: (then: () => void) => void;
  /** Calls back in this turn of the event loop, after all promises that can settle have settled. */
  readonly afterPromises: (then: () => void) => void;
}

/**
 * Connections that are accepted in a row before waiting work goes on: 5 to 10 ms. Node accepts one in each turn of the event loop, so
 * that a client would wait for as many turns as there are connections before its own.
 */
const acceptedInARow = 64;

/** Work that waits for the next turn; connections may come first. */
export class LoopTurns {
  readonly #afterPoll: (then: () => void) => void;
  #waiting: (() => void)[] = [];
  #hasAccepted = false;
  #inARow = 0;

  /** @param afterPoll calls back in the next turn, after I/O has been polled */
  constructor(afterPoll: (then: () => void) => void) {
    this.#afterPoll = afterPoll;
  }

  /** Call when a connection was accepted. */
  accepted(): void {
    this.#hasAccepted = true;
  }

  await(then: () => void): void {
    this.#waiting.push(then);
    if (this.#waiting.length === 1) this.#afterPoll(this.#begin);
  }

  readonly #begin = (): void => {
    if (this.#hasAccepted && this.#inARow < acceptedInARow) {
      this.#hasAccepted = false;
      this.#inARow += 1;
      this.#afterPoll(this.#begin);
      return;
    }
    this.#inARow = 0;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const then of waiting) then();
  };
}

export const loopTurns = new LoopTurns((then) => void setImmediate(then));

export const thisEventLoop: EventLoop = {
  now: () => performance.now(),
  nextTurn: (then) => loopTurns.await(then),
  // Node runs `nextTick` callbacks of a microtask only after all other microtasks.
  afterPromises: (then) => queueMicrotask(() => process.nextTick(then)),
};

interface TurnClient {
  onGone(abandon: () => void): void;
}

interface TurnCaller {
  readonly key: string;
  /** Virtual time: milliseconds of work done for the caller, plus the virtual time at its first work. */
  usedMs: number;
  /** Milliseconds of its last work: the next probably takes as long. */
  lastMs: number;
  readonly queue: (() => void)[];
}

/**
 * Shares the event loop between callers, so that no caller waits for the burst of another. Work runs immediately while the turn
 * of the event loop has time left. After 8 ms of work it waits for a later turn, and the caller that has used the least time
 * goes first (start-time fair queueing).
 */
export class FairTurns {
  readonly now: () => number;
  readonly #loop: EventLoop;
  /** Callers with waiting work, and callers that have used more time than others. */
  readonly #callers = new Map<string, TurnCaller>();
  /** The same callers, sorted by `usedMs`; the next one to serve is last. */
  readonly #order: TurnCaller[] = [];
  /** Virtual time now: `usedMs` of the caller that was served last, before its work. */
  #virtualMs = 0;
  #waiting = 0;
  #isTurnRequested = false;
  /**
   * When the turn of the event loop began; `null` = not known. Requesting a turn for every request would cost too much, so it
   * is known only from a millisecond of work on.
   */
  #turnBeganMs: number | null = null;
  /** Milliseconds of work since the last known turn, which stand for the time of this turn until its begin is known. */
  #workMs = 0;
  /** The caller whose work runs, and since when; `null` = none runs. */
  #running: { readonly key: string; readonly beganMs: number } | null = null;

  constructor(loop: EventLoop) {
    this.now = loop.now;
    this.#loop = loop;
  }

  /**
   * Runs work of a caller, now or in the caller's turn. If the client leaves while the work waits, the work runs immediately,
   * so it must first check whether the client is still there.
   * @param key identifies the caller
   * @param client `null` = the work waits whether or not the client leaves
   */
  run<Result>(key: string, client: TurnClient | null, work: () => Result | Promise<Result>): Result | Promise<Result> {
    return this.#run(key, client, work, false);
  }

  /** Like `run`, but before other work of the caller that waits: work in steps completes before the next begins. */
  runNext<Result>(
    key: string,
    client: TurnClient | null,
    work: () => Result | Promise<Result>,
  ): Result | Promise<Result> {
    return this.#run(key, client, work, true);
  }

  #run<Result>(
    key: string,
    client: TurnClient | null,
    work: () => Result | Promise<Result>,
    isNext: boolean,
  ): Result | Promise<Result> {
    const beganMs = this.now();
    if (this.#running !== null) {
      // A step of the running work: it waits again only if the work has become long.
      const isShort = this.#running.key === key && beganMs - this.#running.beganMs < shortMs;
      return isShort ? work() : this.#enqueue(key, client, work, isNext);
    }
    if (this.#waiting > 0 || !this.#hasTimeFor(this.#callers.get(key), beganMs))
      return this.#enqueue(key, client, work, isNext);
    this.#running = { key, beganMs };
    try {
      return work();
    } finally {
      this.#running = null;
      this.#noteWork(key, beganMs);
    }
  }

  /** Like `run`, but always in the caller's turn, which also counts the time of what settles with the work's promise. */
  runQueued<Result>(key: string, client: TurnClient | null, work: () => Result): Promise<Result> {
    return this.#enqueue(key, client, work, false);
  }

  /** Work that probably takes longer than the rest of the turn begins at the start of a turn. */
  #hasTimeFor(caller: TurnCaller | undefined, nowMs: number): boolean {
    const elapsedMs = this.#turnBeganMs === null ? this.#workMs : nowMs - this.#turnBeganMs;
    if (elapsedMs >= turnMs) return false;
    return caller === undefined || elapsedMs < shortMs || elapsedMs + caller.lastMs <= turnMs;
  }

  #noteWork(key: string, beganMs: number): void {
    const nowMs = this.now();
    const workMs = nowMs - beganMs;
    if (workMs >= shortMs) this.#charge(this.#callerOf(key), workMs);
    if (this.#turnBeganMs !== null) return;
    this.#workMs += workMs;
    if (this.#workMs < shortMs) return;
    this.#turnBeganMs = nowMs - this.#workMs;
    this.#requestTurn();
  }

  #enqueue<Result>(
    key: string,
    client: TurnClient | null,
    work: () => Result | Promise<Result>,
    isNext: boolean,
  ): Promise<Result> {
    const { queue } = this.#callerOf(key);
    this.#waiting += 1;
    this.#requestTurn();
    return new Promise((resolve, reject) => {
      const run = () => {
        this.#waiting -= 1;
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      };
      if (isNext) queue.unshift(run);
      else queue.push(run);
      client?.onGone(() => {
        const index = queue.indexOf(run);
        if (index === -1) return;
        queue.splice(index, 1);
        run();
      });
    });
  }

  #requestTurn(): void {
    if (this.#isTurnRequested) return;
    this.#isTurnRequested = true;
    this.#loop.nextTurn(() => {
      this.#isTurnRequested = false;
      this.#turnBeganMs = this.now();
      this.#serve();
    });
  }

  /** Serves waiting work until none is left or the turn has no time left. */
  #serve(): void {
    const beganMs = this.now();
    const caller = this.#takeNext();
    if (!caller) {
      this.#turnBeganMs = null;
      this.#workMs = 0;
      return;
    }
    if (!this.#hasTimeFor(caller, beganMs)) {
      this.#order.push(caller);
      this.#requestTurn();
      return;
    }
    this.#virtualMs = caller.usedMs;
    this.#running = { key: caller.key, beganMs };
    caller.queue.shift()?.();
    this.#loop.afterPromises(() => {
      this.#running = null;
      this.#charge(caller, this.now() - beganMs);
      this.#serve();
    });
  }

  /** Removes the next caller to serve from the queue. Forgets callers without work that have used no more time than others. */
  #takeNext(): TurnCaller | undefined {
    let next = this.#order.pop();
    for (; next && next.queue.length === 0; next = this.#order.pop()) this.#callers.delete(next.key);
    return next;
  }

  #callerOf(key: string): TurnCaller {
    const known = this.#callers.get(key);
    if (known) return known;
    const caller: TurnCaller = { key, usedMs: this.#virtualMs, lastMs: 0, queue: [] };
    this.#callers.set(key, caller);
    this.#insert(caller);
    return caller;
  }

  #charge(caller: TurnCaller, workMs: number): void {
    const index = this.#order.indexOf(caller);
    if (index >= 0) this.#order.splice(index, 1);
    caller.lastMs = workMs;
    caller.usedMs += workMs;
    this.#insert(caller);
  }

  /** Inserts a caller behind all that have used as much time. */
  #insert(caller: TurnCaller): void {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#order[middle]?.usedMs ?? 0) > caller.usedMs) low = middle + 1;
      else high = middle;
    }
    this.#order.splice(low, 0, caller);
  }
}
