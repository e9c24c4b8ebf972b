import { addGas, zeroGas } from '../execution/gas-schedule.ts';
import { contentHash, toDigest } from '../transactions/digest.ts';
import type {
  CheckpointRecord,
  EpochRecord,
  EventRecord,
  GasSummary,
  ObjectRecord,
  TransactionRecord,
} from './records.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Transactions in order, the checkpoints that hold them, the epochs that hold those. A transaction is pending until a
 * checkpoint closes; closing is the only time a record changes after it was made: it learns its checkpoint and takes its
 * timestamp, as on the real network.
 */
export function createChain(options: { readonly referenceGasPrice: bigint; readonly startMs: number }) {
  const transactions: TransactionRecord[] = [];
  const events: EventRecord[] = [];
  const checkpoints: CheckpointRecord[] = [];
  const byCheckpointDigest = new Map<string, CheckpointRecord>();
  const byDigest = new Map<string, TransactionRecord>();
  const epochs: EpochRecord[] = [openEpoch(0, options.startMs, 0, 0)];
  let pending: TransactionRecord[] = [];
  let pendingEvents = 0;

  function openEpoch(epochId: number, startMs: number, firstCheckpoint: number, firstTransaction: number): EpochRecord {
    const { referenceGasPrice } = options;
    return {
      epochId,
      referenceGasPrice,
      startMs,
      endMs: null,
      firstCheckpoint,
      endCheckpoint: null,
      firstTransaction,
      totalGasFees: 0n,
    };
  }

  const latestEpoch = (): EpochRecord => last(epochs, 'epoch');

  const publish = (transaction: Mutable<TransactionRecord>, sequenceNumber: number, timestampMs: number): void => {
    transaction.checkpoint = sequenceNumber;
    transaction.timestampMs = timestampMs;
    for (const change of transaction.changes) {
      if (change.output) (change.output as Mutable<ObjectRecord>).checkpoint = sequenceNumber;
    }
    transactions.push(transaction);
    for (const event of transaction.events) {
      (event as Mutable<EventRecord>).timestampMs = timestampMs;
      events.push(event);
    }
  };

  const close = (timestampMs: number): { checkpoint: CheckpointRecord; taken: readonly TransactionRecord[] } => {
    const previous = checkpoints.at(-1);
    const epoch = latestEpoch();
    const sequenceNumber = checkpoints.length;
    const firstTransaction = transactions.length;
    const taken = pending;
    pending = [];
    pendingEvents = 0;
    for (const transaction of taken) publish(transaction, sequenceNumber, timestampMs);
    const before = previous?.epoch === epoch.epochId ? previous.rollingGasSummary : zeroGas;
    const rollingGasSummary = taken.reduce<GasSummary>((total, { gasUsed }) => addGas(total, gasUsed), before);
    const digest = toCheckpointDigest(sequenceNumber, epoch.epochId, timestampMs, previous?.digest ?? null, taken);
    const checkpoint: CheckpointRecord = {
      sequenceNumber,
      digest,
      previousDigest: previous?.digest ?? null,
      timestampMs,
      epoch: epoch.epochId,
      firstTransaction,
      endTransaction: transactions.length,
      networkTotalTransactions: transactions.length,
      rollingGasSummary,
      // As long as a real aggregate (48 bytes), and as unpredictable, but only a hash.
      validatorSignatures: toSimulatedSignature(digest),
    };
    checkpoints.push(checkpoint);
    byCheckpointDigest.set(digest, checkpoint);
    (epoch as Mutable<EpochRecord>).totalGasFees = rollingGasSummary.computationCost;
    return { checkpoint, taken };
  };

  return {
    transactions: transactions as readonly TransactionRecord[],
    events: events as readonly EventRecord[],
    checkpoints: checkpoints as readonly CheckpointRecord[],
    epochs: epochs as readonly EpochRecord[],
    latestCheckpoint: () => last(checkpoints, 'checkpoint'),
    latestEpoch,
    hasPending: () => pending.length > 0,
    nextTransactionSequence: () => transactions.length + pending.length,
    nextEventSequence: () => events.length + pendingEvents,
    transaction: (digest: string) => byDigest.get(digest),
    checkpointByDigest: (digest: string) => byCheckpointDigest.get(digest),
    append: (transaction: TransactionRecord): void => {
      pending.push(transaction);
      pendingEvents += transaction.events.length;
      byDigest.set(transaction.digest, transaction);
    },
    close,
    /** The newest checkpoint becomes the last of its epoch. */
    endEpoch: (): EpochRecord => {
      const { sequenceNumber, timestampMs, endTransaction } = last(checkpoints, 'checkpoint');
      const ended = latestEpoch() as Mutable<EpochRecord>;
      ended.endMs = timestampMs;
      ended.endCheckpoint = sequenceNumber + 1;
      const next = openEpoch(ended.epochId + 1, timestampMs, sequenceNumber + 1, endTransaction);
      epochs.push(next);
      return next;
    },
  };
}

function last<T>(items: readonly T[], what: string): T {
  const item = items.at(-1);
  if (item === undefined) throw new RangeError(`the ledger has no ${what} yet`);
  return item;
}

function toCheckpointDigest(
  sequenceNumber: number,
  epoch: number,
  timestampMs: number,
  previousDigest: string | null,
  transactions: readonly TransactionRecord[],
): string {
  const digests = transactions.map(({ digest }) => digest).join(' ');
  const text = `CheckpointSummary:: ${epoch} ${sequenceNumber} ${timestampMs} ${previousDigest ?? '-'} ${digests}`;
  return toDigest(contentHash(Buffer.from(text)));
}

function toSimulatedSignature(checkpointDigest: string): string {
  const halves = ['signature', 'bitmap'].map((salt) => contentHash(Buffer.from(`${salt} ${checkpointDigest}`)));
  return Buffer.concat(halves, 48).toString('base64');
}
