import { readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { IResolvers } from '@graphql-tools/utils';
import { GraphQLSchema, isSpecifiedDirective } from 'graphql';
import type { OwnFieldsUpstream } from '../upstream/upstream.ts';
import { sharedScalars } from './scalars.ts';

/** The gateway's fields about itself, and the scalars of all upstreams' parts. */
const gatewayTypeDefs = new URL('../../schema/gateway.graphql', import.meta.url);

/**
 * Builds the executable schema of everything except the ledger's part: the gateway's own fields, and those of the upstreams.
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
  // Directives in our SDL are for the gateway, not for clients. The nodes of the SDL keep them.
  const { directives, ...config } = marked.toConfig();
  return new GraphQLSchema({ ...config, directives: directives.filter(isSpecifiedDirective) });
}

/** Root fields whose pages take several upstream calls. Our SDL marks them. */
export function fieldsReadByCalls(ownSchema: GraphQLSchema): ReadonlySet<string> {
  const fields = Object.values(ownSchema.getQueryType()?.getFields() ?? {});
  const isMarked = ({ astNode }: (typeof fields)[number]) =>
    astNode?.directives?.some((directive) => directive.name.value === 'readByCalls') ?? false;
  return new Set(fields.filter(isMarked).map((field) => field.name));
}
