import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../src/config/secret.ts';
import { createRedisLeasedLogs } from '../../src/live/fleet/redis-leased-log.ts';
import { connectRedisStore } from '../../src/sponsor/redis-store/redis-store.ts';
import { connectRedis } from '../../src/upstream/connect-redis.ts';
import { holdLoop } from '../support/hold-loop.ts';
import { type RedisServer, redisMissing, startRedis } from '../support/redis-server.ts';
import { newFlow } from '../support/sponsorship-flow.ts';
import { createTestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

describe.skipIf(redisMissing)(redisMissing ?? 'while this process is busy and Redis is well', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    redis?.thaw();
    await redis?.[Symbol.asyncDispose]();
  });

  const open = async () => {
    const told: string[] = [];
    const client = await connectRedis(
      { url: new Secret(redis.url) },
      { failed: (error) => told.push(String(error)), ready: () => told.push('ready') },
    );
    return { client, told };
  };

  it('a response that waits to be read counts as received', async () => {
    const { client, told } = await open();
    for (let round = 0; round < 3; round += 1) {
      const answered = Promise.all([client.set('a', 'b'), client.get('a')]);
      holdLoop(400);
      expect(await answered).toEqual(['OK', 'b']);
    }
    expect(told).toEqual(['ready']);
    client.disconnect();
  });

  it('a command that Redis rejects is not waited for', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const client = await connectRedis(
      { url: new Secret(redis.url), timeoutMs: 3_600_000 },
      { failed: () => {}, ready: () => {} },
    );
    await client.set('text', 'a');
    const before = timers();
    const commands = Array.from({ length: 50 }, () => client.llen('text').catch(String));
    expect(new Set(await Promise.all(commands)).size).toBe(1);
    await until(() => timers() < before + 25, 'their timeouts to end');
    client.disconnect();
  });

  it('a frozen Redis still counts as unavailable', async () => {
    const { client, told } = await open();
    redis.freeze();
    const answered = client.get('a').catch(String);
    holdLoop(400);
    expect(await answered).toContain('MaxRetriesPerRequestError');
    redis.thaw();
    await expect.poll(() => told.at(-1)).toBe('ready');
    expect(told.some((each) => each.includes('300 ms'))).toBe(true);
    client.disconnect();
  });

  it('the fleet’s log stays available', async () => {
    const logs = createRedisLeasedLogs({ url: new Secret(redis.url) });
    const log = logs.open('all', () => {});
    await log.read(null, false);
    const view = log.read(null, false);
    await nextTurn();
    holdLoop(1_200);
    expect(await view).toMatchObject({ leader: 'nobody' });
    await log.leave();
    await logs.close();
  });

  it('a step of sponsorship succeeds', async () => {
    const told: string[] = [];
    const events = { failed: (error: unknown) => void told.push(String(error)), ready: () => {}, mayEvict: () => {} };
    const store = await connectRedisStore({ url: new Secret(redis.url), timeoutMs: 300 }, events);
    const begun = store.beginReservation(newFlow().reservation());
    holdLoop(400);
    expect(await begun).toMatchObject({ kind: 'begun' });
    expect(told).toEqual([]);
    await store.close();
  });

  it('callers are counted together', async () => {
    const gateway = await createTestGateway({ REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: '1000' });
    const asked = gateway.query('{ gateway { version } }');
    let isAnswered = false;
    void asked.finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) {
      await nextTurn();
      holdLoop(400);
    }
    expect((await asked).errors).toBeUndefined();
    const lost = gateway.log.filter(({ msg }) => String(msg).startsWith('shared rate limit store unavailable'));
    expect(lost).toEqual([]);
    await gateway.close();
  });
});
