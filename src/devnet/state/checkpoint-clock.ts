import type { SignedTransaction } from '../genesis/activity.ts';
import type { Ledger } from './ledger-state.ts';

export interface CheckpointClockOptions {
  readonly ledger: Pick<
    Ledger,
    'closeCheckpoint' | 'advanceEpoch' | 'latestCheckpoint' | 'latestEpoch' | 'execute' | 'hasPending'
  >;
  /** Time between checkpoints, milliseconds. 0 = only `tick` and `close` make any. */
  readonly intervalMs: number;
  /** Intervals in which the ledger has no history yet are left out. Default: it has one. */
  readonly hasHistory?: () => boolean;
  /** Called at every interval, before anything else happens in it. */
  readonly onInterval?: () => void;
  /** Checkpoints after which an epoch ends. Default 300; 0 = epochs never end. */
  readonly checkpointsPerEpoch?: number;
  /** The transactions of the network's own users, so that live streams have something to show. Default: none. */
  readonly activity?: {
    next(): SignedTransaction;
    /** A transaction is sent in every n-th checkpoint. */
    readonly everyCheckpoints: number;
  };
  /**
   * Memory fills with checkpoints, so a network that nobody uses slows down: this many intervals after the last
   * transaction from outside, it closes only every `slowdown`-th checkpoint. Default 2400, 20.
   */
  readonly idle?: { readonly afterIntervals: number; readonly slowdown: number };
}

export interface CheckpointClock {
  /** Performs one interval of the clock now. */
  tick(): void;
  /** Closes a checkpoint now, and ends the epoch if it is due. Sends no transaction, and skips nothing. */
  close(): void;
  stop(): void;
}

/** Closes a checkpoint each interval, if it has one. Its timer does not keep the process alive. */
export function startCheckpointClock(options: CheckpointClockOptions): CheckpointClock {
  const { ledger, activity, hasHistory = () => true, checkpointsPerEpoch = 300 } = options;
  const { idle = { afterIntervals: 2400, slowdown: 20 } } = options;
  let quietIntervals = 0;

  const act = (checkpoint: number): void => {
    if (!activity || checkpoint % activity.everyCheckpoints !== 0) return;
    const { bytes, signatures } = activity.next();
    ledger.execute(bytes, signatures());
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

  const timer = options.intervalMs > 0 ? setInterval(() => hasHistory() && tick(), options.intervalMs) : undefined;
  timer?.unref();
  return { tick, close, stop: () => clearInterval(timer) };
}
