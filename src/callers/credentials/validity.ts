import type { Validity } from '../../upstream/operation-context.ts';

/** The validity of a credential that may be withdrawn. */
export class Withdrawable implements Validity {
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  onEnd(then: () => void): () => void {
    if (this.#isOver) {
      then();
      return () => {};
    }
    // The same function may be passed several times.
    const own = () => then();
    this.#waiting.add(own);
    return () => void this.#waiting.delete(own);
  }

  end(): void {
    this.#isOver = true;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const then of waiting) then();
  }
}

/** In milliseconds: the clock may be set while a timer runs, and timers are limited to 25 days. */
const longestTimerMs = 60_000;

/** The validity of a credential that expires. Runs a timer only while there are listeners. @param untilMs milliseconds since the Unix epoch, as `now` */
export function createExpiry(untilMs: number, now: () => number): Validity {
  const credential = new Withdrawable();
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const leftMs = untilMs - now();
    if (leftMs <= 0) credential.end();
    else timer = setTimeout(look, Math.min(leftMs, longestTimerMs)).unref();
  };
  return {
    onEnd(then) {
      const stop = credential.onEnd(then);
      waiting += 1;
      if (waiting === 1) look();
      let isWaiting = true;
      return () => {
        stop();
        if (isWaiting) waiting -= 1;
        isWaiting = false;
        if (waiting === 0) clearTimeout(timer);
      };
    },
  };
}
