/**
 * How long lookups wait for a root field that is slow, in milliseconds: less than any operation may take, so that one upstream
 * that hangs does not cost the joins of the others.
 */
const longestWaitMs = 1_000;

/** The root fields of one operation that are under way and have joins. Lookups wait for all of them, to travel together. */
export class OpenRoots {
  #open = 0;
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @returns to be called when the field is there, or has failed; calling it again does nothing */
  open(): () => void {
    let isOpen = true;
    this.#open += 1;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#open -= 1;
      // The last field asks for its own joins in this turn.
      if (this.#open === 0) setImmediate(() => this.#release());
    };
  }

  /** Calls back once no field is under way, at the end of the turn at the earliest. */
  whenNone(send: () => void): void {
    if (this.#open === 0 && this.#waiting.length === 0) {
      void Promise.resolve().then(() => process.nextTick(send));
      return;
    }
    this.#waiting.push(send);
    this.#timer ??= setTimeout(() => this.#release(), longestWaitMs).unref();
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const send of this.#waiting.splice(0)) send();
  }
}
