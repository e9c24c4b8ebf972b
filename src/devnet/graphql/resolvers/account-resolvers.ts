import type { AddressTransactionBlockRelationship } from '../../../generated/ledger.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import { type TransactionArguments, toTransactionConnection } from '../history/transaction-connection.ts';
import type { AddressModel } from '../models.ts';
import { createDynamicFields, createOwnerFields } from './owner-fields.ts';
import { newestObject } from './visible-records.ts';

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
