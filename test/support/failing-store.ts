import {
  type SponsorshipStore,
  type StepKind,
  type StepOf,
  type StoreSteps,
  toStore,
} from '../../src/sponsor/store/decide.ts';
import { StoreUnavailableError } from '../../src/sponsor/store/sponsorship-store.ts';

/**
 * `unsent`: the step certainly does not happen. `before`: it does not happen. `after`: it happens, and its response is lost.
 */
export type StoreFault = 'unsent' | 'before' | 'after' | null;

/**
 * A store that fails when a test wants it to.
 * @param nextFault called before each step
 */
export function failingStore(store: SponsorshipStore, nextFault: () => StoreFault): SponsorshipStore {
  const steps: StoreSteps = store;
  const take = async <Kind extends StepKind>(kind: Kind, step: StepOf<Kind>) => {
    const fault = nextFault();
    if (fault === 'unsent') throw new StoreUnavailableError(undefined, true);
    if (fault === 'before') throw new StoreUnavailableError();
    const answer = await steps[kind](step);
    if (fault === 'after') throw new StoreUnavailableError();
    return answer;
  };
  return toStore(take, () => store.close());
}
