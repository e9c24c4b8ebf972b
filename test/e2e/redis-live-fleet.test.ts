import { expect, test } from 'vitest';
import { type LiveClient, overEventStream, overWebSocket } from '../support/live-clients.ts';
import { eventIds, startTickedDevnet } from '../support/live-network.ts';
import { recordUpstream } from '../support/recording-upstream.ts';
import { redisMissing, startRedis } from '../support/redis-server.ts';
import { spawnGateway } from '../support/spawn-gateway.ts';
import { until } from '../support/until.ts';

const query =
  'subscription ($after: String) { liveEvents(after: $after) { __typename ... on LiveEventItem { cursor event { id } } } }';
const pollMs = 100;

test.skipIf(redisMissing)(
  redisMissing ??
    'of two instances one asks the node; when it is killed the other goes on, and nobody misses or repeats anything',
  async () => {
    await using redis = await startRedis();
    const devnet = await startTickedDevnet();
    await using rpc = await recordUpstream(devnet.rpcUrl);
    const env = {
      LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
      LEDGER_RPC_URL: rpc.url,
      REDIS_URL: redis.url,
      LIVE_POLL_MIN_MS: String(pollMs),
      LIVE_POLL_MAX_MS: String(pollMs),
    };
    await using one = await spawnGateway(env);
    await using other = await spawnGateway(env);
    const all = () => eventIds(devnet);
    const followed = async (url: string, subscribe: typeof overWebSocket): Promise<LiveClient> => {
      const client = subscribe(url, query);
      await until(() => {
        devnet.tick();
        return client.ids.length > 0;
      }, 'a first event');
      return client;
    };
    const first = await followed(one.url, overEventStream);
    const second = await followed(other.url, overWebSocket);
    const hasAll = (client: LiveClient) => () => client.ids.at(-1) === all().at(-1);

    const [asked, beganMs] = [rpc.requests.length, performance.now()];
    for (let count = 0; count < 10; count += 1) {
      devnet.tick();
      await until(() => hasAll(first)() && hasAll(second)(), 'the same for both');
    }
    const inTheTimeOfOne = (performance.now() - beganMs) / pollMs + 1;
    expect((rpc.requests.length - asked) / inTheTimeOfOne).toBeLessThan(1.5);

    one.cli.child.kill('SIGKILL');
    await one.cli.ended;
    devnet.tick();
    // A lease of three seconds, and a check every second.
    await until(hasAll(second), 'what happened after the reader was killed', 60_000);

    const again = overWebSocket(other.url, query, { after: first.cursor });
    devnet.tick();
    await until(hasAll(again), 'the rest for those who were at the killed one');
    for (const ids of [[...first.ids, ...again.ids], second.ids]) {
      expect(ids).toEqual(all().slice(all().indexOf(ids[0] ?? '')));
    }
    await Promise.all([first.leave(), second.leave(), again.leave()]);
    await devnet.close();
  },
);
