import { describe, expect, it } from 'vitest';
import { createTestHub } from '../../support/live-hub.ts';
import { createMemorySource, settled } from '../../support/memory-source.ts';

const names = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `n${from + index}`);
const own = (filter: string, caller = 'somebody') => ({ filter, caller, read: 'own' as const });

describe('streams with filters of their own', () => {
  it('have so many readers of one caller, and are all told what they want', async () => {
    const { hub, clock, source, follow } = createTestHub(createMemorySource('old'), { maxReadersPerCaller: 3 });
    const streams = Array.from({ length: 50 }, (_, index) => follow(undefined, own(`${index + 10}`)));
    await clock.pass(10);
    // Three, and the one of everything.
    expect(hub.readers).toBe(4);
    source.add(...names(1, 99));
    await clock.pass(2_000);
    for (const [index, { told }] of streams.entries()) expect(told).toEqual([`n${index + 10}`]);
    const reads = source.reads.length;
    await clock.pass(10_000);
    expect(source.reads.length - reads).toBeLessThanOrEqual(4 * 11);
  });

  it('have so many readers of all callers', async () => {
    const { hub, clock, follow } = createTestHub(createMemorySource('old'), { maxReaders: 5, maxReadersPerCaller: 3 });
    for (let count = 0; count < 20; count += 1) follow(undefined, own(`${count}`, `caller ${count}`));
    await clock.pass(10);
    expect(hub.readers).toBe(6);
  });

  it('share a reader that is open, whoever opened it, at no cost', async () => {
    const { hub, clock, source, follow } = createTestHub(createMemorySource('old'), { maxReadersPerCaller: 1 });
    follow(undefined, own('1', 'another'));
    follow(undefined, own('2'));
    const shared = follow(undefined, own('1'));
    await clock.pass(10);
    expect(hub.readers).toBe(2);
    source.add('n1');
    await clock.pass(1_500);
    expect(shared.told).toEqual(['n1']);
  });

  it('stay where they are when readers become free, and those that come then have their own', async () => {
    const { hub, clock, source, follow } = createTestHub(createMemorySource('old'), { maxReadersPerCaller: 1 });
    const first = follow(undefined, own('1'));
    const second = follow(undefined, own('2'));
    await clock.pass(10);
    await first.leave();
    await clock.pass(1_000);
    expect(hub.readers).toBe(1);
    const third = follow(undefined, own('3'));
    await clock.pass(10);
    expect(hub.readers).toBe(2);
    source.add(...names(1, 3));
    await clock.pass(2_000);
    expect([second.told, third.told]).toEqual([['n2'], ['n3']]);
  });

  it('have a caller open no more readers by leaving each at once', async () => {
    const { hub, clock, follow } = createTestHub(createMemorySource('old'), { maxReadersPerCaller: 2 });
    for (let count = 0; count < 20; count += 1) {
      const { leave } = follow(undefined, own(`${count}`));
      await settled();
      await leave();
    }
    expect(hub.readers).toBeLessThanOrEqual(3);
    await clock.pass(1_000);
    expect([hub.readers, clock.timers]).toEqual([0, 0]);
  });

  it('do not count for a caller that has left its reader to others', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource('old'), { maxReadersPerCaller: 1 });
    const first = follow(undefined, own('1'));
    follow(undefined, own('1', 'another'));
    await first.leave();
    follow(undefined, own('2'));
    await clock.pass(10);
    expect(source.reads.filter((read) => read?.startsWith('newest'))).toEqual(['newest 1', 'newest 2']);
  });

  it('do not count for a caller whose reader another caller takes over within the grace', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource('old'), { maxReadersPerCaller: 1 });
    await follow(undefined, own('1')).leave();
    follow(undefined, own('1', 'another'));
    follow(undefined, own('2'));
    await clock.pass(10);
    expect(source.reads.filter((read) => read?.startsWith('newest'))).toEqual(['newest 1', 'newest 2']);
  });

  it('still count for the caller that opened the reader when another caller leaves it', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource('old'), { maxReadersPerCaller: 1 });
    follow(undefined, own('1'));
    const others = [follow(undefined, own('1', 'another')), follow(undefined, own('1', 'another'))];
    await others[0]?.leave();
    follow(undefined, own('2'));
    await clock.pass(10);
    expect(source.reads.filter((read) => read?.startsWith('newest'))).toEqual(['newest 1', 'newest']);
  });

  it('are refused beyond the limit if there is no reader of everything, and take no place', async () => {
    const { hub, follow } = createTestHub(createMemorySource('old'), { maxReaders: 2, maxStreams: 3 });
    const only = (filter: string) => ({ ...own(filter), read: 'own only' as const });
    for (const filter of ['1', '2']) follow(undefined, only(filter));
    for (let count = 0; count < 3; count += 1) {
      expect(() => follow(undefined, only('3'))).toThrow('This gateway is at its limit of live readers.');
    }
    expect(() => follow(undefined, only('2'))).not.toThrow();
    hub.close();
  });
});

describe('a stream over the reader of everything', () => {
  it('goes on behind a place: with its own query first, and then with all that happened since', async () => {
    const { clock, source, follow, points } = createTestHub(createMemorySource(...names(1, 1_000)), { maxReaders: 0 });
    const first = source.items[0] ?? null;
    points.set('n1', { last: first, from: first });
    const { told } = follow('n1', own('99'));
    await clock.pass(1_000);
    source.add(...names(1_001, 1_100));
    await clock.pass(2_000);
    expect(told).toEqual(names(2, 1_100).filter((name) => name.includes('99')));
    // Twenty pages of everything would lead there; the last that matches is n999.
    const pages = source.reads.filter((read) => read !== null && /^n\d{1,2}$|^n[1-8]\d\d$/.test(read));
    expect(pages).toEqual([]);
    expect(source.reads.filter((read) => read?.startsWith('99 behind')).length).toBeGreaterThan(0);
  });

  it('goes on behind what it did not match, where it was told to go on there', async () => {
    const { hub, clock, source, follow } = createTestHub(createMemorySource('old'), { maxReaders: 0 });
    const { told } = follow(undefined, own('5'));
    await clock.pass(10);
    source.add(...names(1, 8));
    await clock.pass(1_000);
    hub.stop();
    await clock.pass(10);
    expect(told).toEqual(['n5', 'missed 0 after n8']);
    // Another gateway, where readers are free.
    const next = createTestHub(source);
    next.points.set('n8', { last: source.items.at(-1) ?? null, from: source.items.at(-1) ?? null });
    const again = next.follow('n8', own('5'));
    await next.clock.pass(100);
    source.add(...names(9, 16));
    await next.clock.pass(2_000);
    expect(again.told).toEqual(['n15']);
  });
});

it('history is read in a bounded number of calls a second, and callers take turns', async () => {
  const { clock, source, follow } = createTestHub(createMemorySource(...names(1, 2_000)), {
    maxReaders: 0,
    maxStreams: 200,
  });
  source.pageSize = 10;
  const place = source.items[0] ?? null;
  // Each on a query of its own.
  for (let index = 0; index < 60; index += 1) follow({ last: place, from: place }, own(`${index + 100}`, 'greedy'));
  await clock.pass(10);
  const other = follow({ last: source.items[1_900] ?? null, from: source.items[1_900] ?? null }, own('19', 'modest'));
  let before = source.reads.length;
  for (let second = 0; second < 10; second += 1) {
    await clock.pass(1_000);
    expect(source.reads.length - before).toBeLessThan(70);
    before = source.reads.length;
    if (second === 2) expect(other.told).toEqual(names(1_902, 2_000).filter((name) => name.includes('19')));
  }
});
