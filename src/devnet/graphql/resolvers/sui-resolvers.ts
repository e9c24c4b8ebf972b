import { inputRefusal } from '../arguments/parse-failure.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import type { EventArguments } from '../history/event-connection.ts';
import type { EventModel, OwnerKindModel, TransactionModel, ValueModel } from '../models.ts';
import { changeResolvers } from './change-resolvers.ts';
import { dryRun, executionResolvers, toDryTransaction } from './execution-resolvers.ts';
import { ownershipResolvers } from './ownership-resolvers.ts';
import { queryResolvers } from './query-resolvers.ts';
import { transactionResolvers as transactions } from './transaction-resolvers.ts';

const { Query: query } = queryResolvers;

interface SuiEventArguments extends Omit<EventArguments, 'filter'> {
  readonly filter?: { readonly module?: string; readonly type?: string; readonly sender?: string } | null;
}

/** Fields that Sui's current schema has in a form of its own. */
export const suiResolvers = {
  Query: {
    checkpoint: (
      root: unknown,
      { sequenceNumber }: { readonly sequenceNumber?: number | null },
      context: GraphqlContext,
    ) => query.checkpoint(root, { id: sequenceNumber == null ? null : { sequenceNumber } }, context),
    epoch: (root: unknown, { epochId }: { readonly epochId?: number | null }, context: GraphqlContext) =>
      query.epoch(root, { id: epochId }, context),
    events: (root: unknown, { filter, ...page }: SuiEventArguments, context: GraphqlContext) => {
      const { module: emittingModule, type: eventType, ...rest } = filter ?? {};
      return query.events(root, { ...page, filter: { ...rest, emittingModule, eventType } } as EventArguments, context);
    },
    simulateTransaction: (_: unknown, { transaction }: { readonly transaction: unknown }, context: GraphqlContext) => {
      const txBytes = (transaction as { readonly bcs?: { readonly value?: unknown } } | null)?.bcs?.value;
      if (typeof txBytes !== 'string')
        throw inputRefusal('Only a transaction in BCS can be simulated: { bcs: { value } }.');
      const simulated = dryRun({ txBytes }, context);
      if (simulated.outcome.kind === 'refused') throw inputRefusal(simulated.outcome.message);
      return { effects: toDryTransaction(simulated) };
    },
  },
  Mutation: {
    executeTransaction: (
      root: unknown,
      {
        transactionDataBcs,
        signatures,
      }: { readonly transactionDataBcs: string; readonly signatures: readonly string[] },
      context: GraphqlContext,
    ) =>
      executionResolvers.Mutation.executeTransactionBlock(root, { txBytes: transactionDataBcs, signatures }, context),
  },
  Event: {
    sequenceNumber: ({ record }: EventModel) => record.eventSeq,
    contents: ({ record: { type, bcs, json } }: EventModel): ValueModel => ({ type, bcs, json }),
  },
  Transaction: {
    transactionBcs: transactions.TransactionBlock.bcs,
    signatures: (source: TransactionModel) =>
      (transactions.TransactionBlock.signatures(source) ?? []).map((signatureBytes) => ({ signatureBytes })),
  },
  TransactionEffects: {
    balanceChangesJson: ({ record }: TransactionModel) =>
      record.balanceChanges.map(({ owner, coinType, amount }) => ({ address: owner, coinType, amount: `${amount}` })),
    effectsBcs: transactions.TransactionBlockEffects.bcs,
    executionError: ({ record: { status } }: TransactionModel) => (status.ok ? null : { message: status.error }),
  },
  BalanceChange: { owner: changeResolvers.BalanceChange.owner },
  ObjectOwner: {
    address: ({ owner, viewedAt }: OwnerKindModel) =>
      owner.kind === 'object' ? { address: owner.address, viewedAt } : null,
  },
  AddressOwner: { address: ownershipResolvers.AddressOwner.owner },
};
