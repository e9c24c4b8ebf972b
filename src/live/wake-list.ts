import type { Turns } from '../upstream/fair-turns.ts';

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
