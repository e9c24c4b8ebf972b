import { last } from './last.ts';
import type { Mutable } from './mutable.ts';
import type { CheckpointRecord, EpochRecord } from './records.ts';

export interface EpochsOptions {
  readonly referenceGasPrice: bigint;
  /** When the first one begins, in milliseconds since the Unix epoch. */
  readonly startMs: number;
}

/** The epochs that are remembered, in order. The newest is always open. */
export function createEpochs({ referenceGasPrice, startMs }: EpochsOptions) {
  const open = (epochId: number, since: number, firstCheckpoint: number, firstTransaction: number): EpochRecord => ({
    epochId,
    referenceGasPrice,
    startMs: since,
    endMs: null,
    firstCheckpoint,
    endCheckpoint: null,
    firstTransaction,
    totalGasFees: 0n,
    liveObjectSetDigest: null,
  });
  const epochs: EpochRecord[] = [open(0, startMs, 0, 0)];
  const latest = (): EpochRecord => last(epochs, 'epoch');

  return {
    latest,
    at: (epochId: number): EpochRecord | undefined => epochs[epochId - (epochs[0]?.epochId ?? 0)],
    setFees: (totalGasFees: bigint): void => {
      (latest() as Mutable<EpochRecord>).totalGasFees = totalGasFees;
    },
    /** Makes a checkpoint the last one of the newest epoch and opens the next epoch. */
    endWith: ({ sequenceNumber, timestampMs, endTransaction }: CheckpointRecord, liveObjectSetDigest: string) => {
      const ended = latest() as Mutable<EpochRecord>;
      ended.endMs = timestampMs;
      ended.endCheckpoint = sequenceNumber + 1;
      ended.liveObjectSetDigest = liveObjectSetDigest;
      const next = open(ended.epochId + 1, timestampMs, sequenceNumber + 1, endTransaction);
      epochs.push(next);
      return next;
    },
    /** Drops the epochs that ended before a checkpoint. */
    dropBefore: (firstCheckpoint: number): void => {
      const kept = epochs.findIndex(({ endCheckpoint }) => endCheckpoint === null || endCheckpoint > firstCheckpoint);
      epochs.splice(0, kept);
    },
  };
}
