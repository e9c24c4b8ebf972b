import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { connectUpstreams } from '../../../src/start/connect-upstreams.ts';
import { Metrics } from '../../../src/telemetry/metrics.ts';
import type { UpstreamConnection } from '../../../src/upstream/connect-upstream.ts';

type Options = Parameters<typeof connectUpstreams>[0];

test('a start that fails closes every connection and whatever the other upstreams have opened', async () => {
  const seen: string[] = [];
  const connections: UpstreamConnection[] = [];
  const ownFields = (name: string, fails: boolean) => ({
    name,
    role: 'own fields',
    setting: { name: `${name.toUpperCase()}_URL` },
    connect: async (connection: UpstreamConnection) => {
      connections.push(connection);
      if (fails) throw new Error(`${name} cannot be served`);
      seen.push(`${name} opened`);
      return {
        resolvers: {},
        async close() {
          await nextTurn();
          seen.push(`${name} closed`);
        },
      };
    },
  });
  const graph = {
    name: 'ledger',
    role: 'graph',
    setting: { name: 'LEDGER_GRAPHQL_URL' },
    connect: (connection: UpstreamConnection) => {
      connections.push(connection);
      return { transactions: null, push: null, streams: { stop() {} } };
    },
  };
  const options = {
    list: { graph, ownFields: [ownFields('a', false), ownFields('b', true), ownFields('c', false)] },
    network: { addressesOf: () => ['http://127.0.0.1:1/'] },
    host: {
      config: { settings: { LIVE_MAX_STREAMS: 1, LIVE_MAX_STREAMS_PER_CALLER: 1 } },
      metrics: new Metrics(),
      telemetry: { upstreamCalled() {} },
      now: Date.now,
    },
    siblings: null,
  } as unknown as Options;
  await expect(connectUpstreams(options)).rejects.toThrow('b cannot be served');
  expect(seen).toEqual(['a opened', 'c opened', 'a closed', 'c closed']);
  expect(connections).toHaveLength(4);
  for (const { call } of connections) {
    // The client of a connection that is closed takes no more calls.
    await expect(call({ method: 'GET', path: '/', timeoutMs: 1_000 })).rejects.toThrow('UND_ERR_');
  }
});
