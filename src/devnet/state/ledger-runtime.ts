import { toDigest, transactionDigest } from '../../transactions/digest.ts';
import { executeProgrammable } from '../execution/execute-programmable.ts';
import type { SystemEffects } from '../execution/execute-system.ts';
import type { LedgerView } from '../execution/ledger-view.ts';
import type { ObjectDraft } from '../execution/move-object.ts';
import { TransactionRefusal } from '../execution/refusal.ts';
import { createEpochEvent, createSystemState, type SystemState, systemStateId } from '../execution/system-objects.ts';
import { checkSignatures } from '../transactions/check-signatures.ts';
import { contentHash } from '../transactions/content-hash.ts';
import { parseTransactionData } from '../transactions/parse-transaction.ts';
import type { AnyTransactionData } from '../transactions/system-transaction.ts';
import { createChain } from './chain.ts';
import { createCommitter } from './committer.ts';
import type { HistoryRetention } from './kept-history.ts';
import { createLedgerReads } from './ledger-reads.ts';
import type { Clock, ExecutionOutcome, LedgerReader, LedgerWriter } from './ledger-state.ts';
import { createObjectHistory, type ObjectHistory } from './object-history.ts';
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

/**
 * The working ledger, without the facts that need its genesis: state, execution, and how to write its first
 * transaction.
 */
export interface LedgerRuntime
  extends LedgerWriter,
    Omit<LedgerReader, 'chainIdentifier' | 'buildVersion' | 'coinMetadata'> {
  /** Must come first: creates the objects and closes checkpoint 0. */
  writeGenesis(objects: readonly ObjectDraft[]): CheckpointRecord;
  /**
   * Executes a transaction without verifying its signatures, which were made here: verifying would double the time a
   * start takes.
   */
  executeTrusted(data: AnyTransactionData, bytes: Uint8Array, signatures: () => readonly string[]): TransactionRecord;
}

export function createLedgerRuntime(options: LedgerRuntimeOptions): LedgerRuntime {
  const { clock, nativeCoinType, referenceGasPrice, availableCheckpoints, retention, describeCall } = options;
  const history = createObjectHistory();
  const chain = createChain({ referenceGasPrice, startMs: clock(), retention });
  const committer = createCommitter({ chain, history, clock, referenceGasPrice, nativeCoinType, describeCall });
  const reads = createLedgerReads({ chain, history, nativeCoinType, referenceGasPrice, availableCheckpoints });
  const { view, commit, commitSystem, beginCheckpoint, closeCheckpoint } = committer;

  const executeTrusted: LedgerRuntime['executeTrusted'] = (data, bytes, signatures) => {
    beginCheckpoint();
    return commit(executeProgrammable({ data, bytes, digest: transactionDigest(bytes), signatures }, view()));
  };

  return {
    ...reads,
    onCheckpoint: committer.onCheckpoint,
    execute: (bytes, signatures) => {
      const known = chain.transaction(transactionDigest(bytes));
      if (known) return { kind: 'executed', transaction: known, replayed: true };
      return toOutcome(() => {
        const data = parse(bytes);
        const refusal = checkSignatures(data, bytes, signatures);
        if (refusal !== null) throw new TransactionRefusal(refusal);
        return executeTrusted(data, bytes, () => signatures);
      });
    },
    executeTrusted,
    dryRun: (bytes, { skipChecks = false } = {}) =>
      toOutcome(() => {
        const digest = transactionDigest(bytes);
        const data = parse(bytes);
        return executeProgrammable({ data, bytes, digest, signatures: () => [], isDryRun: true, skipChecks }, view());
      }),
    hasPending: chain.hasPending,
    closeCheckpoint: () => {
      beginCheckpoint();
      return closeCheckpoint();
    },
    advanceEpoch: () => {
      beginCheckpoint();
      const epoch = chain.latestEpoch().epochId + 1;
      commitSystem(...toEpochChange({ epoch, epochStartTimestampMs: committer.now(), referenceGasPrice }, history));
      closeCheckpoint(() => chain.endEpoch(toSetDigest(history.live(chain.latestCheckpoint().sequenceNumber))));
      return chain.latestEpoch();
    },
    writeGenesis: (objects) => {
      const objectIds = objects.map(({ objectId }) => objectId);
      commitSystem({ kind: 'GENESIS', objectIds }, { inputs: [], outputs: objects, events: [] });
      return closeCheckpoint();
    },
  };
}

function parse(bytes: Uint8Array): AnyTransactionData {
  try {
    return parseTransactionData(bytes);
  } catch (error) {
    throw new TransactionRefusal(
      `Transaction cannot be deserialized: ${error instanceof Error ? error.message : 'not readable'}`,
    );
  }
}

/** Runs `attempt`; a refusal thrown inside becomes an outcome. */
function toOutcome(attempt: () => TransactionRecord): ExecutionOutcome {
  try {
    return { kind: 'executed', transaction: attempt(), replayed: false };
  } catch (error) {
    if (error instanceof TransactionRefusal) return { kind: 'refused', message: error.message };
    throw error;
  }
}

/** The transaction that ends an epoch: it rewrites the system state. */
function toEpochChange(state: SystemState, history: ObjectHistory) {
  const before = history.current(systemStateId);
  const { epoch: nextEpoch, epochStartTimestampMs } = state;
  const effects: SystemEffects = {
    inputs: before ? [before] : [],
    outputs: [createSystemState(state)],
    events: [createEpochEvent(state)],
  };
  return [{ kind: 'END_OF_EPOCH_TX', nextEpoch, epochStartTimestampMs }, effects] as const;
}

function toSetDigest(objects: readonly ObjectRecord[]): string {
  const text = objects.map(({ objectId, version, digest }) => `${objectId} ${version} ${digest}`).join('\n');
  return toDigest(contentHash(Buffer.from(`LiveObjectSet:: ${text}`)));
}
