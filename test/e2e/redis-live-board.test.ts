import fc from 'fast-check';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { Secret } from '../../src/config/secret.ts';
import type { Board, BoardQuery, Lead } from '../../src/live/fleet/board.ts';
import { createRedisBoard } from '../../src/live/fleet/redis-board.ts';
import { createMemoryBoard } from '../support/memory-board.ts';
import { redisMissing, startRedis } from '../support/redis-server.ts';
import { runs } from '../support/runs.ts';
import { until } from '../support/until.ts';

/** No answer of a busy test machine may come too late. */
const timeoutMs = 30_000;

const step = fc.record({
  who: fc.nat(1),
  does: fc.constantFrom('look', 'look', 'lead', 'add', 'add', 'add', 'ask', 'answer', 'leave'),
  text: fc.string({ maxLength: 40, unit: 'grapheme' }),
  front: fc.constantFrom(undefined, null, 'a', 'b:1'),
  /** Behind which of the entries that it knows. */
  back: fc.nat(3),
  mostBytes: fc.constantFrom(10, 100, 1_000),
});

/** Two who follow one query, and what they know of it. */
interface World {
  readonly boards: readonly Board[];
  readonly query: string;
  readonly members: BoardQuery[];
  readonly leads: (Lead | null)[];
  readonly ids: string[];
}

function open(boards: readonly Board[], query: string): World {
  return { boards, query, members: boards.map((board) => board.open(query, () => {})), leads: [null, null], ids: [] };
}

/** Ids are named by when they were given: they tell the time. */
async function take(
  world: World,
  { who, does, text, front, back, mostBytes }: typeof step extends fc.Arbitrary<infer S> ? S : never,
) {
  const { members, leads, ids } = world;
  const member = members[who] as BoardQuery;
  const known = ids.at(-1 - back) ?? ids.at(-1) ?? null;
  const name = (id: string | null) => (id === null ? null : ids.indexOf(id));
  const note = (id: string | null) => {
    if (id !== null && !ids.includes(id)) ids.push(id);
    return name(id);
  };
  const token = leads[who]?.token ?? 'none';
  switch (does) {
    case 'look': {
      const { entries, tail, ...sight } = await member.look(known ?? '0', leads[who] ?? null);
      // How many come at once is theirs.
      const first = entries.slice(0, 4).map(({ id, behind, text: told }) => [name(id), name(behind), told]);
      return { ...sight, tail: name(tail), first };
    }
    case 'lead': {
      const lead = await member.lead({ text, front });
      leads[who] = lead ?? leads[who] ?? null;
      return lead && { id: note(lead.id), asked: lead.asked };
    }
    case 'add':
      return note(await member.add({ token }, known ?? '', { text, front }, mostBytes));
    case 'ask':
      return member.ask();
    case 'answer':
      return member.answer({ token }, back);
    default:
      await member.leave();
      members[who] = (world.boards[who] as Board).open(world.query, () => {});
      leads[who] = null;
      return null;
  }
}

if (redisMissing) {
  test.skip(redisMissing, () => {});
} else {
  test('answers as the one in memory does, whatever processes do', async () => {
    await using redis = await startRedis();
    const url = new Secret(redis.url);
    const shared = [createRedisBoard({ url, timeoutMs }), createRedisBoard({ url, timeoutMs })];
    let queries = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const query = `query ${++queries}`;
        const inRedis = open(shared, query);
        const memory = createMemoryBoard({ now: () => 0 });
        const inMemory = open([memory.forProcess(), memory.forProcess()], query);
        for (const each of steps) expect(await take(inRedis, each)).toEqual(await take(inMemory, each));
        for (const member of inRedis.members) await member.leave();
      }),
      { numRuns: runs(40) },
    );
    for (const board of shared) await board.close();
  });

  test('rings for those who follow a query, and keeps neither its text nor anything for ever', async () => {
    await using redis = await startRedis();
    const url = new Secret(redis.url);
    const [one, other] = [createRedisBoard({ url, timeoutMs }), createRedisBoard({ url, timeoutMs })];
    const rings: string[] = [];
    const leader = one.open('https://node.example/with-a-key', () => {});
    const follower = other.open('https://node.example/with-a-key', (why) => rings.push(why));
    const another = other.open('another', () => rings.push('of another'));
    await until(async () => {
      await follower.ask();
      return rings.includes('asked');
    }, 'a ring');
    const lead = await leader.lead({ text: 'opening', front: null });
    expect(await leader.add(lead as Lead, lead?.id ?? '', { text: 'news', front: 'a' }, 1_000)).toBe(
      (lead?.id ?? '').replace(/\d+$/, (number) => String(Number(number) + 1)),
    );
    await leader.leave();
    await until(() => rings.at(-1) === 'left', 'the last ring');
    expect(new Set(rings)).toEqual(new Set(['asked', 'told', 'left']));
    const client = new Redis(redis.url);
    const keys = await client.keys('*');
    expect(keys.filter((key) => !/^ledger-gateway:\{live\}:[\w-]{43}:(state|news)$/.test(key))).toEqual([]);
    for (const key of keys) expect(await client.pttl(key)).toBeGreaterThan(0);
    expect(await client.pubsub('CHANNELS')).toHaveLength(2);
    await Promise.all([follower.leave(), another.leave()]);
    await until(async () => (await client.pubsub('CHANNELS')).length === 0, 'nobody to listen');
    client.disconnect();
    await Promise.all([one.close(), other.close()]);
  });

  test('keeps as much as it may after Redis has thrown away the entries alone', async () => {
    await using redis = await startRedis();
    const board = createRedisBoard({ url: new Secret(redis.url), timeoutMs });
    const query = board.open('a query', () => {});
    const lead = (await query.lead({ text: 'x'.repeat(900), front: null })) as Lead;
    const client = new Redis(redis.url);
    await client.del(await client.keys('*:news'));
    client.disconnect();
    let at: string | null = lead.id;
    for (const text of ['a', 'b', 'c']) at = await query.add(lead, at ?? '', { text, front: null }, 100);
    const { entries } = await query.look('0', lead);
    expect(entries.map(({ text }) => text)).toEqual(['a', 'b', 'c']);
    await query.leave();
    await board.close();
  });
}
