import { readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { type ExecutionResult, graphql } from 'graphql';
import { Pool } from 'undici';
import { type NetworkProfileName, networkProfiles } from '../../src/config/network-profile.ts';
import { Secret } from '../../src/config/secret.ts';
import { createEventsResolvers } from '../../src/events/events-resolvers.ts';
import { createFilterSupport } from '../../src/events/filter-support.ts';
import { createEventsClient, createRpcSources } from '../../src/events/rpc-sources.ts';
import { type CursorKeys, createCursorKeys } from '../../src/events/signed-cursor.ts';
import { type Cancellation, createCancellation } from '../../src/upstream/cancellation.ts';
import type { OperationContext } from '../../src/upstream/operation-context.ts';
import { createSendCall } from '../../src/upstream/send-call.ts';
import { createUpstreamCall, type UpstreamCall, type UpstreamRequest } from '../../src/upstream/upstream-call.ts';
import { toTestCaller } from './test-caller.ts';

export interface EventsGraph extends AsyncDisposable {
  /** Upstream calls so far: method and parameters. */
  readonly calls: { readonly method: string; readonly params: readonly unknown[] }[];
  query(document: string, variables?: Record<string, unknown>, cancellation?: Cancellation): Promise<EventsAnswer>;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not programmed against
export type EventsAnswer = ExecutionResult<any>;

export interface EventsGraphOptions {
  /** URL of the upstream. */
  readonly url: string;
  readonly profile?: NetworkProfileName;
  readonly pages?: { readonly defaultSize: number; readonly maxSize: number };
  /** Signing keys of cursors. Graphs with the same keys accept each other's cursors. */
  readonly cursorKeys?: CursorKeys;
}

/** The events part of the graph, in front of a real JSON-RPC upstream. */
export function createEventsGraph({
  url,
  profile = 'ledger',
  pages = { defaultSize: 20, maxSize: 50 },
  cursorKeys = createCursorKeys(new Secret('the key of cursors in tests')),
}: EventsGraphOptions): EventsGraph {
  const dispatcher = new Pool(url);
  const calls: EventsGraph['calls'] = [];
  const record = (call: UpstreamCall) => (request: UpstreamRequest) => {
    calls.push(JSON.parse(String(request.body)));
    return call(request);
  };
  const network = networkProfiles[profile];
  const client = createEventsClient({
    call: record(createUpstreamCall(createSendCall({ dispatcher, maxResponseBytes: 10_000_000 }))),
    path: '/',
    names: network.events,
    timeoutMs: 10_000,
  });
  const schema = makeExecutableSchema({
    typeDefs: ['schema/gateway.graphql', 'schema/events.graphql'].map((file) => readFileSync(file, 'utf8')),
    resolvers: createEventsResolvers({
      sources: () => createRpcSources(client, network, createFilterSupport(network.events, Date.now)),
      pages,
      cursorKeys,
    }),
  });
  return {
    calls,
    query: async (source, variableValues = {}, cancellation = createCancellation()) => {
      const contextValue: OperationContext = {
        requestId: 'test',
        cancellation,
        caller: toTestCaller(),
      };
      return graphql({ schema, source, variableValues, contextValue });
    },
    [Symbol.asyncDispose]: () => dispatcher.close(),
  };
}
