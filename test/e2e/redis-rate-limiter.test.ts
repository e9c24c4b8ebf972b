import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOutage, createRateLimiter, openRateStore, type RateLimiter } from '../../src/callers/rate-limiter.ts';
import { Secret } from '../../src/config/secret.ts';
import { describeRateLimiter } from '../support/rate-limiter-suite.ts';
import { type RedisServer, redisMissing, startRedis } from '../support/redis-server.ts';
import { until } from '../support/until.ts';

/** Long timeouts: a fleet must count exactly even on a busy test machine. */
const patientMs = 30_000;

interface Instance extends RateLimiter {
  /** Its log messages. */
  readonly seen: string[];
}

async function openInstance(
  url: string,
  options: { readonly perMinute: number; readonly sharedBy?: number; readonly timeoutMs?: number },
): Promise<Instance> {
  const { perMinute, sharedBy = 1, timeoutMs } = options;
  const seen: string[] = [];
  const outage = createOutage({ began: (reason) => seen.push(reason), ended: () => seen.push('back') });
  const redis = { kind: 'redis', url: new Secret(url), ...(timeoutMs ? { timeoutMs } : {}) } as const;
  const store = await openRateStore(redis, outage);
  return Object.assign(createRateLimiter({ store, perMinute, sharedBy, outage, now: Date.now }), { seen });
}

if (redisMissing) {
  test.skip(redisMissing, () => {});
} else {
  describeRateLimiter('in Redis', async () => {
    const redis = await startRedis();
    const opened: Instance[] = [];
    return {
      async open(perMinute) {
        const limiter = await openInstance(redis.url, { perMinute, timeoutMs: patientMs });
        opened.push(limiter);
        return limiter;
      },
      async close() {
        for (const limiter of opened) limiter.close();
        await redis[Symbol.asyncDispose]();
      },
    };
  });

  describe('a fleet', () => {
    let redis: RedisServer;
    beforeAll(async () => {
      redis = await startRedis();
    });
    afterAll(() => redis?.[Symbol.asyncDispose]());

    test('grants exactly the limit when two instances send 5,000 attempts at once', async () => {
      const options = { perMinute: 777, timeoutMs: patientMs };
      const fleet = await Promise.all([openInstance(redis.url, options), openInstance(redis.url, options)]);
      const caller = { rate: { key: 'crowd', perMinute: null } };
      const answers = await Promise.all(
        Array.from({ length: 5_000 }, (_, index) => fleet[index % 2]!.consume(caller, 1)),
      );
      expect(answers.filter((answer) => answer?.isGranted)).toHaveLength(777);
      expect(fleet.flatMap(({ seen }) => seen)).toEqual([]);
      for (const limiter of fleet) limiter.close();
    });

    test('keeps its counts under its own prefix, and only for one window', async () => {
      const limiter = await openInstance(redis.url, { perMinute: 5, timeoutMs: patientMs });
      await limiter.consume({ rate: { key: 'address:203.0.113.9', perMinute: null } }, 3);
      const client = new Redis(redis.url);
      const key = 'ledger-gateway:rate:address:203.0.113.9';
      expect(await client.get(key)).toBe('3');
      expect(await client.ttl(key)).toSatisfy((seconds: number) => seconds > 50 && seconds <= 60);
      client.disconnect();
      limiter.close();
    });

    test('does not call Redis for callers that are over the limit', async () => {
      const limiter = await openInstance(redis.url, { perMinute: 3, timeoutMs: patientMs });
      const hammering = { rate: { key: 'hammering', perMinute: null } };
      for (let attempt = 0; attempt < 10; attempt++) await limiter.consume(hammering, 1);
      const client = new Redis(redis.url);
      expect(await client.get('ledger-gateway:rate:hammering')).toBe('3');
      client.disconnect();
      limiter.close();
    });

    test('a wrong password is reported without the password', async () => {
      const guarded = await startRedis(['--requirepass', 'right']);
      const limiter = await openInstance(guarded.url.replace('//', '//default:hunter2@'), { perMinute: 5 });
      expect(await limiter.consume({ rate: { key: 'a', perMinute: null } }, 1)).toMatchObject({ isGranted: true });
      expect(limiter.seen).toHaveLength(1);
      expect(limiter.seen[0]).toMatch(/WRONGPASS|NOAUTH/);
      expect(limiter.seen[0]).not.toContain('hunter2');
      limiter.close();
      await guarded[Symbol.asyncDispose]();
    });
  });

  describe('an instance whose Redis fails', () => {
    const caller = { rate: { key: 'somebody', perMinute: null } };
    /** How long it waits for Redis: longer than for its turn on a machine that runs other tests. */
    const timeoutMs = 1_500;
    const limits = { perMinute: 100, sharedBy: 4, timeoutMs };

    async function timed<T>(work: () => Promise<T>): Promise<{ readonly answer: T; readonly tookMs: number }> {
      const startedAt = performance.now();
      const answer = await work();
      return { answer, tookMs: performance.now() - startedAt };
    }

    /** Sends attempts until Redis counts again, with the whole limit instead of the share. */
    const recovered = (limiter: RateLimiter) =>
      expect.poll(async () => (await limiter.peek(caller))?.limit, { timeout: 20_000, interval: 20 }).toBe(100);

    test.each([
      ['killed', (redis: RedisServer) => redis.kill(), (redis: RedisServer) => redis.restart()],
      ['frozen', async (redis: RedisServer) => redis.freeze(), async (redis: RedisServer) => redis.thaw()],
    ])('%s continues immediately with its share, and returns by itself', async (_, take, giveBack) => {
      await using redis = await startRedis();
      const limiter = await openInstance(redis.url, limits);
      expect(await limiter.consume(caller, 1)).toMatchObject({ isGranted: true, limit: 100, remaining: 99 });

      // Attempts are in flight when Redis fails.
      const underWay = Array.from({ length: 20 }, () => timed(() => limiter.consume(caller, 1)));
      await take(redis);
      const away = await Promise.all(Array.from({ length: 200 }, () => timed(() => limiter.consume(caller, 1))));
      const all = [...(await Promise.all(underWay)), ...away];
      // They wait concurrently: one after the other, they would take minutes.
      expect(Math.max(...all.map(({ tookMs }) => tookMs))).toBeLessThan(20 * timeoutMs);

      // Its share is bounded: a quarter of the limit. Attempts in flight may still have been counted in Redis.
      const fromShare = all.filter(({ answer }) => answer?.isGranted && answer.limit === 25);
      expect(fromShare).toHaveLength(25);
      expect(all.filter(({ answer }) => answer?.isGranted).length).toBeLessThanOrEqual(25 + 20);

      // Once Redis is known to be unavailable, no attempt waits for it.
      const doesNotWait = async () => (await timed(() => limiter.consume(caller, 1))).tookMs < timeoutMs;
      await until(doesNotWait, 'an attempt that does not wait');

      await giveBack(redis);
      await recovered(limiter);
      expect(await limiter.consume({ rate: { key: 'another', perMinute: null } }, 1)).toMatchObject({
        isGranted: true,
        limit: 100,
        remaining: 99,
      });
      expect(limiter.seen).toHaveLength(2);
      expect(limiter.seen[1]).toBe('back');
      limiter.close();
    });

    test('with an error for every attempt counts locally, and returns when Redis is repaired', async () => {
      await using redis = await startRedis();
      const limiter = await openInstance(redis.url, limits);
      const operator = new Redis(redis.url);
      await operator.config('SET', 'maxmemory', '1');
      expect(await limiter.consume(caller, 1)).toMatchObject({ isGranted: true, limit: 25, remaining: 24 });
      expect(await limiter.consume(caller, 1)).toMatchObject({ isGranted: true, limit: 25, remaining: 23 });
      await operator.config('SET', 'maxmemory', '0');
      expect(await limiter.consume(caller, 1)).toMatchObject({ isGranted: true, limit: 100, remaining: 99 });
      expect(limiter.seen).toEqual([expect.stringContaining('OOM'), 'back']);
      operator.disconnect();
      limiter.close();
    });

    test('at its start starts nevertheless, and uses Redis once it is available', async () => {
      await using redis = await startRedis();
      await redis.kill();
      const limiter = await openInstance(redis.url, limits);
      expect(await limiter.consume(caller, 1)).toMatchObject({ isGranted: true, limit: 25 });
      await redis.restart();
      await recovered(limiter);
      limiter.close();
    });
  });
}
