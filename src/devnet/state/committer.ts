import { executeSystem, type SystemEffects } from '../execution/execute-system.ts';
import type { LedgerView } from '../execution/ledger-view.ts';
import { clockObjectId, createClockObject } from '../execution/system-objects.ts';
import type { SystemTransaction } from '../transactions/system-transaction.ts';
import type { Chain } from './chain.ts';
import type { Clock, LedgerReader } from './ledger-state.ts';
import type { ObjectHistory } from './object-history.ts';
import type { CheckpointRecord, TransactionRecord } from './records.ts';

export interface CommitterOptions {
  readonly chain: Chain;
  readonly history: ObjectHistory;
  readonly clock: Clock;
  readonly referenceGasPrice: bigint;
  readonly nativeCoinType: string;
  readonly describeCall: LedgerView['describeCall'];
}

export interface Committer {
  /** The clock's time, never before the newest checkpoint's. */
  now(): number;
  /** The ledger as a transaction that is executed now reads it. */
  view(): LedgerView;
  /** Writes an executed transaction to the ledger, pending until a checkpoint closes. */
  commit(transaction: TransactionRecord): TransactionRecord;
  commitSystem(payload: SystemTransaction, effects: SystemEffects): TransactionRecord;
  /** Call before the first transaction of a checkpoint; does nothing before the others. */
  beginCheckpoint(): void;
  /** @param endEpoch called once the checkpoint is closed, if it is the last of its epoch */
  closeCheckpoint(endEpoch?: () => void): CheckpointRecord;
  readonly onCheckpoint: LedgerReader['onCheckpoint'];
}

/** The only writer of the chain and the object history. */
export function createCommitter(options: CommitterOptions): Committer {
  const { chain, history, clock, referenceGasPrice, nativeCoinType, describeCall } = options;
  const listeners = new Set<Parameters<LedgerReader['onCheckpoint']>[0]>();
  const now = (): number => Math.max(clock(), chain.newestCheckpoint()?.timestampMs ?? 0);

  const view = (): LedgerView => ({
    currentObject: history.current,
    epoch: chain.latestEpoch().epochId,
    referenceGasPrice,
    nativeCoinType,
    timestampMs: now(),
    nextTransactionSequence: chain.nextTransactionSequence(),
    nextEventSequence: chain.nextEventSequence(),
    describeCall,
  });

  const commit = (transaction: TransactionRecord): TransactionRecord => {
    for (const { output } of transaction.changes) if (output) history.put(output);
    chain.append(transaction);
    return transaction;
  };

  const commitSystem = (payload: SystemTransaction, effects: SystemEffects): TransactionRecord =>
    commit(executeSystem(payload, effects, view()));

  return {
    now,
    view,
    commit,
    commitSystem,
    beginCheckpoint: () => {
      if (!chain.hasPending()) commitSystem(...toPrologue(chain, history, now()));
    },
    closeCheckpoint: (endEpoch = () => {}) => {
      const { checkpoint, taken } = chain.close(now());
      endEpoch();
      // Versions from before the oldest checkpoint kept are still inputs of its transactions.
      if (chain.prune()) history.forget(chain.firstCheckpoint() - 1);
      for (const listener of [...listeners]) listener(checkpoint, taken);
      return checkpoint;
    },
    onCheckpoint: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The transaction that sets the shared clock. Every consensus commit, so every checkpoint, begins with one. */
function toPrologue(chain: Chain, history: ObjectHistory, commitTimestampMs: number) {
  const clockObject = history.current(clockObjectId);
  const payload: SystemTransaction = {
    kind: 'CONSENSUS_COMMIT_PROLOGUE_V1',
    epoch: chain.latestEpoch().epochId,
    round: (chain.newestCheckpoint()?.sequenceNumber ?? -1) + 1,
    commitTimestampMs,
  };
  const effects: SystemEffects = {
    inputs: clockObject ? [clockObject] : [],
    outputs: [createClockObject(commitTimestampMs)],
    events: [],
  };
  return [payload, effects] as const;
}
