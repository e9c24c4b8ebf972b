import fc from 'fast-check';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { Secret } from '../../src/config/secret.ts';
import type { LeasedLog, LeasedLogs } from '../../src/live/fleet/leased-log.ts';
import { createRedisLeasedLogs } from '../../src/live/fleet/redis-leased-log.ts';
import { createMemoryLogs } from '../support/memory-leased-log.ts';
import { redisMissing, startRedis } from '../support/redis-server.ts';
import { runs } from '../support/runs.ts';
import { until } from '../support/until.ts';

/** Long timeouts: no response may be too late on a busy test machine. */
const timeoutMs = 30_000;

const step = fc.record({
  process: fc.nat(1),
  does: fc.constantFrom('read', 'read', 'read newest', 'lead', 'append', 'append', 'append', 'leave'),
  text: fc.string({ maxLength: 40, unit: 'grapheme' }),
  /** After which of the written entries. */
  back: fc.nat(3),
  renew: fc.boolean(),
  maxEntries: fc.integer({ min: 1, max: 5 }),
});

/** Two processes that follow one query, and the ids of their entries. */
interface World {
  readonly logs: readonly LeasedLogs[];
  readonly query: string;
  readonly members: LeasedLog[];
  readonly ids: string[];
}

function open(logs: readonly LeasedLogs[], query: string): World {
  return { logs, query, members: logs.map((each) => each.open(query, () => {})), ids: [] };
}

/** Ids are named in the order of writing, because they contain the time. */
async function take(
  world: World,
  { process, does, text, back, renew, maxEntries }: typeof step extends fc.Arbitrary<infer S> ? S : never,
) {
  const { members, ids } = world;
  const member = members[process] as LeasedLog;
  const known = ids.at(-1 - back) ?? ids.at(-1);
  const name = (id: string | null) => (id === null ? null : ids.indexOf(id));
  const note = (id: string | null) => {
    if (id !== null) ids.push(id);
    return name(id);
  };
  switch (does) {
    case 'read':
    case 'read newest': {
      const after = does === 'read' ? (known ?? '0') : null;
      const { entries, newest, leader } = await member.read(after, renew);
      // How many arrive together is up to them.
      const first = entries.slice(0, 4).map((each) => [name(each.id), name(each.behind), each.text]);
      return { leader, newest: name(newest), first };
    }
    case 'lead':
      return note(await member.lead(text));
    case 'append':
      return note(await member.append(known ?? '', text, maxEntries));
    default:
      await member.leave();
      members[process] = (world.logs[process] as LeasedLogs).open(world.query, () => {});
      return null;
  }
}

if (redisMissing) {
  test.skip(redisMissing, () => {});
} else {
  test('a log in Redis behaves like a log in memory, whatever processes do', async () => {
    await using redis = await startRedis();
    const url = new Secret(redis.url);
    const shared = [createRedisLeasedLogs({ url, timeoutMs }), createRedisLeasedLogs({ url, timeoutMs })];
    let queries = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const query = `query ${++queries}`;
        const inRedis = open(shared, query);
        const memory = createMemoryLogs({ now: () => 0 });
        const inMemory = open([memory.forProcess(), memory.forProcess()], query);
        for (const each of steps) expect(await take(inRedis, each)).toEqual(await take(inMemory, each));
        for (const member of inRedis.members) await member.leave();
      }),
      { numRuns: runs(40) },
    );
    for (const each of shared) await each.close();
  });

  test('announces entries and returned leases, and leaves neither subscriptions nor permanent keys', async () => {
    await using redis = await startRedis();
    const url = new Secret(redis.url);
    const [one, other] = [createRedisLeasedLogs({ url, timeoutMs }), createRedisLeasedLogs({ url, timeoutMs })];
    let changes = 0;
    const asks: string[] = [];
    const leader = one.open('https://node.example/with-a-key', (ask) => asks.push(ask));
    const follower = other.open('https://node.example/with-a-key', () => {
      changes += 1;
    });
    const another = other.open('another', () => expect.unreachable('a change of another query'));
    const client = new Redis(redis.url);
    const channels = () => client.pubsub('CHANNELS');
    await until(async () => (await channels()).length === 2, 'two channels');
    const id = await leader.lead('opening');
    await until(() => changes === 1, 'an announced opening');
    expect(await leader.append(id ?? '', 'news', 9)).toBe(id?.replace(/\d+$/, (number) => String(Number(number) + 1)));
    await until(() => changes === 2, 'an announced entry');
    const keys = await client.keys('*');
    expect(keys.filter((key) => !/^ledger-gateway:\{live\}:[\w-]{43}:(lease|news)$/.test(key))).toEqual([]);
    for (const key of keys) expect(await client.pttl(key)).toBeGreaterThan(0);
    for (const key of keys) await client.pexpire(key, 2_000);
    await leader.read(null, true);
    for (const key of keys) expect(await client.pttl(key)).toBeGreaterThan(2_000);
    await follower.ask('a poll');
    await until(() => changes === 3 && asks.at(-1) === 'a poll', 'an announced ask');
    expect(asks).toEqual(['', '', 'a poll']);
    await leader.leave();
    await until(() => changes === 4, 'an announced departure');
    expect(await client.exists(keys.filter((key) => key.endsWith(':lease')))).toBe(0);
    await Promise.all([follower.leave(), another.leave()]);
    await until(async () => (await channels()).length === 0, 'no channel');
    client.disconnect();
    await Promise.all([one.close(), other.close()]);
  });

  test('stops a leader that lost its entries from writing after them, and lets it begin again', async () => {
    await using redis = await startRedis();
    const logs = createRedisLeasedLogs({ url: new Secret(redis.url), timeoutMs });
    const log = logs.open('a query', () => {});
    const id = await log.lead('opening');
    const client = new Redis(redis.url);
    await client.del(await client.keys('*:news'));
    client.disconnect();
    expect(await log.append(id ?? '', 'news', 9)).toBeNull();
    expect(await log.read(id, true)).toEqual({ leader: 'me', newest: null, entries: [] });
    const again = await log.lead('again');
    expect(again).not.toBe(id);
    expect((await log.read(null, true)).entries).toEqual([{ id: again, behind: null, text: 'again' }]);
    await log.leave();
    await logs.close();
  });

  test('subscribes to a query while this process has an open log for it, and not after that', async () => {
    await using redis = await startRedis();
    const logs = createRedisLeasedLogs({ url: new Secret(redis.url), timeoutMs });
    const client = new Redis(redis.url);
    const channels = async () => (await client.pubsub('CHANNELS')).length;
    const connections = async () =>
      String(await client.client('LIST'))
        .trim()
        .split('\n').length;
    const heard: string[] = [];
    const open = (name: string) => logs.open('a query', () => heard.push(name));
    const [first, second, stays] = [open('first'), open('second'), open('stays')];
    await until(async () => (await channels()) === 1, 'a channel');
    await Promise.all([first.leave(), second.leave()]);
    // Commands of one connection arrive in order, so a channel left would be closed by then.
    await until(async () => {
      await stays.lead('opening');
      return heard.includes('stays');
    }, 'a change for the log that stays');
    expect(await channels()).toBe(1);
    expect(await connections()).toBe(3);
    await stays.leave();
    await until(async () => (await channels()) === 0, 'no channel');
    await logs.close();
    await until(async () => (await connections()) === 1, 'no connection but the one that looks');
    client.disconnect();
    expect(heard).not.toContain('first');
  });
}
