export type Heartbeats = ReturnType<typeof createHeartbeats>;

/** Proxies close connections that are silent for a minute. */
const usualBeatMs = 15_000;
/**
 * Listeners are called in this many groups, spread over the interval: calling ten thousand together would block the event
 * loop.
 */
const groups = 15;

/** Calls listeners at a regular interval, with one timer for all of them, and no timer while there are none. */
export function createHeartbeats(everyMs = usualBeatMs) {
  const listeners = Array.from({ length: groups }, () => new Set<() => void>());
  let count = 0;
  let current = 0;
  let last = 0;
  let timer: NodeJS.Timeout | undefined;
  const beat = () => {
    current = (current + 1) % groups;
    for (const listener of listeners[current] as Set<() => void>) listener();
  };
  return {
    /** @returns stops the calls; safe to call twice */
    onBeat(listener: () => void): () => void {
      last = (last + 1) % groups;
      const group = listeners[last] as Set<() => void>;
      group.add(listener);
      count += 1;
      timer ??= setInterval(beat, everyMs / groups);
      return () => {
        if (!group.delete(listener)) return;
        count -= 1;
        if (count > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
