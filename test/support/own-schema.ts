import type { GraphQLSchema } from 'graphql';
import * as graph from '../../src/graph/own-schema.ts';
import { upstreamList } from '../../src/start/upstreams.ts';

/** The gateway's own schema, with the resolvers under test. */
export function createOwnSchema(...resolvers: readonly object[]): GraphQLSchema {
  return graph.createOwnSchema(upstreamList.ownFields, resolvers);
}
