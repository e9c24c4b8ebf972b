export interface SharesOptions {
  /** Of all members together. */
  readonly total: number;
  /** Each member has this much, however many there are. */
  readonly least: number;
}

/** Divides something, such as memory, evenly among its members. */
export interface Shares {
  /**
   * Counts a member.
   * @param onLess called when there is less for each because another member has come
   * @returns takes it off again; safe to call twice
   */
  enter(onLess?: () => void): () => void;
  /** What each member may have at this moment. */
  share(): number;
}

export function createShares({ total, least }: SharesOptions): Shares {
  let members = 0;
  const listeners = new Set<() => void>();
  return {
    enter(onLess) {
      members += 1;
      for (const listener of listeners) listener();
      // One function may be given several times.
      const listener = onLess && (() => onLess());
      if (listener) listeners.add(listener);
      let isIn = true;
      return () => {
        if (!isIn) return;
        isIn = false;
        members -= 1;
        if (listener) listeners.delete(listener);
      };
    },
    share: () => Math.max(least, total / Math.max(1, members)),
  };
}
