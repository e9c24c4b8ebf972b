import { addGas, zeroGas } from '../execution/gas-schedule.ts';
import { toCheckpointDigest, toSimulatedSignature } from './checkpoint-digest.ts';
import { createEpochs, type EpochsOptions } from './epochs.ts';
import { createKeptHistory, type HistoryRetention } from './kept-history.ts';
import { last } from './last.ts';
import { createLedgerTotals } from './ledger-totals.ts';
import type { Mutable } from './mutable.ts';
import type { CheckpointRecord, EventRecord, GasSummary, ObjectRecord, TransactionRecord } from './records.ts';

export interface ChainOptions extends EpochsOptions {
  readonly retention: HistoryRetention;
}

export type Chain = ReturnType<typeof createChain>;

/**
 * Transactions in order, the checkpoints that hold them, the epochs that hold those. A transaction is pending until a
 * checkpoint closes. Closing is the only time a record changes after it was made: it gets its checkpoint and takes its
 * timestamp, as on the real network. History over the retention is dropped, whole checkpoints at a time, without
 * changing the numbers of what follows.
 */
export function createChain({ retention, ...options }: ChainOptions) {
  const history = createKeptHistory(retention);
  const { checkpoints } = history;
  const epochs = createEpochs(options);
  const totals = createLedgerTotals();
  const pending = createPending();
  /** Pending transactions too. */
  const byDigest = new Map<string, TransactionRecord>();

  const close = (timestampMs: number): { checkpoint: CheckpointRecord; taken: readonly TransactionRecord[] } => {
    const { taken, firstTransaction, endTransaction } = pending.take();
    const previous = checkpoints.at(-1);
    const sequenceNumber = previous === undefined ? 0 : previous.sequenceNumber + 1;
    for (const transaction of taken) {
      complete(transaction, sequenceNumber, timestampMs);
      totals.add(transaction);
    }
    const place = { sequenceNumber, timestampMs, epoch: epochs.latest().epochId, firstTransaction, endTransaction };
    const checkpoint: CheckpointRecord = { ...toSummary(place, previous, taken), ...totals.read() };
    history.add(checkpoint, taken);
    epochs.setFees(checkpoint.rollingGasSummary.computationCost);
    return { checkpoint, taken };
  };

  return {
    close,
    /** Returns whether anything was dropped. */
    prune: (): boolean => {
      const dropped = history.prune();
      if (!dropped) return false;
      for (const { digest } of dropped) byDigest.delete(digest);
      epochs.dropBefore(history.firstCheckpoint());
      return true;
    },
    transactions: history.transactions as readonly TransactionRecord[],
    events: history.events as readonly EventRecord[],
    checkpoint: (sequenceNumber: number) => checkpoints[sequenceNumber - history.firstCheckpoint()],
    firstCheckpoint: history.firstCheckpoint,
    newestCheckpoint: () => checkpoints.at(-1),
    latestCheckpoint: () => last(checkpoints, 'checkpoint'),
    checkpointByDigest: history.byDigest,
    epoch: epochs.at,
    latestEpoch: epochs.latest,
    /** The newest checkpoint becomes the last of its epoch. */
    endEpoch: (liveObjectSetDigest: string) => epochs.endWith(last(checkpoints, 'checkpoint'), liveObjectSetDigest),
    hasPending: () => !pending.isEmpty(),
    nextTransactionSequence: pending.nextTransaction,
    nextEventSequence: pending.nextEvent,
    transaction: (digest: string) => byDigest.get(digest),
    append: (transaction: TransactionRecord): void => {
      pending.add(transaction);
      byDigest.set(transaction.digest, transaction);
    },
  };
}

/** Transactions that are in no checkpoint yet, and the numbers that the next ones get: dropped history keeps its own. */
function createPending() {
  let transactions: TransactionRecord[] = [];
  let firstTransaction = 0;
  let nextEvent = 0;
  return {
    isEmpty: () => transactions.length === 0,
    nextTransaction: () => firstTransaction + transactions.length,
    nextEvent: () => nextEvent,
    add(transaction: TransactionRecord): void {
      transactions.push(transaction);
      nextEvent += transaction.events.length;
    },
    take() {
      const taken = { taken: transactions, firstTransaction, endTransaction: firstTransaction + transactions.length };
      transactions = [];
      firstTransaction = taken.endTransaction;
      return taken;
    },
  };
}

/** Gives a transaction and what it left its checkpoint, and its events the checkpoint's time. */
function complete(transaction: Mutable<TransactionRecord>, sequenceNumber: number, timestampMs: number): void {
  transaction.checkpoint = sequenceNumber;
  transaction.timestampMs = timestampMs;
  for (const { output } of transaction.changes) {
    if (output) (output as Mutable<ObjectRecord>).checkpoint = sequenceNumber;
  }
  for (const event of transaction.events) (event as Mutable<EventRecord>).timestampMs = timestampMs;
}

type CheckpointPlace = Pick<
  CheckpointRecord,
  'sequenceNumber' | 'timestampMs' | 'epoch' | 'firstTransaction' | 'endTransaction'
>;

function toSummary(
  place: CheckpointPlace,
  previous: CheckpointRecord | undefined,
  taken: readonly TransactionRecord[],
): Omit<CheckpointRecord, keyof ReturnType<ReturnType<typeof createLedgerTotals>['read']>> {
  const { sequenceNumber, epoch, timestampMs, endTransaction } = place;
  const previousDigest = previous?.digest ?? null;
  const digest = toCheckpointDigest(sequenceNumber, epoch, timestampMs, previousDigest, taken);
  const before = previous?.epoch === epoch ? previous.rollingGasSummary : zeroGas;
  return {
    ...place,
    digest,
    previousDigest,
    networkTotalTransactions: endTransaction,
    rollingGasSummary: taken.reduce<GasSummary>((total, { gasUsed }) => addGas(total, gasUsed), before),
    validatorSignatures: toSimulatedSignature(digest),
  };
}
