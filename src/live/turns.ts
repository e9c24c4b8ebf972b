/** One step of some work. @returns is there more of it? */
export type Step = () => boolean;

export interface TurnsOptions {
  /** Milliseconds that only go forward. */
  readonly now: () => number;
  /** Calls back in the next turn of the event loop. */
  readonly defer: (then: () => void) => void;
}

const realTurns: TurnsOptions = { now: () => performance.now(), defer: (then) => void setImmediate(then) };

/** All steps of one turn together take about this long, in milliseconds. */
const turnMs = 8;
/** A step may wake promises whose work nobody measures here, so their number is bounded as well. */
const turnSteps = 64;

/**
 * Delivers news to many subscribers without holding up the event loop: a few steps in each turn, one of each piece of work
 * after the other. All deliveries of a process share one of these, because they share the turn.
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

  /** Repeats a step until it says that there is no more; begins at once if this turn has time left. */
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
