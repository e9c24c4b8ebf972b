import type { Resolvers } from '../../../generated/ledger.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import { changeResolvers, eventResolvers, moveResolvers, ownershipResolvers } from './change-resolvers.ts';
import { executionResolvers } from './execution-resolvers.ts';
import { historyResolvers } from './history-resolvers.ts';
import { accountResolvers, objectResolvers } from './object-fields.ts';
import { queryResolvers } from './query-resolvers.ts';
import { serviceConfigResolvers } from './service-config-resolvers.ts';
import { transactionResolvers } from './transaction-resolvers.ts';

/** How every type of the graph is answered from the ledger's state. */
export const resolvers: Resolvers<GraphqlContext> = {
  ...queryResolvers,
  ...serviceConfigResolvers,
  ...historyResolvers,
  ...transactionResolvers,
  ...eventResolvers,
  ...moveResolvers,
  ...objectResolvers,
  ...accountResolvers,
  ...ownershipResolvers,
  ...changeResolvers,
  ...executionResolvers,
};
