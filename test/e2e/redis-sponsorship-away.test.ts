import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/config/secret.ts';
import { connectRedisStore } from '../../src/sponsor/redis-store/redis-store.ts';
import type { SponsorshipStore } from '../../src/sponsor/store/decide.ts';
import { createRetryingStore } from '../../src/sponsor/store/retrying-store.ts';
import { StoreUnavailableError } from '../../src/sponsor/store/sponsorship-store.ts';
import { type RedisServer, redisMissing, startRedis } from '../support/redis-server.ts';
import { openRedisStore } from '../support/redis-sponsorship-store.ts';
import { allowanceOf, newFlow, noon, reserve } from '../support/sponsorship-flow.ts';
import { until } from '../support/until.ts';

const gas = { key: 'gas', perDay: 1_000 };

/** Every step of a store, once each. */
function allSteps(store: SponsorshipStore): Promise<unknown>[] {
  const { caller, leaseId, reservation, reservationEnd, execution, executionEnd } = newFlow();
  return [
    store.beginReservation(reservation()),
    store.endReservation(reservationEnd({ kind: 'refused' })),
    store.beginExecution(execution()),
    store.findExecution({ caller, leaseId, bodyHash: 'body-1', nowMs: noon }),
    store.endExecution(executionEnd({ kind: 'refused' })),
    store.findReservation({ caller, leaseId, nowMs: noon }),
    allowanceOf(store, gas, noon),
  ];
}

async function expectAway(store: SponsorshipStore): Promise<void> {
  const failures = (await Promise.allSettled(allSteps(store))).map((outcome) =>
    outcome.status === 'rejected' ? outcome.reason : outcome.value,
  );
  expect(failures).toEqual(failures.map(() => expect.any(StoreUnavailableError)));
}

const isBack = (store: SponsorshipStore) =>
  until(
    () =>
      allowanceOf(store, gas, noon).then(
        () => true,
        () => false,
      ),
    'the store is back',
  );

async function withRedis(use: (redis: RedisServer, admin: Redis) => Promise<void>, ...options: string[]) {
  await using redis = await startRedis(options);
  const admin = new Redis(redis.url, { retryStrategy: () => 20 });
  admin.on('error', () => {});
  try {
    await use(redis, admin);
  } finally {
    admin.disconnect();
  }
}

if (redisMissing) {
  test.skip(redisMissing, () => {});
} else {
  describe('while Redis is unavailable, each step of sponsorship fails', () => {
    test('when Redis is down, and works again when it is back: an empty Redis knows no lease', () =>
      withRedis(async (redis) => {
        const store = await openRedisStore(redis.url);
        const { execution } = await reserve(store, { gas });
        await redis.kill();
        await expectAway(store);
        await redis.restart();
        await isBack(store);
        expect(await store.beginExecution(execution())).toEqual({ kind: 'unknown' });
        expect(await allowanceOf(store, gas, noon)).toMatchObject({ held: 0, settled: 0 });
        await store.close();
      }));

    test('when Redis is frozen, and no lease is spent by an attempt that failed', () =>
      withRedis(async (redis) => {
        const direct = await openRedisStore(redis.url);
        const hasty = await openRedisStore(redis.url, { timeoutMs: 300 });
        const store = createRetryingStore(hasty, { now: () => noon, givenUp: () => {} });
        const { execution } = await reserve(direct, { gas });
        const { reservation } = newFlow();
        redis.freeze();
        await Promise.all([
          expect(store.beginExecution(execution())).rejects.toThrow(StoreUnavailableError),
          expect(store.beginReservation(reservation({ gas, amount: 200 }))).rejects.toThrow(StoreUnavailableError),
        ]);
        await expectAway(hasty);
        redis.thaw();
        await isBack(hasty);
        // Redis runs what was sent while it was frozen; steps begun this way are undone.
        await until(async () => (await allowanceOf(direct, gas, noon)).held === 100, 'the reservation is taken back');
        await until(async () => (await direct.beginExecution(execution())).kind === 'begun', 'the lease is free');
        await store.close();
        await direct.close();
      }));

    test('when Redis is a read-only replica, until it accepts writes', () =>
      withRedis(async (redis, admin) => {
        const store = await openRedisStore(redis.url);
        const { execution } = await reserve(store);
        await admin.replicaof('127.0.0.1', '1');
        await expect(store.beginExecution(execution())).rejects.toThrow(StoreUnavailableError);
        await expect(store.beginReservation(newFlow().reservation())).rejects.toThrow(StoreUnavailableError);
        await admin.replicaof('NO', 'ONE');
        await isBack(store);
        await until(async () => (await reserve(store)) !== null, 'writes are taken');
        // A replica that was promoted may lack the last writes.
        expect(await store.beginExecution(execution())).toEqual({ kind: 'unknown' });
        await store.close();
      }));

    test('a primary that was a replica for a while is not trusted with the leases of before', () =>
      withRedis(async (redis, admin) => {
        const store = await openRedisStore(redis.url);
        const { execution } = await reserve(store);
        const runOf = async () => /run_id:(\w+)/.exec(await admin.info('server'))?.[1];
        const before = await runOf();
        await admin.replicaof('127.0.0.1', '1');
        await admin.replicaof('NO', 'ONE');
        expect(await runOf()).toBe(before);
        expect(await store.beginExecution(execution())).toEqual({ kind: 'unknown' });
        expect(
          await store.findReservation({ caller: execution().caller, leaseId: execution().leaseId, nowMs: noon }),
        ).toBeNull();
        await store.close();
      }));

    test('a number of the sponsor is shown as active where it would be sent, also after a promotion', () =>
      withRedis(async (redis, admin) => {
        const store = await openRedisStore(redis.url);
        const { caller, reservation, reservationEnd, execution } = newFlow();
        await store.beginReservation(reservation());
        await store.endReservation(reservationEnd({ kind: 'reserved', answer: 'coins', knownAs: '77' }));
        await admin.replicaof('127.0.0.1', '1');
        await admin.replicaof('NO', 'ONE');
        expect(await store.findReservation({ caller, leaseId: '77', nowMs: noon })).toMatchObject({ state: 'active' });
        expect(await store.beginExecution(execution({ leaseId: '77', mustBeKnown: false }))).toEqual({ kind: 'begun' });
        await store.close();
      }));

    test('a budget that was deleted is not below zero, and what its leases still hold counts again', () =>
      withRedis(async (redis, admin) => {
        const store = await openRedisStore(redis.url);
        const [first, second] = [await reserve(store, { gas }), await reserve(store, { gas })];
        await store.beginExecution(first.execution());
        await admin.del(await admin.keys('*account:gas*'));
        expect(await allowanceOf(store, gas, noon)).toMatchObject({ held: 100, settled: 0 });
        await store.endExecution(first.executionEnd({ kind: 'executed', gasUsed: 30 }));
        expect(await allowanceOf(store, gas, noon)).toMatchObject({ held: 100, settled: 30 });
        await admin.del([...(await admin.keys('*account:gas*')), ...(await admin.keys('*holds:gas*'))]);
        await store.beginExecution(second.execution());
        await store.endExecution(second.executionEnd({ kind: 'refused' }));
        expect(await allowanceOf(store, gas, noon)).toMatchObject({ held: 0, settled: 0, free: 1_000 });
        await store.close();
      }));

    test.each([
      ['allkeys-lru', ['allkeys-lru']],
      ['noeviction', []],
    ])('it is told at the start that Redis has the policy %s, if it may drop records', (policy, told) =>
      withRedis(
        async (redis) => {
          const mayEvict: string[] = [];
          const events = { failed: () => {}, ready: () => {}, mayEvict: (name: string) => mayEvict.push(name) };
          const store = await connectRedisStore({ url: new Secret(redis.url) }, events);
          await allowanceOf(store, gas, noon);
          await until(() => mayEvict.length >= told.length, 'the warning');
          expect(mayEvict).toEqual(told);
          await store.close();
        },
        '--maxmemory-policy',
        policy,
      ),
    );

    test('when Redis is out of memory, with nothing half done', () =>
      withRedis(async (redis, admin) => {
        const store = await openRedisStore(redis.url);
        const { execution } = await reserve(store, { gas });
        await admin.config('SET', 'maxmemory', '1');
        await expect(store.beginExecution(execution())).rejects.toThrow(StoreUnavailableError);
        await admin.config('SET', 'maxmemory', '0');
        expect(await allowanceOf(store, gas, noon)).toMatchObject({ held: 100 });
        expect(await store.beginExecution(execution())).toEqual({ kind: 'begun' });
        await store.close();
      }));
  });

  test('reports that Redis is ready at each connection, not only the first', () =>
    withRedis(async (redis) => {
      const told: string[] = [];
      const events = { failed: () => {}, ready: () => void told.push('ready'), mayEvict: () => {} };
      const store = await connectRedisStore({ url: new Secret(redis.url) }, events);
      expect(told).toEqual(['ready']);
      await redis.kill();
      await redis.restart();
      await until(() => told.length === 2, 'Redis is ready again');
      await store.close();
    }));

  test('reports the first rejected step, and the recovery when that step succeeds again', () =>
    withRedis(async (redis, admin) => {
      const told: string[] = [];
      const store = await connectRedisStore(
        { url: new Secret(redis.url), timeoutMs: 30_000 },
        { failed: (error) => told.push(String(error)), ready: () => told.push('ready'), mayEvict: () => {} },
      );
      const { execution } = await reserve(store, { gas });
      await admin.config('SET', 'maxmemory', '1');
      for (let count = 0; count < 2; count += 1) {
        await expect(store.beginExecution(execution())).rejects.toThrow(StoreUnavailableError);
        // Steps that only read succeed nevertheless.
        await store.findReservation({ caller: 'somebody', leaseId: 'nothing', nowMs: noon });
      }
      await admin.config('SET', 'maxmemory', '0');
      expect(await store.beginExecution(execution())).toEqual({ kind: 'begun' });
      const refused = expect.stringContaining('OOM');
      expect(told).toEqual(['ready', refused, refused, 'ready']);
      await store.close();
    }));

  test('stores the outcomes of executions that ended meanwhile when Redis is back', () =>
    withRedis(async (redis) => {
      const direct = await openRedisStore(redis.url);
      const hasty = await openRedisStore(redis.url, { timeoutMs: 300 });
      const store = createRetryingStore(hasty, { now: () => noon, givenUp: () => {} });
      const flows = await Promise.all(Array.from({ length: 5 }, () => reserve(direct, { gas })));
      for (const { execution } of flows) await direct.beginExecution(execution());
      redis.freeze();
      const end = { kind: 'executed', gasUsed: 10 } as const;
      await Promise.all(flows.map(({ executionEnd }) => store.endExecution(executionEnd(end, { answer: 'effects' }))));
      redis.thaw();
      await until(async () => (await allowanceOf(direct, gas, noon)).settled === 50, 'all are settled');
      expect(await allowanceOf(direct, gas, noon)).toMatchObject({ held: 0 });
      await store.close();
      await direct.close();
    }));

  test('one lease begins at most once while connections break during many attempts', () =>
    withRedis(async (redis, admin) => {
      const fleet = await Promise.all([openRedisStore(redis.url), openRedisStore(redis.url)]);
      const kinds: string[] = [];
      for (let round = 0; round < 4; round += 1) {
        await Promise.all(fleet.map(isBack));
        const { execution } = await reserve(fleet[0]!);
        const begins = Array.from({ length: 20 }, (_, index) => fleet[index % 2]!.beginExecution(execution()));
        const cut = admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        const outcomes = await Promise.allSettled(begins);
        await cut;
        const begun = outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value.kind === 'begun');
        expect(begun.length).toBeLessThanOrEqual(1);
        kinds.push(...outcomes.map(({ status }) => status));
      }
      expect(kinds).toHaveLength(80);
      await Promise.all(fleet.map((store) => store.close()));
    }));

  test('an emptied Redis lets no earlier lease be executed, and accepts no end of it', () =>
    withRedis(async (redis, admin) => {
      const store = await openRedisStore(redis.url);
      const [dispatched, reserved, asked] = [await reserve(store, { gas }), await reserve(store, { gas }), newFlow()];
      await store.beginReservation(asked.reservation({ gas }));
      await store.beginExecution(dispatched.execution());
      await admin.flushall();
      await admin.script('FLUSH');
      expect(await store.beginExecution(dispatched.execution())).toEqual({ kind: 'unknown' });
      expect(await store.beginExecution(reserved.execution())).toEqual({ kind: 'unknown' });
      await store.endReservation(asked.reservationEnd({ kind: 'reserved', answer: 'coins' }));
      expect(await store.beginExecution(asked.execution())).toEqual({ kind: 'unknown' });
      await store.endExecution(dispatched.executionEnd({ kind: 'executed', gasUsed: 10 }));
      expect(await allowanceOf(store, gas, noon)).toMatchObject({ held: 0, settled: 0 });
      await store.close();
    }));

  test('a Redis restarted from disk, or replaced by another, lets no earlier lease be executed', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'ledger-gateway-'));
    await withRedis(
      async (redis, admin) => {
        const store = await openRedisStore(redis.url);
        const { caller, leaseId, execution } = await reserve(store, { gas });
        const ended = await reserve(store, { gas, idempotency: { key: 'once', bodyHash: 'body' } });
        const idempotency = { key: 'once', bodyHash: 'body-1' };
        await store.beginExecution(ended.execution({ idempotency }));
        await store.endExecution(ended.executionEnd({ kind: 'executed', gasUsed: 30 }, { answer: 'effects' }));
        await admin.save();
        // Later writes are lost, as in the last moments before a crash or a failover.
        expect(await store.beginExecution(execution())).toEqual({ kind: 'begun' });
        await redis.kill();
        await redis.restart();
        await isBack(store);
        expect(await store.findReservation({ caller, leaseId, nowMs: noon })).toBeNull();
        expect(await store.beginExecution(execution())).toEqual({ kind: 'unknown' });
        // What was kept is known.
        expect(await store.beginExecution(ended.execution({ idempotency }))).toEqual({
          kind: 'replay',
          answer: 'effects',
        });
        expect(await store.beginExecution(ended.execution())).toMatchObject({ kind: 'spent' });
        expect(await allowanceOf(store, gas, noon)).toMatchObject({ held: 100, settled: 30 });
        expect(await store.beginExecution((await reserve(store)).execution())).toEqual({ kind: 'begun' });
        await store.close();
      },
      '--dir',
      dir,
    );
    await rm(dir, { recursive: true });
  });

  test('each step is one round trip, all keys share one slot, and every key expires', () =>
    withRedis(async (redis, admin) => {
      const store = await openRedisStore(redis.url);
      await Promise.all(allSteps(store));
      await admin.call('CONFIG', 'RESETSTAT');
      const idempotency = { key: 'once', bodyHash: 'body' };
      const one = await reserve(store, { gas, idempotency });
      await store.beginExecution(one.execution({ idempotency }));
      await store.endExecution(one.executionEnd({ kind: 'executed', gasUsed: 1 }, { answer: 'effects' }));
      const two = await reserve(store, { gas });
      await store.beginExecution(two.execution({ attempt: 'mine' }));
      await store.endExecution(two.executionEnd({ kind: 'not-sent', attempt: 'mine' }));
      const three = newFlow();
      await store.beginReservation(three.reservation({ gas }));
      await store.endReservation(three.reservationEnd({ kind: 'reserved', answer: 'coins', knownAs: '5' }));
      const stats = String(await admin.info('commandstats'));
      expect(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1]).toBe('10');
      expect(stats).not.toContain('cmdstat_eval:');
      const keys = await admin.keys('*');
      expect(keys.length).toBeGreaterThan(10);
      // The part in braces alone decides the slot of a cluster.
      expect(keys.filter((key) => !key.startsWith('ledger-gateway:{sponsorship}:'))).toEqual([]);
      const lives = await Promise.all(keys.map(async (key) => [key, await admin.pttl(key)] as const));
      const twoDaysMs = 2 * 86_400_000;
      expect(lives.filter(([, ms]) => ms <= 0 || ms > twoDaysMs)).toEqual([]);
      await store.close();
    }));
}
