/** What tells streams when to say something, so that both sides notice that the other is gone. */
export interface Heart {
  /** @returns stops it; safe to call twice */
  onBeat(listener: () => void): () => void;
}

/** Proxies drop connections that are silent for a minute. */
const usualBeatMs = 15_000;

/** One timer for all streams, and none while there are none. */
export function createHeart(everyMs = usualBeatMs): Heart {
  const listeners = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  return {
    onBeat(listener) {
      listeners.add(listener);
      timer ??= setInterval(() => {
        for (const each of listeners) each();
      }, everyMs);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
