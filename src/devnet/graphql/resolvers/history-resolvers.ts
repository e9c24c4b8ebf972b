import type { TransactionBlockFilter } from '../../generated/ledger.ts';
import type { LedgerReader } from '../../state/ledger-state.ts';
import type { CheckpointRecord, GasSummary } from '../../state/records.ts';
import type { PageArguments } from '../connections/page.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import { toCheckpointConnection } from '../history/checkpoint-connection.ts';
import { type TransactionArguments, toTransactionConnection } from '../history/transaction-connection.ts';
import { transactionCountAt } from '../history/visible-history.ts';
import { toIsoTime } from '../iso-time.ts';
import type { CheckpointModel, EpochModel } from '../models.ts';
import { epochAt } from './visible-records.ts';

export const historyResolvers = {
  Checkpoint: {
    digest: ({ record }: CheckpointModel) => record.digest,
    sequenceNumber: ({ record }: CheckpointModel) => record.sequenceNumber,
    timestamp: ({ record }: CheckpointModel) => toIsoTime(record.timestampMs),
    validatorSignatures: ({ record }: CheckpointModel) => record.validatorSignatures,
    previousCheckpointDigest: ({ record }: CheckpointModel) => record.previousDigest,
    networkTotalTransactions: ({ record }: CheckpointModel) => record.networkTotalTransactions,
    rollingGasSummary: ({ record }: CheckpointModel) => record.rollingGasSummary,
    epoch: ({ record, viewedAt }: CheckpointModel, _: unknown, context: GraphqlContext) =>
      epochAt(context, record.epoch, viewedAt),
    transactionBlocks: (parent: CheckpointModel, args: TransactionArguments, context: GraphqlContext) =>
      toTransactionConnection(args, { atCheckpoint: parent.record.sequenceNumber }, context, parent.viewedAt),
  },
  Epoch: {
    epochId: ({ record }: EpochModel) => record.epochId,
    referenceGasPrice: ({ record }: EpochModel) => record.referenceGasPrice.toString(),
    startTimestamp: ({ record }: EpochModel) => toIsoTime(record.startMs),
    endTimestamp: (parent: EpochModel, _: unknown, { ledger }: GraphqlContext) => {
      const { endMs } = parent.record;
      return hasEnded(ledger, parent) && endMs !== null ? toIsoTime(endMs) : null;
    },
    totalCheckpoints: (parent: EpochModel, _: unknown, { ledger }: GraphqlContext) =>
      endCheckpoint(ledger, parent) - parent.record.firstCheckpoint,
    totalTransactions: (parent: EpochModel, _: unknown, { ledger }: GraphqlContext) =>
      transactionCountAt(ledger, endCheckpoint(ledger, parent) - 1) - parent.record.firstTransaction,
    totalGasFees: (parent: EpochModel, _: unknown, { ledger }: GraphqlContext) =>
      hasEnded(ledger, parent) ? parent.record.totalGasFees.toString() : null,
    fundSize: (parent: EpochModel, _: unknown, { ledger }: GraphqlContext) =>
      lastCheckpointOf(ledger, parent)?.storageFund.toString() ?? null,
    fundInflow: (parent: EpochModel, _: unknown, { ledger }: GraphqlContext) =>
      gasOf(ledger, parent, (gas) => gas.storageCost),
    fundOutflow: (parent: EpochModel, _: unknown, { ledger }: GraphqlContext) =>
      gasOf(ledger, parent, (gas) => gas.storageRebate),
    netInflow: (parent: EpochModel, _: unknown, { ledger }: GraphqlContext) =>
      gasOf(ledger, parent, (gas) => gas.storageCost - gas.storageRebate),
    ledgerTotalSupply: (parent: EpochModel, _: unknown, { ledger }: GraphqlContext) => {
      const newest = ledger.checkpoint(endCheckpoint(ledger, parent) - 1);
      return newest?.coinSupplies.get(ledger.nativeCoinType)?.toString() ?? null;
    },
    liveObjectSetDigest: (parent: EpochModel, _: unknown, { ledger }: GraphqlContext) =>
      hasEnded(ledger, parent) ? parent.record.liveObjectSetDigest : null,
    checkpoints: (parent: EpochModel, args: PageArguments, context: GraphqlContext) =>
      toCheckpointConnection(args, context, parent.viewedAt, checkpointsOf(context.ledger, parent)),
    transactionBlocks: (parent: EpochModel, args: TransactionArguments, context: GraphqlContext) =>
      toTransactionConnection(args, transactionsOf(context.ledger, parent), context, parent.viewedAt),
  },
  GasCostSummary: {
    computationCost: (gas: GasSummary) => gas.computationCost.toString(),
    computationCostBurned: (gas: GasSummary) => gas.computationCostBurned.toString(),
    storageCost: (gas: GasSummary) => gas.storageCost.toString(),
    storageRebate: (gas: GasSummary) => gas.storageRebate.toString(),
    nonRefundableStorageFee: (gas: GasSummary) => gas.nonRefundableStorageFee.toString(),
  },
};

/** The first checkpoint after the epoch, as seen from a checkpoint. */
function endCheckpoint(ledger: LedgerReader, { record, viewedAt }: EpochModel): number {
  const next = ledger.epoch(record.epochId + 1)?.firstCheckpoint ?? Number.POSITIVE_INFINITY;
  return Math.min(next, viewedAt + 1);
}

function hasEnded(ledger: LedgerReader, { record, viewedAt }: EpochModel): boolean {
  const next = ledger.epoch(record.epochId + 1);
  return next !== undefined && next.firstCheckpoint <= viewedAt;
}

/** The last checkpoint of an epoch; `null` while the epoch lasts. */
function lastCheckpointOf(ledger: LedgerReader, parent: EpochModel): CheckpointRecord | null {
  return (hasEnded(ledger, parent) && ledger.checkpoint(endCheckpoint(ledger, parent) - 1)) || null;
}

function gasOf(ledger: LedgerReader, parent: EpochModel, read: (gas: GasSummary) => bigint): string | null {
  const last = lastCheckpointOf(ledger, parent);
  return last && read(last.rollingGasSummary).toString();
}

function checkpointsOf(ledger: LedgerReader, { record }: EpochModel): { readonly from: number; readonly to: number } {
  const next = ledger.epoch(record.epochId + 1);
  return { from: record.firstCheckpoint, to: next?.firstCheckpoint ?? Number.POSITIVE_INFINITY };
}

/** A filter's bounds are exclusive, so the first epoch needs no lower one. */
function transactionsOf(ledger: LedgerReader, { record }: EpochModel): TransactionBlockFilter {
  const next = ledger.epoch(record.epochId + 1);
  return {
    ...(record.firstCheckpoint > 0 && { afterCheckpoint: record.firstCheckpoint - 1 }),
    ...(next && { beforeCheckpoint: next.firstCheckpoint }),
  };
}
