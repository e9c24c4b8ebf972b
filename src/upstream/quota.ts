export interface QuotaOptions {
  /** Maximum in this process. */
  readonly max: number;
  /** Maximum of one caller. */
  readonly maxPerCaller: number;
}

/** A bound that a caller has reached. */
export interface ReachedBound {
  readonly of: 'caller' | 'gateway';
  readonly max: number;
}

export type Quota = ReturnType<typeof createQuota>;
export type QuotaShare = ReturnType<Quota['take']>;

/** Bounds how many of something, such as streams or sockets, exist at once: in this process and per caller. */
export function createQuota({ max, maxPerCaller }: QuotaOptions) {
  /** By caller; callers without any are left out. */
  const taken = new Map<string, number>();
  let all = 0;
  return {
    /** The bound that prevents the caller from taking this many more; `null` = none does. */
    boundOf(caller: string, count = 1): ReachedBound | null {
      if ((taken.get(caller) ?? 0) + count > maxPerCaller) return { of: 'caller', max: maxPerCaller };
      return all + count > max ? { of: 'gateway', max } : null;
    },
    /** Counts them without checking the bounds. @returns two functions that are safe to call twice */
    take(caller: string, count = 1) {
      taken.set(caller, (taken.get(caller) ?? 0) + count);
      all += count;
      const leaveCaller = once(() => {
        const rest = (taken.get(caller) ?? count) - count;
        if (rest > 0) taken.set(caller, rest);
        else taken.delete(caller);
      });
      const leave = once(() => {
        leaveCaller();
        all -= count;
      });
      return { leaveCaller, leave };
    },
  };
}

/** A function that does its work at most once. */
export function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}
