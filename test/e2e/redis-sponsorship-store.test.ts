import fc from 'fast-check';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { commitScript } from '../../src/sponsor/redis-store/redis-store.ts';
import { createMemoryStore } from '../../src/sponsor/store/memory-store.ts';
import { textLifeMs } from '../../src/sponsor/store/sponsorship-store.ts';
import { redisMissing, startRedis } from '../support/redis-server.ts';
import { openRedisStore } from '../support/redis-sponsorship-store.ts';
import { runs, seed } from '../support/runs.ts';
import { newFlow, noon } from '../support/sponsorship-flow.ts';
import { arbitrarySteps, newWorld, takeStep } from '../support/sponsorship-steps.ts';
import { describeSponsorshipStore } from '../support/sponsorship-store-suite.ts';
import { until } from '../support/until.ts';

if (redisMissing) {
  test.skip(redisMissing, () => {});
} else {
  describeSponsorshipStore('in Redis', async () => {
    const redis = await startRedis();
    const [one, other] = await Promise.all([openRedisStore(redis.url), openRedisStore(redis.url)]);
    const opened = [one, other];
    return {
      async open(bounds) {
        if (!bounds) return { one, other };
        const bounded = await openRedisStore(redis.url, { bounds });
        opened.push(bounded);
        return { one: bounded, other: bounded };
      },
      /** Whatever the tests did, all of it expires, and a closed store has no connection. */
      async close() {
        const looking = new Redis(redis.url);
        const keys = await looking.keys('*');
        expect(keys.length).toBeGreaterThan(100);
        for (const key of keys) expect([key, await looking.pttl(key)]).toEqual([key, expect.toSatisfy((ms) => ms > 0)]);
        for (const store of opened) await store.close();
        const connections = async () =>
          String(await looking.client('LIST'))
            .trim()
            .split('\n').length;
        await until(async () => (await connections()) === 1, 'no connection but the one that looks');
        looking.disconnect();
        await redis[Symbol.asyncDispose]();
      },
    };
  });

  test('keeps nothing of credentials that the sponsor rejected', async () => {
    await using redis = await startRedis();
    const store = await openRedisStore(redis.url);
    const looking = new Redis(redis.url);
    const idempotency = { key: 'once', bodyHash: 'body' };
    const { reservation, reservationEnd } = newFlow();
    await store.beginReservation(reservation({ idempotency }));
    await store.endReservation(reservationEnd({ kind: 'refused' }));
    const { execution, executionEnd } = newFlow();
    await store.beginExecution(execution({ mustBeKnown: false, attempt: 'mine', idempotency }));
    await store.endExecution(
      executionEnd({ kind: 'refused', attempt: 'mine', isOfNobody: true }, { answer: 'refused' }),
    );
    expect(await looking.keys('*')).toEqual([]);
    looking.disconnect();
    await store.close();
  });

  test('keeps budgets for more than a day, and nothing without an expiry within two', async () => {
    await using redis = await startRedis();
    const store = await openRedisStore(redis.url);
    const looking = new Redis(redis.url);
    const gas = { key: 'gas', perDay: 1_000 };
    const nowMs = Date.now();
    const times = { nowMs, expiresAtMs: nowMs + 60_000, answerByMs: nowMs + 30_000 };
    const expectLives = async () => {
      const keys = await looking.keys('*');
      for (const key of keys) {
        const leftMs = await looking.pttl(key);
        // A budget that is forgotten before its day is over could be spent twice.
        const leastMs = /:gas:/.test(key) ? 24 * 3_600_000 : 0;
        expect([key, leftMs > leastMs && leftMs <= 48 * 3_600_000]).toEqual([key, true]);
      }
      return keys;
    };
    for (const outcome of ['unknown', 'executed', 'refused', null] as const) {
      const { reservation, reservationEnd, execution, executionEnd } = newFlow();
      const idempotency = { key: `key ${outcome}`, bodyHash: 'body' };
      await store.beginReservation(reservation({ ...times, gas, idempotency }));
      await store.endReservation(reservationEnd({ kind: 'reserved', answer: 'coins' }, nowMs));
      await expectLives();
      await store.beginExecution(
        execution({ ...times, attempt: 'mine', idempotency: outcome === null ? null : idempotency }),
      );
      const end = outcome === 'executed' ? ({ kind: outcome, gasUsed: 7 } as const) : { kind: outcome ?? 'unknown' };
      if (outcome) await store.endExecution(executionEnd(end as { kind: 'unknown' }, { nowMs, answer: 'effects' }));
      expect((await expectLives()).some((key) => key.endsWith(':overdue'))).toBe(true);
    }
    looking.disconnect();
    await store.close();
  });

  test('commits nothing that was decided upon another run of the server', async () => {
    await using redis = await startRedis();
    const looking = new Redis(redis.url);
    const info = `${await looking.info('server')}${await looking.info('replication')}`;
    const [run, primary] = [/run_id:(\w+)/, /master_replid:(\w+)/].map((pattern) => pattern.exec(info)?.[1]);
    const commit = (of: string) => looking.eval(commitScript, 1, 'name', of, 'put', '1 {}', '', '60000');
    for (const other of [`other:${primary}`, `${run}:other`, ':']) expect(await commit(other)).toBe(0);
    expect(await looking.keys('*')).toEqual([]);
    for (const same of [`${run}:${primary}`, '-']) expect(await commit(same)).toBe(1);
    expect(await looking.get('name')).toBe('1 {}');
    looking.disconnect();
  });

  test('lists no answer longer than it is kept', async () => {
    await using redis = await startRedis();
    const store = await openRedisStore(redis.url);
    const looking = new Redis(redis.url);
    const { caller } = newFlow();
    for (const nowMs of [noon, noon + textLifeMs]) {
      const { reservation, reservationEnd } = newFlow(caller);
      await store.beginReservation(reservation({ nowMs, expiresAtMs: nowMs + 600_000 }));
      await store.endReservation(reservationEnd({ kind: 'reserved', answer: 'coins' }, nowMs));
    }
    const [list = ''] = await looking.keys('*holds:texts:*');
    expect(await looking.zcard(list)).toBe(1);
    looking.disconnect();
    await store.close();
  });

  test('behaves like the memory of one process, whatever callers do, also concurrently', async () => {
    await using redis = await startRedis();
    const fleet = await Promise.all([openRedisStore(redis.url), openRedisStore(redis.url)]);
    let names = 0;
    await fc.assert(
      fc.asyncProperty(arbitrarySteps, async (steps) => {
        const name = `${++names}`;
        const [shared, alone] = [newWorld(fleet, name), newWorld([createMemoryStore()], name)];
        for (const [index, step] of steps.entries()) {
          expect(await takeStep(shared, step, index)).toEqual(await takeStep(alone, step, index));
        }
      }),
      { numRuns: runs(60), seed },
    );
    for (const store of fleet) await store.close();
  });
}
