import { readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { IResolvers } from '@graphql-tools/utils';
import { GraphQLSchema, isSpecifiedDirective } from 'graphql';
import type { OwnFieldsUpstream } from '../upstream/upstream.ts';
import { sharedScalars } from './scalars.ts';

/** What the gateway says of itself, and the scalars that the parts of all upstreams use. */
const gatewayTypeDefs = new URL('../../schema/gateway.graphql', import.meta.url);

/**
 * Builds the executable schema of everything that is not the ledger's: what each upstream adds, and the gateway's own.
 * @param resolvers of any of it; a field without one answers what its parent has under its name
 */
export function createOwnSchema(
  upstreams: readonly Pick<OwnFieldsUpstream, 'typeDefs'>[],
  resolvers: readonly object[] = [],
): GraphQLSchema {
  const marked = makeExecutableSchema({
    typeDefs: [...upstreams.map((upstream) => upstream.typeDefs()), readFileSync(gatewayTypeDefs, 'utf8')],
    resolvers: [{ ...sharedScalars }, ...(resolvers as IResolvers[])],
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
  // Directives in our SDL are marks for the gateway. Clients must not see them; the nodes of the SDL keep them.
  const { directives, ...config } = marked.toConfig();
  return new GraphQLSchema({ ...config, directives: directives.filter(isSpecifiedDirective) });
}

/** Root fields that are marked so in our SDL: their pages are read from an upstream call by call. */
export function fieldsReadByCalls(ownSchema: GraphQLSchema): ReadonlySet<string> {
  const fields = Object.values(ownSchema.getQueryType()?.getFields() ?? {});
  const isMarked = ({ astNode }: (typeof fields)[number]) =>
    astNode?.directives?.some((directive) => directive.name.value === 'readByCalls') ?? false;
  return new Set(fields.filter(isMarked).map((field) => field.name));
}
