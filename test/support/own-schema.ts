import type { GraphQLSchema } from 'graphql';
import * as graph from '../../src/graph/own-schema.ts';
import { upstreamList } from '../../src/start/upstreams.ts';

/** The whole of our own part of the graph, with the resolvers that a test is about. */
export function createOwnSchema(...resolvers: readonly object[]): GraphQLSchema {
  return graph.createOwnSchema(upstreamList.ownFields, resolvers);
}
