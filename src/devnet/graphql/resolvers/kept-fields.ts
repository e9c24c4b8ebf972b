import type { ObjectKind } from '../../generated/ledger.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import { type TransactionArguments, toTransactionConnection } from '../history/transaction-connection.ts';
import type { ObjectModel, OwnerKindModel } from '../models.ts';
import { visibleTransaction } from './visible-records.ts';

const packageType = 'package';

export const idOf = (parent: ObjectModel): string => parent.record.objectId;

/** The fields of every type that has an object id. */
export const keptFields = {
  address: idOf,
  version: (parent: ObjectModel) => parent.record.version,
  status: (parent: ObjectModel, _: unknown, context: GraphqlContext): ObjectKind => statusOf(parent, context),
  digest: (parent: ObjectModel) => (parent.record.live ? parent.record.digest : null),
  owner: (parent: ObjectModel): OwnerKindModel | null =>
    parent.record.live ? { owner: parent.record.owner, isPackage: isPackage(parent), viewedAt: parent.viewedAt } : null,
  previousTransactionBlock: (parent: ObjectModel, _: unknown, context: GraphqlContext) =>
    visibleTransaction(context, parent.record.previousTransaction, parent.viewedAt),
  storageRebate: (parent: ObjectModel) => parent.record.storageRebate.toString(),
  receivedTransactionBlocks: (parent: ObjectModel, args: TransactionArguments, context: GraphqlContext) =>
    toTransactionConnection(args, { recvAddress: idOf(parent) }, context, parent.viewedAt),
};

export function isPackage(object: ObjectModel): boolean {
  return object.record.type === packageType;
}

function statusOf(parent: ObjectModel, { ledger }: GraphqlContext): ObjectKind {
  if (!parent.record.live) return 'WRAPPED_OR_DELETED';
  const newest = ledger.object(parent.record.objectId, { checkpoint: parent.viewedAt });
  return newest?.version === parent.record.version ? 'INDEXED' : 'NOT_INDEXED';
}
