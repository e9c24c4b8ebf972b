import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../../src/devnet/start-devnet.ts';
import { eventIds } from '../support/live-network.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';

/** Nodes of one network: the second is two checkpoints behind the first. */
const nodes: Devnet[] = [];
const startMs = Date.now();

/** One address in front of both nodes, which takes them in turn. */
async function startBalancer() {
  let turn = 0;
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      turn += 1;
      const headers = { 'content-type': 'application/json' };
      void fetch(nodes[turn % 2]?.graphqlUrl ?? '', { method: 'POST', headers, body: Buffer.concat(chunks) })
        .then(async (answer) => res.writeHead(answer.status, headers).end(await answer.text()))
        .catch(() => res.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const pages = `query ($first: Int, $after: String, $last: Int, $before: String) {
  queryEvents(first: $first, after: $after, last: $last, before: $before) { pageInfo { startCursor endCursor } nodes { id } }
}`;

describe('events of nodes of which one lags', () => {
  let balancer: Awaited<ReturnType<typeof startBalancer>>;
  const gateways: Record<string, TestGateway> = {};
  beforeAll(async () => {
    for (const ticks of [2, 0]) {
      const node = await startDevnet({
        sponsorToken: 'unused',
        startMs,
        checkpointIntervalMs: 0,
        activityEveryCheckpoints: 1,
        genesis: { checkpoints: 20 },
      });
      for (let tick = 0; tick < ticks; tick += 1) node.tick();
      nodes.push(node);
    }
    balancer = await startBalancer();
    const addresses = nodes.map(({ graphqlUrl }) => graphqlUrl).join();
    gateways.addresses = await createTestGateway({ LEDGER_GRAPHQL_URL: addresses });
    gateways.balancer = await createTestGateway({ LEDGER_GRAPHQL_URL: balancer.url });
  });
  afterAll(async () => {
    for (const gateway of Object.values(gateways)) await gateway.close();
    await balancer?.close();
    for (const node of nodes) await node.close();
  });

  it.each(['addresses', 'balancer'])('have no stale cursor, read through %s', async (way) => {
    const gateway = gateways[way] as TestGateway;
    let refused = 0;
    for (let round = 0; round < 30; round += 1) {
      for (const node of nodes) node.tick();
      const { data } = await gateway.query(pages, { last: 5 });
      const newest: string[] = data.queryEvents.nodes.map(({ id }: { id: string }) => id);
      const { startCursor, endCursor } = data.queryEvents.pageInfo;
      const ids = eventIds(nodes[0] as Devnet);
      const begin = ids.indexOf(newest[0] ?? '');
      for (const [bound, expected] of [
        [{ first: 3, after: startCursor }, ids.slice(begin + 1, begin + 4)],
        [{ last: 3, before: startCursor }, ids.slice(begin - 3, begin)],
        [{ last: 3, before: endCursor }, newest.slice(-4, -1)],
      ] as const) {
        const answer = await gateway.query(pages, bound);
        if (answer.errors) {
          refused += 1;
          expect(answer.errors[0]?.extensions).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', retry: 'backoff' });
        } else expect(answer.data.queryEvents.nodes.map(({ id }: { id: string }) => id)).toEqual(expected);
      }
    }
    // An address that has the position is known.
    if (way === 'addresses') expect(refused).toBe(0);
  });
});
