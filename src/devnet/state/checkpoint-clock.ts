import type { SignedTransaction } from '../genesis/activity.ts';
import type { Ledger } from './ledger-state.ts';

export interface CheckpointClockOptions {
  readonly ledger: Pick<Ledger, 'closeCheckpoint' | 'advanceEpoch' | 'latestCheckpoint' | 'latestEpoch' | 'execute'>;
  /** Time between checkpoints, milliseconds. */
  readonly intervalMs: number;
  /** Checkpoints after which an epoch ends. Default 300; 0 = epochs never end. */
  readonly checkpointsPerEpoch?: number;
  /** What the network does by itself, so that live streams have something to show. Default: nothing. */
  readonly activity?: {
    next(): SignedTransaction;
    /** One transaction in every so many checkpoints. */
    readonly everyCheckpoints: number;
  };
}

export interface CheckpointClock {
  /** Does what one tick of the clock does, now. */
  tick(): void;
  stop(): void;
}

/** Closes a checkpoint each interval. Its timer does not keep the process alive. */
export function startCheckpointClock(options: CheckpointClockOptions): CheckpointClock {
  const { ledger, activity, checkpointsPerEpoch = 300 } = options;

  const tick = (): void => {
    const next = ledger.latestCheckpoint().sequenceNumber + 1;
    if (activity && next % activity.everyCheckpoints === 0) {
      const { bytes, signatures } = activity.next();
      ledger.execute(bytes, signatures);
    }
    const inEpoch = next - ledger.latestEpoch().firstCheckpoint + 1;
    if (checkpointsPerEpoch > 0 && inEpoch >= checkpointsPerEpoch) ledger.advanceEpoch();
    else ledger.closeCheckpoint();
  };

  const timer = setInterval(tick, options.intervalMs);
  timer.unref();
  return { tick, stop: () => clearInterval(timer) };
}
