import { RingLink } from '../upstream/ring-link.ts';

/** A connection that sends something at regular intervals, so that it is kept open. */
export class Beating extends RingLink {
  /** Monotonic milliseconds of its next beat; infinite without any. */
  dueMs = Number.POSITIVE_INFINITY;

  beat(): void {}
}

/** Members that are due within this part of the interval beat together. */
const together = 1 / 1_000;
/** Members that beat in one turn of the event loop: about a millisecond. A pause would otherwise join all that wait for good. */
const maxInTurn = 64;

/** Calls `beat` of each member once per interval. One timer serves them all: ten thousand streams need no timer each. */
export class Heartbeats {
  readonly #everyMs: number;
  /** In the order in which they are due, since the interval of all is equal. */
  readonly #ring = new Beating();
  /** Stops the waiting for the next beat; `null` = there is no member. */
  #stopWaiting: (() => void) | null = null;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** The first beat is one interval from now. */
  add(member: Beating): void {
    member.dueMs = performance.now() + this.#everyMs;
    member.insertBefore(this.#ring);
    if (!this.#stopWaiting) this.#wait();
  }

  /** Safe to call twice. */
  remove(member: Beating): void {
    member.remove();
    if (!this.#ring.isAlone) return;
    this.#stopWaiting?.();
    this.#stopWaiting = null;
  }

  #wait(): void {
    const timer = setTimeout(
      () => {
        // The gateway reads first what arrived during a busy turn, because it may be the answer to the last beat.
        const immediate = setImmediate(() => this.#beat());
        this.#stopWaiting = () => clearImmediate(immediate);
      },
      Math.max(0, this.#ring.next.dueMs - performance.now()),
    );
    this.#stopWaiting = () => clearTimeout(timer);
  }

  #beat(): void {
    const nowMs = performance.now();
    const untilMs = nowMs + this.#everyMs * together;
    this.#stopWaiting = null;
    try {
      for (let left = maxInTurn; left > 0 && this.#ring.next.dueMs <= untilMs; left -= 1) {
        const member = this.#ring.next;
        member.remove();
        member.dueMs = nowMs + this.#everyMs;
        member.insertBefore(this.#ring);
        member.beat();
      }
    } finally {
      if (!this.#ring.isAlone && !this.#stopWaiting) this.#wait();
    }
  }
}
