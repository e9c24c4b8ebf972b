import { describe, expect, it } from 'vitest';
import { WakeList } from '../../../src/live/wake-list.ts';
import { Turns } from '../../../src/upstream/fair-turns.ts';

/** Turns of an event loop that a test goes through one by one, and a clock that it moves. */
function createTestTurns() {
  let nowMs = 0;
  const deferred: (() => void)[] = [];
  const turns = new Turns({ now: () => nowMs, nextTurn: (then) => void deferred.push(then) });
  return {
    turns,
    get isIdle() {
      return deferred.length === 0;
    },
    pass(ms: number) {
      nowMs += ms;
    },
    next() {
      for (const then of deferred.splice(0)) then();
    },
  };
}

describe('turns', () => {
  it('take so many steps each, of all work together', () => {
    const loop = createTestTurns();
    const taken = { a: 0, b: 0 };
    const work = (name: 'a' | 'b', most: number) => {
      const step = () => {
        taken[name] += 1;
        if (taken[name] < most) loop.turns.add(step);
      };
      return step;
    };
    loop.turns.add(work('a', 1_000));
    expect(taken).toEqual({ a: 64, b: 0 });
    // It comes in the same turn, in which nothing is left.
    loop.turns.add(work('b', 1_000));
    expect(taken).toEqual({ a: 64, b: 0 });
    loop.next();
    expect(taken).toEqual({ a: 96, b: 32 });
    for (let turn = 0; turn < 100; turn += 1) loop.next();
    expect(taken).toEqual({ a: 1_000, b: 1_000 });
    expect(loop.isIdle).toBe(true);
  });

  it('end when their time is up', () => {
    const loop = createTestTurns();
    let taken = 0;
    const step = () => {
      loop.pass(3);
      taken += 1;
      loop.turns.add(step);
    };
    loop.turns.add(step);
    expect(taken).toBe(3);
    // What comes in the same turn has to wait as well.
    let others = 0;
    loop.turns.add(() => {
      others += 1;
    });
    expect(others).toBe(0);
    loop.next();
    expect([taken, others]).toEqual([6, 1]);
  });

  it('go on behind a step that fails, with what others have to do', () => {
    const loop = createTestTurns();
    const seen: string[] = [];
    for (let count = 0; count < 64; count += 1) loop.turns.add(() => {});
    loop.turns.add(() => {
      throw new Error('a fault');
    });
    loop.turns.add(() => {
      seen.push('other');
    });
    expect(() => loop.next()).toThrow('a fault');
    loop.next();
    expect(seen).toEqual(['other']);
  });
});

describe('a round', () => {
  const followers = (count: number, wake: (index: number) => void) =>
    Array.from({ length: count }, (_, index) => ({ wake: () => wake(index) }));

  it('wakes everybody once, a few in each turn', () => {
    const loop = createTestTurns();
    const rounds = new WakeList(loop.turns);
    const woken: number[] = [];
    for (const each of followers(1_000, (index) => woken.push(index))) rounds.add(each);
    rounds.wakeAll();
    expect(woken).toHaveLength(64);
    while (!loop.isIdle) loop.next();
    expect(woken).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
  });

  it('is followed by another one where something came meanwhile, and by no more than one', () => {
    const loop = createTestTurns();
    const rounds = new WakeList(loop.turns);
    const woken = Array.from({ length: 100 }, () => 0);
    for (const each of followers(100, (index) => {
      woken[index] = (woken[index] ?? 0) + 1;
    }))
      rounds.add(each);
    rounds.wakeAll();
    rounds.wakeAll();
    rounds.wakeAll();
    while (!loop.isIdle) loop.next();
    expect(new Set(woken)).toEqual(new Set([2]));
    rounds.wakeAll();
    while (!loop.isIdle) loop.next();
    expect(new Set(woken)).toEqual(new Set([3]));
  });

  it('wakes nobody who has left meanwhile', () => {
    const loop = createTestTurns();
    const rounds = new WakeList(loop.turns);
    const woken: number[] = [];
    const all = followers(100, (index) => woken.push(index));
    for (const each of all) rounds.add(each);
    rounds.wakeAll();
    for (const each of all.slice(64)) rounds.delete(each);
    while (!loop.isIdle) loop.next();
    expect(woken).toHaveLength(64);
  });

  it('goes on behind a follower that fails', () => {
    const loop = createTestTurns();
    const rounds = new WakeList(loop.turns);
    const woken: number[] = [];
    for (const each of followers(3, (index) => {
      woken.push(index);
      if (index === 1) throw new Error('a fault');
    }))
      rounds.add(each);
    expect(() => rounds.wakeAll()).toThrow('a fault');
    while (!loop.isIdle) loop.next();
    expect(woken).toEqual([0, 1, 2]);
  });
});
