import type { Clock } from './clock.ts';

/** Is told when it is worth asking an upstream. It knows nothing of what there is: that is asked for. */
export interface WatchListener {
  /** Something may have happened, or was missed. */
  news(): void;
  /** Is the upstream being listened to? From `false` on, everything may happen unheard. */
  isUp(isUp: boolean): void;
}

/** An upstream that is listened to. */
export interface Watch {
  /** Something happened that was not told: what was listened to may be dead, whatever it says. */
  doubt(): void;
  stop(): void;
}

/** What one attempt to listen comes to. Nothing is told after `down`, or once it has been left. */
export interface WatchAttempt {
  up(): void;
  news(): void;
  /** @param isRefused the upstream is there, but does not take it: it is not worth asking soon */
  down(isRefused: boolean): void;
}

/** @returns leaves it. Must not call back before it returns */
export type Listen = (attempt: WatchAttempt) => () => void;

const firstRetryMs = 500;
const longestRetryMs = 30_000;
const refusedMs = 60_000;
/** One that was up for so long begins anew: it was no vain attempt. */
const soundMs = 30_000;

/** Listens to an upstream again and again, behind whoever is told: ever more seldom while that is vain. */
export function keepWatch(listen: Listen, listener: WatchListener, clock: Clock): Watch {
  let leave = () => {};
  let cancelRetry = () => {};
  let failures = 0;
  let isStopped = false;
  let upSinceMs: number | null = null;
  /** Of the attempt that counts. */
  let attempt = 0;

  function begin(): void {
    attempt += 1;
    const own = attempt;
    const isCurrent = () => own === attempt && !isStopped;
    leave = listen({
      up() {
        if (!isCurrent() || upSinceMs !== null) return;
        upSinceMs = clock.now();
        listener.isUp(true);
      },
      news() {
        if (isCurrent()) listener.news();
      },
      down(isRefused) {
        if (isCurrent()) lose(isRefused);
      },
    });
  }

  function lose(isRefused: boolean): void {
    attempt += 1;
    leave = () => {};
    if (upSinceMs !== null && clock.now() - upSinceMs >= soundMs) failures = 0;
    const longest = isRefused ? refusedMs : Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(failures, 16));
    failures += 1;
    const wasUp = upSinceMs !== null;
    upSinceMs = null;
    cancelRetry = clock.after(longest * (0.5 + clock.random() / 2), begin);
    if (wasUp) listener.isUp(false);
  }

  begin();
  return {
    doubt() {
      if (isStopped || upSinceMs === null) return;
      leave();
      lose(false);
    },
    stop() {
      isStopped = true;
      cancelRetry();
      leave();
    },
  };
}
