import type { AddressTransactionBlockRelationship } from '../../generated/ledger.ts';
import type { PageArguments } from '../connections/page.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import { type TransactionArguments, toTransactionConnection } from '../history/transaction-connection.ts';
import type { AddressModel } from '../models.ts';
import { createDynamicFields, createOwnerFields, toObjectConnection } from './owner-fields.ts';
import { newestObject } from './visible-records.ts';

const system = `0x${'3'.padStart(64, '0')}`;
const framework = `0x${'2'.padStart(64, '0')}`;

/** Stakes and names are objects of certain types, though nobody on the devnet owns one. */
const holdings = {
  stakedLedgers: ownedOfType(`${system}::staking_pool::StakedLedger`),
  ledgerNamesDefaultName: () => null,
  ledgerNamesRegistrations: ownedOfType(`${framework}::name_service::NameRegistration`),
};

function ownedOfType(type: string) {
  return (parent: AddressModel, args: PageArguments, context: GraphqlContext) =>
    toObjectConnection({ ...args, filter: { type } }, context, parent.viewedAt, parent.address);
}

export const accountResolvers = {
  Address: {
    ...createOwnerFields((parent: AddressModel) => parent.address),
    ...holdings,
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
    ...holdings,
    asAddress: (parent: AddressModel) => parent,
    asObject: (parent: AddressModel, _: unknown, context: GraphqlContext) =>
      newestObject(context, parent.address, parent.viewedAt),
  },
};
