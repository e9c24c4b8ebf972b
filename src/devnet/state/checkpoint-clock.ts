import type { SignedTransaction } from '../genesis/activity.ts';
import type { Ledger } from './ledger-state.ts';

export interface CheckpointClockOptions {
  readonly ledger: Pick<
    Ledger,
    'closeCheckpoint' | 'advanceEpoch' | 'latestCheckpoint' | 'latestEpoch' | 'execute' | 'hasPending'
  >;
  /** Time between checkpoints, milliseconds. 0 = it runs by hand only. */
  readonly intervalMs: number;
  /** Told of every interval, before anything happens in it. */
  readonly onInterval?: () => void;
  /** Checkpoints after which an epoch ends. Default 300; 0 = epochs never end. */
  readonly checkpointsPerEpoch?: number;
  /** What the network does by itself, so that live streams have something to show. Default: nothing. */
  readonly activity?: {
    next(): SignedTransaction;
    /** One transaction in every so many checkpoints. */
    readonly everyCheckpoints: number;
  };
  /**
   * Everything the ledger remembers is in memory, so a network nobody uses takes its time: so many intervals after the
   * last transaction from outside it closes only every `slowdown`-th one. Default 2400, 20.
   */
  readonly idle?: { readonly afterIntervals: number; readonly slowdown: number };
}

export interface CheckpointClock {
  /** Does what one tick of the clock does, now. */
  tick(): void;
  /** Closes a checkpoint now, and with it the epoch where its time has come. Nobody acts, and nothing is skipped. */
  close(): void;
  stop(): void;
}

/** Closes a checkpoint each interval, if it has one. Its timer does not keep the process alive. */
export function startCheckpointClock(options: CheckpointClockOptions): CheckpointClock {
  const { ledger, activity, checkpointsPerEpoch = 300, idle = { afterIntervals: 2400, slowdown: 20 } } = options;
  let quietIntervals = 0;

  const act = (checkpoint: number): void => {
    if (!activity || checkpoint % activity.everyCheckpoints !== 0) return;
    const { bytes, signatures } = activity.next();
    ledger.execute(bytes, signatures);
  };

  const close = (): void => {
    const next = ledger.latestCheckpoint().sequenceNumber + 1;
    const inEpoch = next - ledger.latestEpoch().firstCheckpoint + 1;
    if (checkpointsPerEpoch > 0 && inEpoch >= checkpointsPerEpoch) ledger.advanceEpoch();
    else ledger.closeCheckpoint();
  };

  const tick = (): void => {
    options.onInterval?.();
    quietIntervals = ledger.hasPending() ? 0 : quietIntervals + 1;
    if (quietIntervals > idle.afterIntervals && quietIntervals % idle.slowdown !== 0) return;
    act(ledger.latestCheckpoint().sequenceNumber + 1);
    close();
  };

  const timer = options.intervalMs > 0 ? setInterval(tick, options.intervalMs) : undefined;
  timer?.unref();
  return { tick, close, stop: () => clearInterval(timer) };
}
