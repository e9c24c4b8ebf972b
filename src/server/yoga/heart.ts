/** What tells streams when to say something, so that both sides notice that the other is gone. */
export interface Heart {
  /** @returns stops it; safe to call twice */
  onBeat(listener: () => void): () => void;
}

/** Proxies drop connections that are silent for a minute. */
const usualBeatMs = 15_000;
/** All do not say it at once, for ten thousand take a while: so many times between two beats it is the turn of some of them. */
const turns = 15;

/** One timer for all streams, and none while there are none. */
export function createHeart(everyMs = usualBeatMs): Heart {
  const all = Array.from({ length: turns }, () => new Set<() => void>());
  let count = 0;
  let turn = 0;
  let last = 0;
  let timer: NodeJS.Timeout | undefined;
  const beat = () => {
    turn = (turn + 1) % turns;
    for (const each of all[turn] as Set<() => void>) each();
  };
  return {
    onBeat(listener) {
      last = (last + 1) % turns;
      const some = all[last] as Set<() => void>;
      some.add(listener);
      count += 1;
      timer ??= setInterval(beat, everyMs / turns);
      return () => {
        if (!some.delete(listener)) return;
        count -= 1;
        if (count > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
