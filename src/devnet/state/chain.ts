import { addGas, zeroGas } from '../execution/gas-schedule.ts';
import { contentHash, toDigest } from '../transactions/digest.ts';
import { createLedgerTotals } from './ledger-totals.ts';
import type {
  CheckpointRecord,
  EpochRecord,
  EventRecord,
  GasSummary,
  ObjectRecord,
  TransactionRecord,
} from './records.ts';

/** How much of the past is kept, at the most. What is alive now is kept besides. */
export interface HistoryRetention {
  readonly checkpoints: number;
  /** Of memory, estimated. The newest checkpoint is kept whatever it takes. */
  readonly bytes: number;
}

/** Beyond this many times the retention the far end is cut off, back to it. */
const pruneAt = 1 + 1 / 16;

/** Estimated bytes in memory, contents aside: measured over a long history, and rounded up. */
const checkpointWeight = 1_000;
const transactionOverhead = 2_000;
const changeOverhead = 700;
/** With its places in the index that queries read. */
const eventOverhead = 1_500;

function transactionWeight({ bytes, changes, events }: TransactionRecord): number {
  const ofChanges = changes.reduce((total, { output }) => total + changeOverhead + 2 * (output?.bcs.length ?? 0), 0);
  const ofEvents = events.reduce((total, event) => total + eventOverhead + 2 * event.bcs.length, 0);
  return transactionOverhead + 2 * bytes.length + ofChanges + ofEvents;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface ChainOptions {
  readonly referenceGasPrice: bigint;
  readonly startMs: number;
  readonly retention: HistoryRetention;
}

/**
 * Transactions in order, the checkpoints that hold them, the epochs that hold those. A transaction is pending until a
 * checkpoint closes; closing is the only time a record changes after it was made: it learns its checkpoint and takes its
 * timestamp, as on the real network. What the retention no longer covers is dropped, whole checkpoints at a time; numbers
 * go on as if nothing had been.
 */
export function createChain(options: ChainOptions) {
  const { retention } = options;
  const transactions: TransactionRecord[] = [];
  const events: EventRecord[] = [];
  const checkpoints: CheckpointRecord[] = [];
  const byCheckpointDigest = new Map<string, CheckpointRecord>();
  const byDigest = new Map<string, TransactionRecord>();
  const epochs: EpochRecord[] = [openEpoch(0, options.startMs, 0, 0)];
  let pending: TransactionRecord[] = [];
  let pendingEvents = 0;
  /** Numbers already given: of what is closed. */
  let transactionCount = 0;
  let eventCount = 0;
  /** Of each kept checkpoint, in bytes of memory, and of all. */
  const weights: number[] = [];
  let weight = 0;
  const totals = createLedgerTotals();

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
      liveObjectSetDigest: null,
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
    transactionCount += 1;
    for (const event of transaction.events) {
      (event as Mutable<EventRecord>).timestampMs = timestampMs;
      events.push(event);
      eventCount += 1;
    }
  };

  const close = (timestampMs: number): { checkpoint: CheckpointRecord; taken: readonly TransactionRecord[] } => {
    const previous = checkpoints.at(-1);
    const epoch = latestEpoch();
    const sequenceNumber = previous === undefined ? 0 : previous.sequenceNumber + 1;
    const firstTransaction = transactionCount;
    const taken = pending;
    pending = [];
    pendingEvents = 0;
    for (const transaction of taken) {
      publish(transaction, sequenceNumber, timestampMs);
      totals.add(transaction);
    }
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
      endTransaction: transactionCount,
      networkTotalTransactions: transactionCount,
      rollingGasSummary,
      ...totals.read(),
      // As long as a real aggregate (48 bytes), and as unpredictable, but only a hash.
      validatorSignatures: toSimulatedSignature(digest),
    };
    checkpoints.push(checkpoint);
    byCheckpointDigest.set(digest, checkpoint);
    const added = taken.reduce((total, transaction) => total + transactionWeight(transaction), checkpointWeight);
    weights.push(added);
    weight += added;
    (epoch as Mutable<EpochRecord>).totalGasFees = rollingGasSummary.computationCost;
    return { checkpoint, taken };
  };

  const dropOldest = (): void => {
    const checkpoint = checkpoints.shift();
    if (!checkpoint) return;
    weight -= weights.shift() ?? 0;
    byCheckpointDigest.delete(checkpoint.digest);
    const dropped = transactions.splice(0, checkpoint.endTransaction - checkpoint.firstTransaction);
    for (const { digest } of dropped) byDigest.delete(digest);
    events.splice(
      0,
      dropped.reduce((count, transaction) => count + transaction.events.length, 0),
    );
  };

  /** Drops what the retention does not cover; many at once, since whoever has an index of them has to follow. */
  const prune = (): boolean => {
    const isOver = checkpoints.length > retention.checkpoints * pruneAt || weight > retention.bytes;
    if (!isOver) return false;
    while (checkpoints.length > 1 && (checkpoints.length > retention.checkpoints || weight > retention.bytes / pruneAt))
      dropOldest();
    const first = checkpoints[0]?.sequenceNumber ?? 0;
    const over = epochs.findIndex(({ endCheckpoint }) => endCheckpoint === null || endCheckpoint > first);
    epochs.splice(0, over);
    return true;
  };

  return {
    prune,
    transactions: transactions as readonly TransactionRecord[],
    events: events as readonly EventRecord[],
    checkpoint: (sequenceNumber: number) => checkpoints[sequenceNumber - (checkpoints[0]?.sequenceNumber ?? 0)],
    firstCheckpoint: () => checkpoints[0]?.sequenceNumber ?? 0,
    newestCheckpoint: () => checkpoints.at(-1),
    epoch: (epochId: number) => epochs[epochId - (epochs[0]?.epochId ?? 0)],
    latestCheckpoint: () => last(checkpoints, 'checkpoint'),
    latestEpoch,
    hasPending: () => pending.length > 0,
    nextTransactionSequence: () => transactionCount + pending.length,
    nextEventSequence: () => eventCount + pendingEvents,
    transaction: (digest: string) => byDigest.get(digest),
    checkpointByDigest: (digest: string) => byCheckpointDigest.get(digest),
    append: (transaction: TransactionRecord): void => {
      pending.push(transaction);
      pendingEvents += transaction.events.length;
      byDigest.set(transaction.digest, transaction);
    },
    close,
    /** The newest checkpoint becomes the last of its epoch. */
    endEpoch: (liveObjectSetDigest: string): EpochRecord => {
      const { sequenceNumber, timestampMs, endTransaction } = last(checkpoints, 'checkpoint');
      const ended = latestEpoch() as Mutable<EpochRecord>;
      ended.endMs = timestampMs;
      ended.endCheckpoint = sequenceNumber + 1;
      ended.liveObjectSetDigest = liveObjectSetDigest;
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
