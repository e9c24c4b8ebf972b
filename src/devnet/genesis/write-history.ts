import type { LedgerRuntime } from '../state/ledger-runtime.ts';
import type { SignedTransaction } from './activity.ts';
import type { GenesisOptions } from './genesis-options.ts';

export interface HistoryInputs {
  readonly runtime: Pick<LedgerRuntime, 'executeTrusted' | 'closeCheckpoint' | 'advanceEpoch'>;
  readonly activity: { next(): SignedTransaction };
  readonly options: GenesisOptions;
  /** Moves the ledger's clock to the time at which checkpoint `sequenceNumber` closes. */
  setTime(sequenceNumber: number): void;
}

/** One checkpoint in this many holds two transactions instead of one. */
const busyEvery = 10;

/**
 * Writes one checkpoint after genesis with each step. An epoch ends with each `checkpointsPerEpoch`-th one, except the newest: the
 * last epoch stays open.
 */
export function* writeHistory({ runtime, activity, options, setTime }: HistoryInputs): Generator<void, void> {
  const newest = options.checkpoints - 1;
  for (let sequenceNumber = 1; sequenceNumber <= newest; sequenceNumber += 1) {
    setTime(sequenceNumber);
    const transactions = sequenceNumber % busyEvery === 0 ? 2 : 1;
    for (let count = 0; count < transactions; count += 1) {
      const { data, bytes, signatures } = activity.next();
      runtime.executeTrusted(data, bytes, signatures);
    }
    const isLastOfEpoch = (sequenceNumber + 1) % options.checkpointsPerEpoch === 0 && sequenceNumber < newest;
    if (isLastOfEpoch) runtime.advanceEpoch();
    else runtime.closeCheckpoint();
    yield;
  }
}
