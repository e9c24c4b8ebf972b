import { type SponsorshipStore, StoreUnavailableError } from '../../src/sponsor/store/sponsorship-store.ts';

/**
 * `unsent`: the step certainly does not happen. `before`: it does not happen. `after`: it happens, and its response is lost.
 */
export type StoreFault = 'unsent' | 'before' | 'after' | null;

/**
 * A store that fails when a test wants it to.
 * @param nextFault called before each step
 */
export function failingStore(store: SponsorshipStore, nextFault: () => StoreFault): SponsorshipStore {
  const failing =
    <Arguments extends unknown[], Answer>(step: (...args: Arguments) => Promise<Answer>) =>
    async (...args: Arguments): Promise<Answer> => {
      const fault = nextFault();
      if (fault === 'unsent') throw new StoreUnavailableError(undefined, true);
      if (fault === 'before') throw new StoreUnavailableError();
      const answer = await step(...args);
      if (fault === 'after') throw new StoreUnavailableError();
      return answer;
    };
  return {
    beginReservation: failing(store.beginReservation),
    endReservation: failing(store.endReservation),
    beginExecution: failing(store.beginExecution),
    findExecution: failing(store.findExecution),
    endExecution: failing(store.endExecution),
    claimOverdue: failing(store.claimOverdue),
    findReservation: failing(store.findReservation),
    gasAllowance: failing(store.gasAllowance),
    findSpending: failing(store.findSpending),
    close: () => store.close(),
  };
}
