/** Milliseconds of work in one turn of the event loop, after which further work waits. */
const turnMs = 8;
/** Milliseconds. Shorter work is not charged to its caller. */
const shortMs = 1;

export interface EventLoop {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /**
   * Calls back in the next turn of the event loop, after I/O has been polled.
   * @param postponed called in each turn in which accepting connections comes first
   */
  readonly nextTurn: (then: () => void, postponed: () => void) => void;
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
  #waiting: { readonly then: () => void; readonly postponed: () => void }[] = [];
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

  await(then: () => void, postponed = () => {}): void {
    this.#waiting.push({ then, postponed });
    if (this.#waiting.length === 1) this.#afterPoll(this.#begin);
  }

  readonly #begin = (): void => {
    if (this.#hasAccepted && this.#inARow < acceptedInARow) {
      this.#hasAccepted = false;
      this.#inARow += 1;
      this.#afterPoll(this.#begin);
      for (const { postponed } of this.#waiting) postponed();
      return;
    }
    this.#inARow = 0;
    const waiting = this.#waiting;
    this.#waiting = [];
    callAll(waiting.map(({ then }) => then));
  };
}

/** Calls each, also behind one that throws, and then throws that error. */
export function callAll(callbacks: readonly (() => void)[]): void {
  let fault: { readonly thrown: unknown } | undefined;
  for (const each of callbacks) {
    try {
      each();
    } catch (thrown) {
      fault ??= { thrown };
    }
  }
  if (fault) throw fault.thrown;
}

export const loopTurns = new LoopTurns(setImmediate);

export const thisEventLoop: EventLoop = {
  now: () => performance.now(),
  nextTurn: (then, postponed) => loopTurns.await(then, postponed),
  // Node runs `nextTick` callbacks of a microtask only after all other microtasks.
  afterPromises: (then) => queueMicrotask(() => process.nextTick(then)),
};

/**
 * The time of one turn of the event loop, which all work of the process shares, and the first of two queues for it: steps that
 * belong to no caller, such as deliveries to subscribers. `FairTurns` is the second, for work of callers.
 */
export class Turns {
  readonly now: () => number;
  readonly #nextTurn: EventLoop['nextTurn'];
  readonly #maxSteps: number;
  /**
   * When the turn began; `null` = not known. Requesting a turn for every request would cost too much, so it is known only from a
   * millisecond of work on.
   */
  #beganMs: number | null = null;
  /** Milliseconds of work since the last known turn, which stand for the time of this turn until its begin is known. */
  #workMs = 0;
  #isRequested = false;
  /** What waits for the next turn besides steps, which come first in every other turn. */
  #waiting: (() => void)[] = [];
  #areStepsFirst = false;
  readonly #steps = new Set<() => void>();
  #isStepping = false;
  #stepsTaken = 0;

  /** @param maxSteps of one turn. Bounded too, because a step may settle promises, whose work is not measured */
  constructor({ now, nextTurn }: Pick<EventLoop, 'now' | 'nextTurn'> = thisEventLoop, maxSteps = 64) {
    this.now = now;
    this.#nextTurn = nextTurn;
    this.#maxSteps = maxSteps;
  }

  /** Takes a step once, now if this turn has time left. A step with more to do adds itself again, behind the others. */
  add(step: () => void): void {
    this.#steps.add(step);
    if (!this.#isStepping) this.#takeSteps();
  }

  /** Does not take a step that still waits. */
  remove(step: () => void): void {
    this.#steps.delete(step);
  }

  #takeSteps(): void {
    const beganMs = this.now();
    this.#isStepping = true;
    try {
      for (const step of this.#steps) {
        if (this.#stepsTaken >= this.#maxSteps || this.spentMs(beganMs) >= turnMs) break;
        this.#steps.delete(step);
        this.#stepsTaken += 1;
        step();
      }
    } finally {
      this.#isStepping = false;
      this.note(beganMs);
      this.#request();
    }
  }

  /** Milliseconds of this turn that are used. @param sinceMs begin of work that is not noted yet */
  spentMs(sinceMs: number): number {
    const nowMs = this.now();
    return this.#beganMs === null ? this.#workMs + nowMs - sinceMs : nowMs - this.#beganMs;
  }

  /** Notes work that has ended. @returns its milliseconds */
  note(beganMs: number): number {
    const nowMs = this.now();
    const workMs = nowMs - beganMs;
    if (this.#beganMs !== null) return workMs;
    this.#workMs += workMs;
    if (this.#workMs < shortMs) return workMs;
    this.#beganMs = nowMs - this.#workMs;
    this.#request();
    return workMs;
  }

  /** Calls back in the next turn. */
  await(then: () => void): void {
    this.#waiting.push(then);
    this.#request();
  }

  #request(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    this.#nextTurn(this.#begin, this.#postponed);
  }

  readonly #postponed = (): void => {
    this.#beganMs = this.now();
  };

  readonly #begin = (): void => {
    this.#isRequested = false;
    this.#stepsTaken = 0;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0 && this.#steps.size === 0) {
      this.#beganMs = null;
      this.#workMs = 0;
      return;
    }
    this.#beganMs = this.now();
    // The turn ends with the next one.
    this.#request();
    this.#areStepsFirst = !this.#areStepsFirst;
    const takeSteps = () => this.#takeSteps();
    callAll(this.#areStepsFirst ? [takeSteps, ...waiting] : [...waiting, takeSteps]);
  };
}

/** A client whose work waits. */
export interface TurnClient {
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
  /** The other queue for the same turns. */
  readonly deliveries: Turns;
  readonly #afterPromises: EventLoop['afterPromises'];
  /** Callers with waiting work, and callers that have used more time than others. */
  readonly #callers = new Map<string, TurnCaller>();
  /** The same callers, sorted by `usedMs`; the next one to serve is last. */
  readonly #order: TurnCaller[] = [];
  /** Virtual time now: `usedMs` of the caller that was served last, before its work. */
  #virtualMs = 0;
  #waiting = 0;
  #isTurnRequested = false;
  /** The caller whose work runs, and since when; `null` = none runs. */
  #running: { readonly key: string; readonly beganMs: number } | null = null;

  constructor(loop: EventLoop) {
    this.now = loop.now;
    this.deliveries = new Turns(loop);
    this.#afterPromises = loop.afterPromises;
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
    const caller = this.#callers.get(key);
    // A caller that has used no more time than those that wait would be the next.
    const isNextCaller = this.#waiting === 0 || caller === undefined;
    if (!isNextCaller || !this.#hasTimeFor(caller, beganMs)) return this.#enqueue(key, client, work, isNext);
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
    const elapsedMs = this.deliveries.spentMs(nowMs);
    if (elapsedMs >= turnMs) return false;
    return caller === undefined || elapsedMs < shortMs || elapsedMs + caller.lastMs <= turnMs;
  }

  #noteWork(key: string, beganMs: number): void {
    const workMs = this.deliveries.note(beganMs);
    if (workMs < shortMs) return;
    this.#charge(this.#callerOf(key), workMs);
    // Then callers without work are forgotten.
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
    this.deliveries.await(() => {
      this.#isTurnRequested = false;
      this.#serve();
    });
  }

  /** Serves waiting work until none is left or the turn has no time left. */
  #serve(): void {
    const beganMs = this.now();
    const caller = this.#takeNext();
    if (!caller) return;
    if (!this.#hasTimeFor(caller, beganMs)) {
      this.#order.push(caller);
      this.#requestTurn();
      return;
    }
    this.#virtualMs = caller.usedMs;
    this.#running = { key: caller.key, beganMs };
    caller.queue.shift()?.();
    this.#afterPromises(() => {
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

/** The one budget for all work of this process. */
export const sharedTurns = new FairTurns(thisEventLoop);
