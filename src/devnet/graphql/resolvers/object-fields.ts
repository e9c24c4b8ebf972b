import type { AddressTransactionBlockRelationship, ObjectKind } from '../../../generated/ledger.ts';
import type { TransactionRecord } from '../../state/records.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import { type TransactionArguments, toTransactionConnection } from '../history/transaction-connection.ts';
import { requireAvailable } from '../history/visible-history.ts';
import type { AddressModel, ObjectModel, OwnerKindModel, TransactionModel, ValueModel } from '../models.ts';
import { coinTypeOf } from '../objects/coins.ts';
import { createDynamicFields, createOwnerFields } from './owner-fields.ts';

const packageType = 'package';
const metadataPrefix = `0x${'2'.padStart(64, '0')}::coin::CoinMetadata<`;

const idOf = (parent: ObjectModel): string => parent.record.objectId;

/** What everything kept under an object id offers. */
const kept = {
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

const contents = (parent: ObjectModel): ValueModel | null =>
  parent.record.live && !isPackage(parent)
    ? { type: parent.record.type, bcs: parent.record.bcs, json: parent.record.json }
    : null;

const moveFields = {
  ...kept,
  ...createOwnerFields(idOf),
  ...createDynamicFields(idOf),
};

export const objectResolvers = {
  Object: {
    ...moveFields,
    asMoveObject: (parent: ObjectModel) => (isPackage(parent) ? null : parent),
    asMovePackage: (parent: ObjectModel) => (isPackage(parent) ? parent : null),
  },
  MoveObject: {
    ...moveFields,
    contents,
    asCoin: (parent: ObjectModel) => (coinTypeOf(parent.record.type) === undefined ? null : parent),
    asCoinMetadata: (parent: ObjectModel, _: unknown, { ledger }: GraphqlContext) => {
      const { type } = parent.record;
      if (!type.startsWith(metadataPrefix)) return null;
      return ledger.coinMetadata(type.slice(metadataPrefix.length, -1)) ?? null;
    },
  },
  Coin: {
    ...moveFields,
    contents,
    coinBalance: (parent: ObjectModel) => parent.record.balance?.toString() ?? null,
  },
};

export const keptFields = kept;

export const accountResolvers = {
  Address: {
    ...createOwnerFields((parent: AddressModel) => parent.address),
    transactionBlocks: (
      parent: AddressModel,
      args: TransactionArguments & { readonly relation?: AddressTransactionBlockRelationship | null | undefined },
      context: GraphqlContext,
    ) => {
      const { address } = parent;
      const related = args.relation === 'RECV' ? { recvAddress: address } : { sentAddress: address };
      return toTransactionConnection(args, related, context, parent.viewedAt);
    },
  },
  Owner: {
    ...createOwnerFields((parent: AddressModel) => parent.address),
    ...createDynamicFields((parent: AddressModel) => parent.address),
    asAddress: (parent: AddressModel) => parent,
    asObject: (parent: AddressModel, _: unknown, context: GraphqlContext) =>
      newestObject(context, parent.address, parent.viewedAt),
  },
};

export function isPackage(object: ObjectModel): boolean {
  return object.record.type === packageType;
}

/** A live object at a checkpoint; `null` when there is none. Refuses a checkpoint outside the available range. */
export function newestObject(context: GraphqlContext, objectId: string, viewedAt: number): ObjectModel | null {
  requireAvailable(context.ledger, viewedAt);
  const record = context.ledger.object(objectId, { checkpoint: viewedAt });
  return record ? { record, viewedAt } : null;
}

/** One version of an object, if a checkpoint held it by then. */
export function objectAtVersion(
  context: GraphqlContext,
  objectId: string,
  version: number,
  viewedAt: number,
): ObjectModel | null {
  const record = context.ledger.object(objectId, { version });
  if (!record || record.checkpoint === null || record.checkpoint > viewedAt) return null;
  return { record, viewedAt };
}

/** A transaction, if a checkpoint held it by then. */
export function visibleTransaction(context: GraphqlContext, digest: string, viewedAt: number): TransactionModel | null {
  const record: TransactionRecord | undefined = context.ledger.transaction(digest);
  if (!record || record.checkpoint === null || record.checkpoint > viewedAt) return null;
  return { record, viewedAt, dryRun: false };
}

function statusOf(parent: ObjectModel, { ledger }: GraphqlContext): ObjectKind {
  if (!parent.record.live) return 'WRAPPED_OR_DELETED';
  const newest = ledger.object(parent.record.objectId, { checkpoint: parent.viewedAt });
  return newest?.version === parent.record.version ? 'INDEXED' : 'NOT_INDEXED';
}
