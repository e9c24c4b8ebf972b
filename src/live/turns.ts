/** One step of some work. @returns is there more of it? */
type Step = () => boolean;

export interface TurnsOptions {
  /** Milliseconds that only go forward. */
  readonly now: () => number;
  /** Calls back in the next turn of the event loop. */
  readonly defer: (then: () => void) => void;
}

const realTurns: TurnsOptions = { now: () => performance.now(), defer: (then) => void setImmediate(then) };

/** All steps of one turn together take about this long, in milliseconds. */
const turnMs = 8;
/** A step may settle promises, whose work is not measured here, so the number of steps is bounded as well. */
const turnSteps = 64;

/**
 * Delivers news to many subscribers without blocking the event loop: a few steps in each turn, one of each piece of work after
 * the other. All deliveries of a process share one of these, because they share the turn.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #work = new Set<Step>();
  #isRunning = false;
  #isDeferred = false;
  /** Of this turn. */
  #steps = 0;
  #spentMs = 0;

  constructor(options: TurnsOptions = realTurns) {
    this.#options = options;
  }

  /** Repeats a step until it returns `false`; begins at once if this turn has time left. */
  add(step: Step): void {
    this.#work.add(step);
    if (!this.#isRunning) this.#run();
  }

  #run(): void {
    const { now } = this.#options;
    const beganMs = now();
    this.#isRunning = true;
    try {
      while (this.#steps < turnSteps && this.#spentMs + now() - beganMs < turnMs) {
        const [step] = this.#work;
        if (!step) break;
        this.#work.delete(step);
        this.#steps += 1;
        if (step()) this.#work.add(step);
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
      this.#steps = 0;
      this.#spentMs = 0;
      if (this.#work.size > 0) this.#run();
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
  /** Members that the round under way has yet to wake; `null` = no round is under way. */
  #round: Iterator<Wakeable> | null = null;
  /** Has something come that members already woken in this round do not know of? */
  #isStale = false;

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
    if (this.#round) {
      this.#isStale = true;
      return;
    }
    if (this.#members.size === 0) return;
    this.#round = this.#members.values();
    this.#turns.add(this.#wakeNext);
  }

  readonly #wakeNext = (): boolean => {
    const { done, value } = (this.#round as Iterator<Wakeable>).next();
    if (!done) {
      try {
        value.wake();
      } catch (error) {
        // A fault of this member: the others have to be woken.
        this.#turns.add(this.#wakeNext);
        throw error;
      }
      return true;
    }
    this.#round = null;
    if (this.#isStale) {
      this.#isStale = false;
      this.wakeAll();
    }
    return false;
  };
}
