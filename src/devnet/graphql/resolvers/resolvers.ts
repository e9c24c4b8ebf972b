import type { Resolvers } from '../../generated/ledger.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import { accountResolvers } from './account-resolvers.ts';
import { changeResolvers } from './change-resolvers.ts';
import { commandResolvers } from './command-resolvers.ts';
import { eventResolvers } from './event-resolvers.ts';
import { executionResolvers } from './execution-resolvers.ts';
import { historyResolvers } from './history-resolvers.ts';
import { moveResolvers } from './move-resolvers.ts';
import { objectResolvers } from './object-resolvers.ts';
import { ownershipResolvers } from './ownership-resolvers.ts';
import { queryResolvers } from './query-resolvers.ts';
import { serviceConfigResolvers } from './service-config-resolvers.ts';
import { transactionResolvers } from './transaction-resolvers.ts';

/** Resolvers of every type of the graph. */
export const resolvers: Resolvers<GraphqlContext> = {
  ...queryResolvers,
  ...serviceConfigResolvers,
  ...historyResolvers,
  ...transactionResolvers,
  ...commandResolvers,
  ...eventResolvers,
  ...moveResolvers,
  ...objectResolvers,
  ...accountResolvers,
  ...ownershipResolvers,
  ...changeResolvers,
  ...executionResolvers,
};
