import { describe, expect, it } from 'vitest';
import { AnswerMemory, CachedAnswer } from '../../../../src/ledger/immutable/answer-memory.ts';
import { createImmutableReads, type ImmutableReadsOptions } from '../../../../src/ledger/immutable/immutable-reads.ts';
import { ledgerSchemas } from '../../../support/ledger-schemas.ts';
import { treeOf } from '../../../support/moving-ledger.ts';
import { readKept } from '../../../support/read-kept.ts';

const [ledger] = ledgerSchemas;
if (!ledger) throw new Error('there is no schema');
const { schema, tables } = ledger;

const objectAt = 'query ($v: UInt53!, $id: LedgerAddress!) { object(address: $id, version: $v) { digest } }';

/** Reads on a clock of their own, and what the test says that the ledger is. */
function open(options: Partial<ImmutableReadsOptions> = {}) {
  const world = { nowMs: 0, version: '1', network: 'aaaa' as string | null, asked: 0 };
  const reads = createImmutableReads({
    maxBytes: 1_000_000,
    lifeMs: 600_000,
    tables,
    version: () => world.version,
    readNetworkId: () => {
      world.asked += 1;
      return Promise.resolve(world.network);
    },
    now: () => world.nowMs,
    ...options,
  });
  const prepare = (query: string) => {
    const read = reads.prepare(schema, () => treeOf(query));
    if (!read) throw new Error('it is not immutable');
    return read;
  };
  const objects = prepare(objectAt);
  const network = prepare('{ chainIdentifier }');
  const answer = (digest: string) => toBody({ object: { digest } });
  const ask = (v: unknown, id: unknown = '0x5') => objects.ask({ v, id });
  return { world, reads, prepare, network, objects, ask, answer };
}

function toBody(data: object) {
  const bytes = Buffer.from(JSON.stringify({ data }));
  return { chunks: [bytes], size: bytes.length };
}

describe('an answer of one of several addresses', () => {
  const never = Number.NEGATIVE_INFINITY;
  /** Later than everything so far. */
  const later = () => performance.now() + 1;

  it('is kept only once its address has reported the network in force', () => {
    const { ask, answer } = open();
    const from = { confirmedMs: performance.now() - 1, otherMs: never };
    const first = ask(1);
    first?.keep({ ...answer('one'), from });
    expect(first?.kept).toBeNull();
    const second = ask(1);
    expect(second?.kept).toBeNull();
    // A later one must not take its place, or none would be confirmed while it is asked for all the time.
    second?.keep({ ...answer('two'), from: { confirmedMs: never, otherMs: never } });
    from.confirmedMs = later();
    expect(readKept(ask(1))).toEqual({ data: { object: { digest: 'one' } } });
  });

  it('is dropped if its address then reports another network, even if it returns', () => {
    const { ask, answer } = open();
    const from = { confirmedMs: never, otherMs: never };
    ask(1)?.keep({ ...answer('one'), from });
    from.otherMs = later();
    from.confirmedMs = later() + 10;
    expect(ask(1)?.kept).toBeNull();
    ask(1)?.keep(answer('two'));
    expect(readKept(ask(1))).toEqual({ data: { object: { digest: 'two' } } });
  });

  it('stays once it was confirmed', () => {
    const { ask, answer } = open();
    const from = { confirmedMs: never, otherMs: never };
    ask(1)?.keep({ ...answer('one'), from });
    from.confirmedMs = later();
    expect(ask(1)?.kept).not.toBeNull();
    from.otherMs = later() + 10;
    expect(ask(1)?.kept).not.toBeNull();
  });
});

describe('an answer in memory', () => {
  it('is found by what was asked, whatever order it was said in, and by nothing else', () => {
    const { objects, ask, answer, prepare } = open();
    ask(1)?.keep(answer('one'));
    expect(readKept(ask(1))).toEqual({ data: { object: { digest: 'one' } } });
    expect(objects.ask({ id: '0x5', v: 1, undeclared: true })?.kept).not.toBeNull();
    for (const [v, id] of [
      [2, '0x5'],
      [1, '0x6'],
      ['1', '0x5'],
      [1, ['0x5']],
      [1, null],
    ])
      expect(ask(v, id)?.kept ?? null, JSON.stringify([v, id])).toBeNull();
    expect(objects.ask({ v: 1 })?.kept).toBeNull();
    expect(prepare(objectAt).ask({ v: 1, id: '0x5' })?.kept, 'another document').toBeNull();
  });

  it('is not found by values that only look the same put side by side', () => {
    const { prepare } = open();
    const read = prepare('query ($a: String!, $b: String!) { a: type(type: $a) { repr } b: type(type: $b) { repr } }');
    const ask = (a: unknown, b: unknown) => read.ask({ a, b });
    ask('x', 's1:y')?.keep(toBody({ a: { repr: '1' }, b: { repr: '2' } }));
    expect(ask('x', 's1:y')?.kept).not.toBeNull();
    for (const [a, b] of [
      ['xs4:s1:y', ''],
      ['xs1:', 'y'],
      ['x', ['s1:y']],
    ])
      expect(ask(a, b)?.kept, JSON.stringify([a, b])).toBeNull();
  });

  it('is good for its life, and what tells the network for seconds', () => {
    const { world, reads, network, ask, answer } = open();
    network.ask({})?.keep(toBody({ chainIdentifier: 'aaaa' }));
    ask(1)?.keep(answer('one'));
    world.nowMs = 9_999;
    expect([network.ask({})?.kept, ask(1)?.kept]).not.toContain(null);
    world.nowMs = 10_000;
    expect(network.ask({})?.kept).toBeNull();
    world.nowMs = 599_999;
    expect(ask(1)?.kept?.untilMs).toBe(600_000);
    world.nowMs = 600_000;
    expect(ask(1)?.kept).toBeNull();
    expect(reads.bytes).toBe(0);
  });

  it('does not live longer when the clock is set back', () => {
    const { world, reads, ask, answer } = open();
    world.nowMs = 5_000_000;
    ask(1)?.keep(answer('one'));
    world.nowMs = 4_999_999;
    expect(ask(1)?.kept).toBeNull();
    expect(reads.bytes).toBe(0);
    ask(1)?.keep(answer('one'));
    expect(ask(1)?.kept?.untilMs).toBe(5_599_999);
  });

  it('is of one build of the ledger', () => {
    const { world, ask, answer } = open();
    ask(1)?.keep(answer('one'));
    world.version = '2';
    expect(ask(1)?.kept).toBeNull();
    ask(1)?.keep(answer('two'));
    expect(readKept(ask(1))).toEqual({ data: { object: { digest: 'two' } } });
    world.version = '1';
    expect(ask(1)?.kept).toBeNull();
  });

  it('is forgotten with all others, and what was asked before is not kept after', () => {
    const { reads, ask, answer } = open();
    ask(1)?.keep(answer('one'));
    const underWay = ask(2);
    reads.clear();
    expect(reads.bytes).toBe(0);
    underWay?.keep(answer('two'));
    expect(underWay?.kept).toBeNull();
    expect([ask(1)?.kept, ask(2)?.kept]).toEqual([null, null]);
  });

  it('is kept once by several who asked at once', () => {
    const { ask, answer } = open();
    const both = [ask(1), ask(1)];
    for (const each of both) each?.keep(answer('one'));
    expect(both[0]?.kept).not.toBeNull();
    expect(both[1]?.kept).toBe(both[0]?.kept);
    expect(both.map((each) => each?.isFromMemory)).toEqual([false, false]);
    expect(ask(1)?.isFromMemory).toBe(true);
  });

  it('is not sought by more than anybody would ask twice', () => {
    const { ask } = open();
    expect(ask(1, '0'.repeat(900))).not.toBeNull();
    expect(ask(1, '0'.repeat(1_100))).toBeNull();
    expect(ask(1, Array(500).fill('0x5'))).toBeNull();
  });
});

describe('a network that begins anew', () => {
  const later = async (count: number, of: { asked: number }) => {
    expect(of.asked).toBe(count);
    await Promise.resolve();
    await Promise.resolve();
  };

  it('is noticed within a minute of answering from memory, and everything of the one before forgotten', async () => {
    const { world, ask, answer } = open();
    ask(1)?.keep(answer('one'));
    world.nowMs = 59_999;
    expect(ask(1)?.kept).not.toBeNull();
    await later(0, world);
    world.nowMs = 60_000;
    // Which network it is was not known so far: nothing from before is trusted.
    expect(ask(1)?.kept).not.toBeNull();
    await later(1, world);
    expect(ask(1)?.kept).toBeNull();
    ask(1)?.keep(answer('two'));
    world.nowMs = 120_000;
    expect(ask(1)?.kept).not.toBeNull();
    await later(2, world);
    expect(ask(1)?.kept).not.toBeNull();
    world.network = 'bbbb';
    world.nowMs = 180_000;
    expect(ask(1)?.kept).not.toBeNull();
    await later(3, world);
    expect(ask(1)?.kept).toBeNull();
  });

  it('is looked for though the clock was set back', async () => {
    const { world, ask, answer } = open();
    world.nowMs = 5_000_000;
    ask(1)?.keep(answer('one'));
    ask(1);
    await later(1, world);
    world.nowMs = 1_000_000;
    world.network = 'bbbb';
    ask(2)?.keep(answer('two'));
    expect(ask(2)?.kept).not.toBeNull();
    await later(2, world);
    expect(ask(2)?.kept).toBeNull();
  });

  it('is not told by a ledger that is away or says nothing', async () => {
    const { world, ask, answer } = open();
    world.network = null;
    ask(1)?.keep(answer('one'));
    world.nowMs = 60_000;
    expect(ask(1)?.kept).not.toBeNull();
    await later(1, world);
    expect(ask(1)?.kept).not.toBeNull();
    const away = open({ readNetworkId: () => Promise.reject(new Error('away')) });
    away.ask(1)?.keep(away.answer('one'));
    away.world.nowMs = 60_000;
    expect(away.ask(1)?.kept).not.toBeNull();
    await later(0, away.world);
    expect(away.ask(1)?.kept).not.toBeNull();
  });

  it('is told by any answer that names it', () => {
    const { world, network, ask, answer } = open();
    const tell = (chainIdentifier: string) => network.ask({})?.keep(toBody({ chainIdentifier }));
    tell('aaaa');
    ask(1)?.keep(answer('one'));
    const underWay = ask(2);
    world.nowMs = 10_000;
    tell('aaaa');
    expect(ask(1)?.kept).not.toBeNull();
    world.nowMs = 20_000;
    tell('bbbb');
    expect(ask(1)?.kept).toBeNull();
    underWay?.keep(answer('two'));
    expect(underWay?.kept).toBeNull();
    expect(readKept(network.ask({}))).toEqual({ data: { chainIdentifier: 'bbbb' } });
  });
});

describe('memory for answers', () => {
  it('stays within its bound, whatever is asked with one text', () => {
    const maxBytes = 200_000;
    const { reads, ask, answer } = open({ maxBytes });
    let most = 0;
    for (let v = 0; v < 5_000; v += 1) {
      ask(v)?.keep(answer('x'.repeat(v % 3_000)));
      if (v % 2 === 0) ask(v);
      most = Math.max(most, reads.bytes);
    }
    expect(most).toBeLessThanOrEqual(maxBytes);
    expect(most).toBeGreaterThan(maxBytes / 2);
  });

  it('holds what is asked for again against a flood of what is not', () => {
    const { ask, answer } = open({ maxBytes: 200_000 });
    ask(-1)?.keep(answer('asked again'));
    expect(ask(-1)?.kept).not.toBeNull();
    for (let v = 0; v < 2_000; v += 1) ask(v)?.keep(answer('x'.repeat(1_000)));
    expect(ask(-1)?.kept).not.toBeNull();
    expect(ask(0)?.kept).toBeNull();
  });

  it('has no room for what would take much of it', () => {
    const { reads, ask, answer } = open({ maxBytes: 80_000 });
    ask(1)?.keep(answer('x'.repeat(9_900)));
    ask(2)?.keep(answer('x'.repeat(10_100)));
    expect([ask(1)?.kept?.bytes, ask(2)?.kept]).toEqual([expect.any(Number), null]);
    expect(reads.bytes).toBeLessThan(11_000);
  });
});

it('an answer replaces the one with the same key, however often that was asked for', () => {
  const memory = new AnswerMemory(100_000);
  const [before, after] = [1, 2].map((a) => new CachedAnswer(Buffer.from(`{"data":{"a":${a}}}`), '1', 0, 1_000, 1));
  if (!before || !after) throw new Error('there are two');
  memory.keep('key', before);
  for (let count = 0; count < 2; count += 1) expect(memory.find('key', '1', 0)).toBe(before);
  memory.keep('key', after);
  expect(memory.find('key', '1', 0)).toBe(after);
});
