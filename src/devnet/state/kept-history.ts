import { checkpointWeight, transactionWeight } from './record-weight.ts';
import type { CheckpointRecord, EventRecord, TransactionRecord } from './records.ts';

/** The most history that is kept. Live objects are kept whatever their age. */
export interface HistoryRetention {
  readonly checkpoints: number;
  /** Estimated bytes in memory. The newest checkpoint is kept even if it takes more. */
  readonly bytes: number;
}

/** History may exceed its retention by this factor; it is then cut back to it at once. */
const pruneAt = 1 + 1 / 16;

/** The checkpoints that are remembered, with their transactions and events, oldest first. */
export function createKeptHistory(retention: HistoryRetention) {
  const transactions: TransactionRecord[] = [];
  const events: EventRecord[] = [];
  const checkpoints: CheckpointRecord[] = [];
  const byDigest = new Map<string, CheckpointRecord>();
  /** Estimated bytes of each checkpoint, and their sum. */
  const weights: number[] = [];
  let weight = 0;

  const dropOldest = (): TransactionRecord[] => {
    const checkpoint = checkpoints.shift();
    if (!checkpoint) return [];
    weight -= weights.shift() ?? 0;
    byDigest.delete(checkpoint.digest);
    const dropped = transactions.splice(0, checkpoint.endTransaction - checkpoint.firstTransaction);
    const eventCount = dropped.reduce((count, transaction) => count + transaction.events.length, 0);
    events.splice(0, eventCount);
    return dropped;
  };

  return {
    transactions,
    events,
    checkpoints,
    byDigest: (digest: string): CheckpointRecord | undefined => byDigest.get(digest),
    firstCheckpoint: (): number => checkpoints[0]?.sequenceNumber ?? 0,
    add: (checkpoint: CheckpointRecord, taken: readonly TransactionRecord[]): void => {
      for (const transaction of taken) {
        transactions.push(transaction);
        for (const event of transaction.events) events.push(event);
      }
      checkpoints.push(checkpoint);
      byDigest.set(checkpoint.digest, checkpoint);
      const added = taken.reduce((total, transaction) => total + transactionWeight(transaction), checkpointWeight);
      weights.push(added);
      weight += added;
    },
    /**
     * Drops the checkpoints that exceed the retention. Many at once and seldom, since every index of the history has to
     * follow. Returns their transactions; `null` if nothing exceeds it yet.
     */
    prune: (): readonly TransactionRecord[] | null => {
      if (checkpoints.length <= retention.checkpoints * pruneAt && weight <= retention.bytes) return null;
      const dropped: TransactionRecord[] = [];
      while (
        checkpoints.length > 1 &&
        (checkpoints.length > retention.checkpoints || weight > retention.bytes / pruneAt)
      )
        for (const transaction of dropOldest()) dropped.push(transaction);
      return dropped;
    },
  };
}
