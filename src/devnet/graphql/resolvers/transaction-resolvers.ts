import { base64 } from '@scure/base';
import type { ObjectRef } from '../../../transactions/transaction-bcs.ts';
import type { ExecutionStatus } from '../../generated/ledger.ts';
import { encodeEffects } from '../../transactions/effects-bcs.ts';
import { toListConnection } from '../connections/list-connection.ts';
import type { PageArguments } from '../connections/page.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import { toIsoTime } from '../iso-time.ts';
import type { ObjectModel, SharedReadModel, TransactionModel } from '../models.ts';
import { sharedReadsOf } from '../objects/shared-reads.ts';
import {
  checkpointAt,
  checkpointTime,
  epochAt,
  objectAtVersion,
  toSender,
  visibleTransaction,
} from './visible-records.ts';

export const transactionResolvers = {
  TransactionBlock: {
    digest: ({ record, dryRun }: TransactionModel) => (dryRun ? null : record.digest),
    sender: ({ record, viewedAt }: TransactionModel) => toSender(record.sender, viewedAt),
    gasInput: (parent: TransactionModel) => (parent.record.kind === 'PROGRAMMABLE_TX' ? parent : null),
    kind: (parent: TransactionModel) => parent,
    signatures: ({ record, dryRun }: TransactionModel) => (dryRun ? null : record.signatures()),
    effects: (parent: TransactionModel) => parent,
    expiration: ({ record, viewedAt }: TransactionModel, _: unknown, context: GraphqlContext) =>
      record.expirationEpoch === null ? null : epochAt(context, record.expirationEpoch, viewedAt),
    bcs: ({ record }: TransactionModel) => base64.encode(record.bytes),
    indexedOnNode: ({ record, dryRun }: TransactionModel, _: unknown, { ledger }: GraphqlContext) =>
      dryRun ? null : ledger.transaction(record.digest) !== undefined,
  },
  GasInput: {
    gasSponsor: ({ record, viewedAt }: TransactionModel) => toSender(record.gas.owner, viewedAt),
    gasPayment: (parent: TransactionModel, args: PageArguments, context: GraphqlContext) =>
      toVersionConnection(parent.record.gas.payment, args, context, parent.viewedAt),
    gasPrice: ({ record }: TransactionModel) => record.gas.price.toString(),
    gasBudget: ({ record }: TransactionModel) => record.gas.budget.toString(),
  },
  TransactionBlockKind: {
    __resolveType: ({ record }: TransactionModel) => kindTypes[record.kind],
  },
  GenesisTransaction: {
    objects: (parent: TransactionModel, args: PageArguments, context: GraphqlContext) => {
      const made = parent.record.changes.flatMap(({ output }) => (output ? [output] : []));
      return toListConnection(
        made,
        args,
        context,
        parent.viewedAt,
        (record, viewedAt): ObjectModel => ({ record, viewedAt }),
      );
    },
  },
  ConsensusCommitPrologueTransaction: {
    epoch: epochOf,
    consensusCommitTimestamp: ({ record }: TransactionModel) => toIsoTime(record.timestampMs),
  },
  EndOfEpochTransaction: { epoch: epochOf },
  RandomnessStateUpdateTransaction: { epoch: epochOf },
  TransactionBlockEffects: {
    transactionBlock: (parent: TransactionModel) => parent,
    status: ({ record }: TransactionModel): ExecutionStatus => (record.status.ok ? 'SUCCESS' : 'FAILURE'),
    lamportVersion: ({ record }: TransactionModel) => record.lamportVersion,
    errors: ({ record }: TransactionModel) => (record.status.ok ? null : record.status.error),
    dependencies: (parent: TransactionModel, args: PageArguments, context: GraphqlContext) =>
      toListConnection(parent.record.dependencies, args, context, parent.viewedAt, (digest, viewedAt) =>
        visibleTransaction(context, digest, viewedAt),
      ),
    gasEffects: (parent: TransactionModel) => parent,
    objectChanges: (parent: TransactionModel, args: PageArguments, context: GraphqlContext) =>
      toListConnection(parent.record.changes, args, context, parent.viewedAt, (change, viewedAt) => ({
        change,
        viewedAt,
      })),
    balanceChanges: (parent: TransactionModel, args: PageArguments, context: GraphqlContext) =>
      toListConnection(parent.record.balanceChanges, args, context, parent.viewedAt, (change, viewedAt) => ({
        ...change,
        viewedAt,
      })),
    events: (parent: TransactionModel, args: PageArguments, context: GraphqlContext) =>
      toListConnection(parent.record.events, args, context, parent.viewedAt, (record, viewedAt) => ({
        record,
        viewedAt,
      })),
    unchangedSharedObjects: (parent: TransactionModel, args: PageArguments, context: GraphqlContext) =>
      toListConnection(
        sharedReadsOf(parent.record),
        args,
        context,
        parent.viewedAt,
        (ref, viewedAt): SharedReadModel => ({ ref, viewedAt }),
      ),
    bcs: ({ record }: TransactionModel) => base64.encode(encodeEffects(record, sharedReadsOf(record))),
    timestamp: ({ record }: TransactionModel) => checkpointTime(record),
    epoch: epochOf,
    checkpoint: ({ record, viewedAt }: TransactionModel, _: unknown, context: GraphqlContext) =>
      record.checkpoint === null ? null : checkpointAt(context, record.checkpoint, viewedAt),
  },
  UnchangedSharedObject: { __resolveType: () => 'SharedObjectRead' as const },
  SharedObjectRead: {
    address: ({ ref }: SharedReadModel) => ref.objectId,
    version: ({ ref }: SharedReadModel) => ref.version,
    digest: ({ ref }: SharedReadModel) => ref.digest,
    object: ({ ref, viewedAt }: SharedReadModel, _: unknown, context: GraphqlContext) =>
      objectAtVersion(context, ref.objectId, ref.version, viewedAt),
  },
  GasEffects: {
    gasObject: ({ record, viewedAt }: TransactionModel): ObjectModel | null =>
      record.gasObject ? { record: record.gasObject, viewedAt } : null,
    gasSummary: ({ record }: TransactionModel) => record.gasUsed,
  },
};

const kindTypes = {
  GENESIS: 'GenesisTransaction',
  CONSENSUS_COMMIT_PROLOGUE_V1: 'ConsensusCommitPrologueTransaction',
  END_OF_EPOCH_TX: 'EndOfEpochTransaction',
  RANDOMNESS_STATE_UPDATE: 'RandomnessStateUpdateTransaction',
  PROGRAMMABLE_TX: 'ProgrammableTransactionBlock',
} as const;

function epochOf({ record, viewedAt }: TransactionModel, _: unknown, context: GraphqlContext) {
  return epochAt(context, record.epoch, viewedAt);
}

/** Objects at the versions a transaction named. */
function toVersionConnection(
  refs: readonly ObjectRef[],
  args: PageArguments,
  context: GraphqlContext,
  viewedAt: number,
) {
  const records = refs.flatMap(({ objectId, version }) => context.ledger.object(objectId, { version }) ?? []);
  return toListConnection(records, args, context, viewedAt, (record, c): ObjectModel => ({ record, viewedAt: c }));
}
