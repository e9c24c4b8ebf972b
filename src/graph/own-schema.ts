import { readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { IResolvers } from '@graphql-tools/utils';
import type { GraphQLSchema } from 'graphql';
import { sharedScalars } from './scalars.ts';

/** The graph's own part, as files beside the code: what each upstream room adds, and what the gateway says of itself. */
const sources = ['sponsor', 'events', 'gateway'] as const;

/** Builds the executable schema of everything that is not the ledger's. */
export function createLocalSchema(resolvers: readonly object[]): GraphQLSchema {
  return makeExecutableSchema({
    typeDefs: sources.map((name) => readFileSync(new URL(`../../schema/${name}.graphql`, import.meta.url), 'utf8')),
    resolvers: [{ ...sharedScalars }, ...(resolvers as IResolvers[])],
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
}
