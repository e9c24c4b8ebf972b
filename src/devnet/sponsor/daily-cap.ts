import type { Clock } from '../state/ledger-state.ts';

const dayMs = 86_400_000;

/** Gas the sponsor has paid today; the day is UTC's. */
export interface DailyCap {
  isExceeded(): boolean;
  /** @param gas net gas of an executed transaction; a refund does not count */
  add(gas: bigint): void;
}

export function createDailyCap(cap: bigint, clock: Clock): DailyCap {
  let day = 0;
  let used = 0n;
  const today = (): void => {
    const current = Math.floor(clock() / dayMs);
    if (current !== day) used = 0n;
    day = current;
  };
  return {
    isExceeded() {
      today();
      return used >= cap;
    },
    add(gas) {
      today();
      if (gas > 0n) used += gas;
    },
  };
}
