export interface TurnsOptions {
  /** Milliseconds that only go forward. */
  readonly now: () => number;
  /** Calls back in the next turn of the event loop. */
  readonly defer: (then: () => void) => void;
  /** Steps of one turn. Bounded too, because a step may settle promises, whose work is not measured here. */
  readonly maxSteps: number;
}

/** All steps of one turn together take about this long, in milliseconds. */
const turnMs = 8;

/**
 * Spreads work over turns of the event loop, so that it does not block: a few steps in each turn. All deliveries of a process
 * share one of these, because they share the turn.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #steps = new Set<() => void>();
  #isRunning = false;
  #isDeferred = false;
  /** Steps taken in this turn, and their time. */
  #taken = 0;
  #spentMs = 0;

  constructor(options: Partial<TurnsOptions> = {}) {
    this.#options = {
      now: () => performance.now(),
      defer: (then) => void setImmediate(then),
      maxSteps: 64,
      ...options,
    };
  }

  /** Takes a step once, now if this turn has time left. A step with more to do adds itself again, behind the others. */
  add(step: () => void): void {
    this.#steps.add(step);
    if (!this.#isRunning) this.#run();
  }

  #run(): void {
    const { now, maxSteps } = this.#options;
    const beganMs = now();
    this.#isRunning = true;
    try {
      for (const step of this.#steps) {
        if (this.#taken >= maxSteps || this.#spentMs + now() - beganMs >= turnMs) break;
        this.#steps.delete(step);
        this.#taken += 1;
        step();
      }
    } finally {
      this.#isRunning = false;
      this.#spentMs += now() - beganMs;
      this.#deferTheRest();
    }
  }

  #deferTheRest(): void {
    if (this.#isDeferred) return;
    this.#isDeferred = true;
    this.#options.defer(() => {
      this.#isDeferred = false;
      this.#taken = 0;
      this.#spentMs = 0;
      if (this.#steps.size > 0) this.#run();
    });
  }
}

/** Called when there is something new. */
export interface Wakeable {
  wake(): void;
}

/** Wakes all its members when there is something new, each in a step of its own. */
export class WakeList {
  readonly #turns: Turns;
  readonly #members = new Set<Wakeable>();
  /** Members that the round in progress has yet to wake; `null` = there is no round. */
  #round: Iterator<Wakeable> | null = null;
  /** Must another round follow, for members that were woken before the last call of `wakeAll`? */
  #isRepeated = false;
  #waiting: (() => void)[] = [];

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  get size(): number {
    return this.#members.size;
  }

  add(member: Wakeable): void {
    this.#members.add(member);
  }

  delete(member: Wakeable): void {
    this.#members.delete(member);
  }

  wakeAll(): void {
    this.#isRepeated = this.#round !== null;
    if (this.#round || this.#members.size === 0) return;
    this.#round = this.#members.values();
    this.#turns.add(this.#wakeNext);
  }

  /** Resolves when every member has been woken. */
  async idle(): Promise<void> {
    if (this.#round) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  readonly #wakeNext = (): void => {
    const step = this.#round?.next();
    if (step && !step.done) {
      // First, since `wake` may throw.
      this.#turns.add(this.#wakeNext);
      step.value.wake();
      return;
    }
    this.#round = null;
    if (this.#isRepeated) this.wakeAll();
    if (!this.#round) for (const resolve of this.#waiting.splice(0)) resolve();
  };
}
