import { type ExecutionRequest, executeProgrammable } from '../execution/execute-programmable.ts';
import { executeSystem, type SystemEffects } from '../execution/execute-system.ts';
import type { LedgerView } from '../execution/ledger-view.ts';
import type { ObjectDraft } from '../execution/move-object.ts';
import { TransactionRefusal } from '../execution/refusal.ts';
import {
  clockObjectId,
  createClockObject,
  createEpochEvent,
  createSystemState,
  systemStateId,
} from '../execution/system-objects.ts';
import { checkSignatures } from '../transactions/check-signatures.ts';
import { contentHash, toDigest, transactionDigest } from '../transactions/digest.ts';
import { parseTransactionData } from '../transactions/parse-transaction.ts';
import type { SystemTransaction, TransactionData } from '../transactions/transaction-data.ts';
import { createChain, type HistoryRetention } from './chain.ts';
import type { Clock, ExecutionOutcome, LedgerReader, LedgerWriter } from './ledger-state.ts';
import { createObjectHistory } from './object-history.ts';
import type { CheckpointRecord, ObjectRecord, TransactionRecord } from './records.ts';

export interface LedgerRuntimeOptions {
  readonly clock: Clock;
  readonly referenceGasPrice: bigint;
  readonly nativeCoinType: string;
  /** Checkpoints behind the newest at which live objects can still be read. */
  readonly availableCheckpoints: number;
  readonly retention: HistoryRetention;
  readonly describeCall: LedgerView['describeCall'];
}

/** The working ledger, before it knows its name: state, execution, and the way to write its first transaction. */
export interface LedgerRuntime
  extends LedgerWriter,
    Omit<LedgerReader, 'chainIdentifier' | 'buildVersion' | 'coinMetadata'> {
  /** Must come first: creates the objects and closes checkpoint 0. */
  writeGenesis(objects: readonly ObjectDraft[]): CheckpointRecord;
  /** A transaction whose signatures were made here: verifying each would double the time a start takes. */
  executeTrusted(data: TransactionData, bytes: Uint8Array, signatures: readonly string[]): TransactionRecord;
}

export function createLedgerRuntime(options: LedgerRuntimeOptions): LedgerRuntime {
  const { clock, nativeCoinType, referenceGasPrice, availableCheckpoints } = options;
  const history = createObjectHistory();
  const chain = createChain({ referenceGasPrice, startMs: clock(), retention: options.retention });
  const listeners = new Set<Parameters<LedgerReader['onCheckpoint']>[0]>();

  const now = (): number => Math.max(clock(), chain.newestCheckpoint()?.timestampMs ?? 0);

  /** A checkpoint still to come reads as the newest one: its view would be kept, and be wrong later. */
  const toClosed = (checkpoint: number): number => Math.min(checkpoint, chain.latestCheckpoint().sequenceNumber);

  const view = (): LedgerView => ({
    currentObject: history.current,
    epoch: chain.latestEpoch().epochId,
    referenceGasPrice,
    nativeCoinType,
    timestampMs: now(),
    nextTransactionSequence: chain.nextTransactionSequence(),
    nextEventSequence: chain.nextEventSequence(),
    describeCall: options.describeCall,
  });

  const commit = (transaction: TransactionRecord): TransactionRecord => {
    for (const { output } of transaction.changes) if (output) history.put(output);
    chain.append(transaction);
    return transaction;
  };

  const runSystem = (payload: SystemTransaction, effects: SystemEffects) =>
    commit(executeSystem(payload, effects, view()));

  /** Every consensus commit, so every checkpoint, begins with the transaction that sets the shared clock. */
  const beginCommit = (): void => {
    if (chain.hasPending()) return;
    const clockObject = history.current(clockObjectId);
    const epoch = chain.latestEpoch().epochId;
    const commitTimestampMs = now();
    runSystem(
      {
        kind: 'CONSENSUS_COMMIT_PROLOGUE_V1',
        epoch,
        round: (chain.newestCheckpoint()?.sequenceNumber ?? -1) + 1,
        commitTimestampMs,
      },
      { inputs: clockObject ? [clockObject] : [], outputs: [createClockObject(commitTimestampMs)], events: [] },
    );
  };

  const closePending = (endEpoch: () => void = () => {}): CheckpointRecord => {
    const { checkpoint, taken } = chain.close(now());
    endEpoch();
    // The versions that the oldest checkpoint kept began with are still inputs of its transactions.
    if (chain.prune()) history.forget(chain.firstCheckpoint() - 1);
    for (const listener of [...listeners]) listener(checkpoint, taken);
    return checkpoint;
  };

  const closeCheckpoint = (): CheckpointRecord => {
    beginCommit();
    return closePending();
  };

  const executeTrusted: LedgerRuntime['executeTrusted'] = (data, bytes, signatures) => {
    beginCommit();
    return commit(executeProgrammable({ data, bytes, digest: transactionDigest(bytes), signatures }, view()));
  };

  const parse = (bytes: Uint8Array): TransactionData => {
    try {
      return parseTransactionData(bytes);
    } catch (error) {
      throw new TransactionRefusal(
        `Transaction cannot be deserialized: ${error instanceof Error ? error.message : 'not readable'}`,
      );
    }
  };

  /** Runs `attempt`; a refusal thrown inside becomes an outcome. */
  const toOutcome = (attempt: () => TransactionRecord): ExecutionOutcome => {
    try {
      return { kind: 'executed', transaction: attempt(), replayed: false };
    } catch (error) {
      if (error instanceof TransactionRefusal) return { kind: 'refused', message: error.message };
      throw error;
    }
  };

  return {
    nativeCoinType,
    referenceGasPrice,
    latestCheckpoint: chain.latestCheckpoint,
    checkpoint: chain.checkpoint,
    firstCheckpoint: chain.firstCheckpoint,
    checkpointByDigest: chain.checkpointByDigest,
    firstAvailableCheckpoint: () =>
      Math.max(chain.firstCheckpoint(), chain.latestCheckpoint().sequenceNumber - availableCheckpoints),
    epoch: chain.epoch,
    latestEpoch: chain.latestEpoch,
    transactions: chain.transactions,
    transaction: chain.transaction,
    events: chain.events,
    object: (objectId, at) => {
      if (at && 'version' in at) return history.atVersion(objectId, at.version);
      return history.asOf(objectId, at?.checkpoint ?? chain.latestCheckpoint().sequenceNumber);
    },
    currentObject: history.current,
    objectVersions: history.versions,
    liveObjects: (checkpoint) => history.live(toClosed(checkpoint)),
    ownedObjects: (owner, checkpoint) => history.ownedBy(owner, toClosed(checkpoint)),
    onCheckpoint: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    execute: (bytes, signatures) => {
      const known = chain.transaction(transactionDigest(bytes));
      if (known) return { kind: 'executed', transaction: known, replayed: true };
      return toOutcome(() => {
        const data = parse(bytes);
        const refusal = checkSignatures(data, bytes, signatures);
        if (refusal !== null) throw new TransactionRefusal(refusal);
        return executeTrusted(data, bytes, signatures);
      });
    },
    dryRun: (bytes, { skipChecks = false } = {}) =>
      toOutcome(() => {
        const digest = transactionDigest(bytes);
        const request: ExecutionRequest = {
          data: parse(bytes),
          bytes,
          digest,
          signatures: [],
          isDryRun: true,
          skipChecks,
        };
        return executeProgrammable(request, view());
      }),
    hasPending: chain.hasPending,
    closeCheckpoint,
    advanceEpoch: () => {
      beginCommit();
      const state = { epoch: chain.latestEpoch().epochId + 1, epochStartTimestampMs: now(), referenceGasPrice };
      const before = history.current(systemStateId);
      runSystem(
        { kind: 'END_OF_EPOCH_TX', nextEpoch: state.epoch, epochStartTimestampMs: state.epochStartTimestampMs },
        { inputs: before ? [before] : [], outputs: [createSystemState(state)], events: [createEpochEvent(state)] },
      );
      closePending(() => chain.endEpoch(toSetDigest(history.live(chain.latestCheckpoint().sequenceNumber))));
      return chain.latestEpoch();
    },

    writeGenesis: (objects) => {
      runSystem(
        { kind: 'GENESIS', objectIds: objects.map(({ objectId }) => objectId) },
        { inputs: [], outputs: objects, events: [] },
      );
      return closePending();
    },
    executeTrusted,
  };
}

function toSetDigest(objects: readonly ObjectRecord[]): string {
  const text = objects.map(({ objectId, version, digest }) => `${objectId} ${version} ${digest}`).join('\n');
  return toDigest(contentHash(Buffer.from(`LiveObjectSet:: ${text}`)));
}
