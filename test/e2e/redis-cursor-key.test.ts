import { once } from 'node:events';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../src/config/secret.ts';
import { shareSecret } from '../../src/start/shared-stores.ts';
import { overWebSocket } from '../support/live-clients.ts';
import { startTickedDevnet } from '../support/live-network.ts';
import { type RedisServer, redisMissing, startRedis } from '../support/redis-server.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

const secretOf = (letter: string) => letter.repeat(40);

describe.skipIf(redisMissing)(redisMissing ?? 'instances on one Redis', () => {
  let redis: RedisServer;
  const open: (() => void)[] = [];
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(() => {
    for (const stop of open.splice(0)) stop();
  });
  afterAll(() => redis?.[Symbol.asyncDispose]());

  /** An instance with its own secret; the keys in force, and all messages it got. */
  async function join(name: string, letter: string, everyMs = 20) {
    const adopted: string[] = [];
    open.push(
      await shareSecret({
        url: new Secret(redis.url),
        name,
        own: new Secret(secretOf(letter)),
        adopt: (secret) => adopted.push(secret.reveal()),
        everyMs,
      }),
    );
    return { adopted, current: () => adopted.at(-1) ?? secretOf(letter) };
  }

  test('take the secret of the first instance', async () => {
    const first = await join('plain', 'a');
    const others = await Promise.all(['b', 'c', 'd'].map((letter) => join('plain', letter)));
    expect(first.adopted).toEqual([]);
    for (const { adopted } of others) expect(adopted).toEqual([secretOf('a')]);
  });

  test('agree if they start at the same moment', async () => {
    const all = await Promise.all([...'efghij'].map((letter) => join('together', letter)));
    expect(new Set(all.map(({ current }) => current())).size).toBe(1);
  });

  test('keep it when Redis was emptied, and pass it to instances that start then', async () => {
    const [one, two] = [await join('emptied', 'k'), await join('emptied', 'l')];
    await redis.kill();
    const away = await join('emptied', 'm');
    expect(away.current()).toBe(secretOf('m'));
    await redis.restart();
    await until(() => new Set([one, two, away].map(({ current }) => current())).size === 1, 'one secret for all');
    const late = await join('emptied', 'n');
    expect(late.current()).toBe(one.current());
  });

  test('write the secret that they adopted, not their own', async () => {
    const { Redis } = await import('ioredis');
    const client = new Redis(redis.url);
    await join('adopted', 'r', 1_000_000);
    const { adopted } = await join('adopted', 's');
    await client.del('adopted');
    await until(async () => (await client.get('adopted')) !== null, 'a secret is in Redis again');
    expect([await client.get('adopted'), adopted]).toEqual([secretOf('r'), [secretOf('r')]]);
    client.disconnect();
  });

  test('write it again as soon as Redis is back, not only at the next check', async () => {
    const { Redis } = await import('ioredis');
    await join('back', 'p', 1_000_000);
    await redis.kill();
    await redis.restart();
    const client = new Redis(redis.url);
    await until(async () => (await client.get('back')) === secretOf('p'), 'the secret is in Redis again');
    expect((await join('back', 'q')).current()).toBe(secretOf('p'));
    client.disconnect();
  });

  test('ignore values that another program wrote', async () => {
    const { Redis } = await import('ioredis');
    const client = new Redis(redis.url);
    await client.set('foreign', 'too short');
    const { adopted } = await join('foreign', 'o');
    expect(adopted).toEqual([]);
    client.disconnect();
  });

  describe('that serve events', () => {
    let fleet: TestGateway[];
    beforeAll(async () => {
      // Each has its own network, with the same seed and therefore the same data.
      fleet = await Promise.all([1, 2].map(() => createTestGateway({ REDIS_URL: redis.url })));
    });
    afterAll(() => Promise.all((fleet ?? []).map((gateway) => gateway.close())));

    test('accept each other’s cursors', async () => {
      const [one, two] = fleet as [TestGateway, TestGateway];
      const { endCursor } = (await one.query('{ queryEvents(first: 1) { pageInfo { endCursor } } }')).data.queryEvents
        .pageInfo;
      const { errors } = await two.query(
        'query ($after: String) { queryEvents(first: 1, after: $after) { nodes { type } } }',
        { after: endCursor },
      );
      // Whether its network knows the event is irrelevant here: the cursor was accepted.
      expect(errors?.[0]?.extensions.code ?? 'none').toMatch(/^(none|STALE_CURSOR)$/);
      expect(one.log.concat(two.log).map(({ msg }) => msg)).not.toContain('an unexpected error was masked');
    });
  });
});

test.skipIf(redisMissing)(
  redisMissing ?? 'neither a closed gateway nor a failed start leaves a connection to Redis',
  async () => {
    await using redis = await startRedis();
    const looking = new Redis(redis.url);
    const connections = async () =>
      String(await looking.client('LIST'))
        .trim()
        .split('\n').length;
    const devnet = await startTickedDevnet({ sponsorToken: 'a-token-that-lasts' });
    const env = {
      LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
      LEDGER_RPC_URL: devnet.rpcUrl,
      SPONSOR_URL: devnet.sponsorUrl,
      SPONSOR_TOKEN: 'a-token-that-lasts',
      SPONSOR_ALLOW_ANONYMOUS: 'true',
      CORS_ORIGINS: 'https://app.example',
      REDIS_URL: redis.url,
      LEASE_KEYS: 'a-key-for-leases-that-is-long-enough-0123456789',
    };
    const gateway = await createTestGateway(env);
    const client = overWebSocket(
      `${gateway.url}/graphql`,
      'subscription { liveEvents { ... on LiveEventItem { cursor event { id } } } }',
    );
    await until(() => {
      devnet.tick();
      return client.ids.length > 0;
    }, 'a first event');
    // Rate limits, sponsorship, the key of cursors, two of the live fleet, and the one that looks.
    expect(await connections()).toBe(6);
    await gateway.close();
    await until(async () => (await connections()) === 1, 'no connection of the closed gateway');

    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { readonly port: number };
    await expect(createTestGateway({ ...env, HOST: '127.0.0.1', PORT: String(port) })).rejects.toThrow('in use');
    await until(async () => (await connections()) === 1, 'no connection of the gateway that did not start');
    taken.close();
    await client.leave();
    looking.disconnect();
    await devnet.close();
  },
);
