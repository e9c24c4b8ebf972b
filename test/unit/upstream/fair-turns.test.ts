import { beforeEach, describe, expect, test } from 'vitest';
import { FairTurns, LoopTurns } from '../../../src/upstream/fair-turns.ts';

/** FairTurns on a clock of their own; a turn of the event loop ends when the test says so. */
let [now, ran, laterTurns, laterInTurn]: [number, string[], (() => void)[], (() => void)[]] = [0, [], [], []];
let turns: FairTurns;

beforeEach(() => {
  [now, ran, laterTurns, laterInTurn] = [1_000_000, [], [], []];
  turns = new FairTurns({
    now: () => now,
    nextTurn: (then) => laterTurns.push(then),
    afterPromises: (then) => laterInTurn.push(then),
  });
});

/** Ends the turn: what waits for the next one is called back, with all that it asks for in the same one. */
function nextTurn(): string[] {
  const before = ran.length;
  for (const then of laterTurns.splice(0)) {
    then();
    for (let rest = laterInTurn.shift(); rest; rest = laterInTurn.shift()) rest();
  }
  return ran.slice(before);
}

const staying = { onGone: () => {} };
const work = (name: string, ms: number) => () => {
  now += ms;
  ran.push(name);
  return name;
};
const ask = (key: string, name: string, ms: number) => turns.run(key, staying, work(name, ms));

describe('while a turn has time left', () => {
  test('work runs immediately, without a promise, and no turn is requested', () => {
    expect(ask('a', 'first', 0.2)).toBe('first');
    expect(ask('b', 'second', 0.3)).toBe('second');
    expect(ran).toEqual(['first', 'second']);
    expect(laterTurns).toEqual([]);
  });

  test('an exception is thrown to the caller, and the next work runs', () => {
    const fail = () => {
      throw new Error('broken');
    };
    expect(() => turns.run('a', staying, fail)).toThrow('broken');
    expect(ask('a', 'next', 0.2)).toBe('next');
  });

  test('a short step within work runs at once, one after a long time waits', async () => {
    const steps = turns.run('a', staying, () => {
      now += 0.5;
      expect(ask('a', 'short', 0.1)).toBe('short');
      now += 5;
      return ask('a', 'long', 0.1);
    });
    expect(ran).toEqual(['short']);
    nextTurn();
    expect(await steps).toBe('long');
  });

  test('a step for another caller waits for the next turn, however short the work is', () => {
    turns.run('a', staying, () => void ask('b', 'of another', 0.1));
    expect(ran).toEqual([]);
    expect(nextTurn()).toEqual(['of another']);
  });

  test('work of a new caller runs immediately after work of another', () => {
    ask('a', 'first', 3);
    ask('b', 'second', 3);
    expect(ran).toEqual(['first', 'second']);
  });

  test('anything else that takes time in the turn counts', () => {
    ask('a', 'first', 2);
    now += 5;
    ask('b', 'second', 0.5);
    now += 2;
    ask('c', 'third', 0.5);
    expect(ran).toEqual(['first', 'second']);
  });

  test('the time of several turns does not add up', () => {
    for (let turn = 0; turn < 20; turn += 1) {
      expect(ask('a', 'each', 6)).toBe('each');
      nextTurn();
    }
  });
});

describe('beyond the budget of a turn', () => {
  beforeEach(() => {
    ask('burst', 'whole turn', 10);
    ran = [];
  });

  test('work waits for the next turn, in its order', async () => {
    const answers = [ask('burst', 'one', 1), ask('burst', 'two', 1), ask('burst', 'three', 1)];
    expect(ran).toEqual([]);
    expect(nextTurn()).toEqual(['one', 'two', 'three']);
    expect(await Promise.all(answers)).toEqual(['one', 'two', 'three']);
  });

  test('a turn ends when its time is up, and new work queues behind waiting work', () => {
    for (const name of ['one', 'two', 'three', 'four']) ask('burst', name, 4);
    expect(nextTurn()).toEqual(['one', 'two']);
    ask('burst', 'five', 4);
    expect(nextTurn()).toEqual(['three', 'four']);
    expect(nextTurn()).toEqual(['five']);
    expect(ask('burst', 'quiet again', 1)).toBe('quiet again');
  });

  test('promises of a piece of work count for the turn and for the caller', () => {
    turns.run('burst', staying, () => {
      ran.push('one');
      laterInTurn.unshift(() => {
        now += 9;
      });
    });
    ask('burst', 'two', 1);
    expect(nextTurn()).toEqual(['one']);
    expect(nextTurn()).toEqual(['two']);
  });

  test('a piece that is likely to exceed the rest of the turn starts the next one', () => {
    for (const name of ['one', 'two']) ask('costly', name, 6);
    ask('other', 'of another', 3);
    ask('burst', 'last', 1);
    expect([nextTurn(), nextTurn(), nextTurn()]).toEqual([['one', 'of another'], ['two'], ['last']]);
  });

  test('a caller that has used no time is served before one that has', () => {
    for (const name of ['one', 'two', 'three']) ask('burst', name, 1);
    ask('other', 'first of another', 1);
    expect([nextTurn(), nextTurn()]).toEqual([['first of another'], ['one', 'two', 'three']]);
  });

  test('callers are served by the time that they used, not by the number of pieces', () => {
    for (let index = 0; index < 3; index += 1) ask('costly', `costly ${index}`, 4);
    for (let index = 0; index < 6; index += 1) ask('cheap', `cheap ${index}`, 1);
    expect([nextTurn(), nextTurn(), nextTurn()]).toEqual([
      ['costly 0', 'cheap 0', 'cheap 1', 'cheap 2', 'cheap 3'],
      ['costly 1', 'cheap 4', 'cheap 5'],
      ['costly 2'],
    ]);
  });

  test('a caller that arrives late is served next, without credit for the time before', () => {
    for (let index = 0; index < 20; index += 1) ask('burst', `burst ${index}`, 9);
    expect([nextTurn(), nextTurn()]).toEqual([['burst 0'], ['burst 1']]);
    for (let index = 0; index < 4; index += 1) ask('late', `late ${index}`, 9);
    expect([nextTurn(), nextTurn(), nextTurn()]).toEqual([['late 0'], ['burst 2'], ['late 1']]);
  });

  test('an exception rejects, and the next piece runs', async () => {
    const failing = turns.run('burst', staying, () => {
      throw new Error('broken');
    });
    ask('burst', 'next', 1);
    expect(nextTurn()).toEqual(['next']);
    await expect(failing).rejects.toThrow('broken');
  });

  test('the next step of a short piece runs with it, that of another caller waits', () => {
    turns.run('burst', staying, () => {
      ran.push('first step');
      laterInTurn.unshift(() => {
        ask('other', 'of another', 1);
        ask('burst', 'second step', 0.5);
        now += 2;
        ask('burst', 'third step', 1);
      });
    });
    expect(nextTurn()).toEqual(['first step', 'second step', 'of another', 'third step']);
  });

  test('work whose client has left is called at once, so that it can end', async () => {
    let leave = () => {};
    const leaving = { onGone: (giveUp: () => void) => (leave = giveUp) };
    const answer = turns.run('burst', leaving, work('of one that left', 0));
    ask('burst', 'of one that stays', 1);
    leave();
    expect(ran).toEqual(['of one that left']);
    expect(await answer).toBe('of one that left');
    expect(nextTurn()).toEqual(['of one that stays']);
    leave();
    expect(nextTurn()).toEqual([]);
    expect(ran).toEqual(['of one that left', 'of one that stays']);
  });

  test('new work queues behind waiting work of its caller; that of a new caller takes the rest of the turn', () => {
    for (const name of ['one', 'two']) ask('costly', name, 6);
    expect(nextTurn()).toEqual(['one']);
    ask('costly', 'three', 0.1);
    ask('new', 'short', 0.1);
    expect(ran).toEqual(['one', 'short']);
    now += 2;
    ask('newer', 'late', 0.1);
    expect(nextTurn()).toEqual(['late', 'two']);
  });

  test('deliveries and callers share its time, and each comes first in every other turn', () => {
    const deliver = () => {
      now += 3;
      ran.push('delivery');
      turns.deliveries.add(deliver);
    };
    for (const name of ['first', 'second']) ask('a', name, 7);
    turns.deliveries.add(deliver);
    const deliveries = ['delivery', 'delivery', 'delivery'];
    const seen = Array.from({ length: 4 }, nextTurn);
    expect(seen).toEqual([deliveries, ['first', 'delivery'], deliveries, ['second', 'delivery']]);
  });
});

test('a caller that was idle is served again, whatever it used before, and does not go before or behind new ones', () => {
  for (let round = 0; round < 3; round += 1) {
    ask('heavy', 'much', 100);
    // Until there is nothing to do.
    for (let turn = 0; turn < 3; turn += 1) nextTurn();
    ask('busy', 'block', 100);
    ask('new', 'one', 0.1);
    ask('heavy', 'two', 0.1);
    ask('another', 'three', 0.1);
    expect(nextTurn()).toEqual(['one', 'two', 'three']);
    for (let turn = 0; turn < 3; turn += 1) nextTurn();
  }
});

test('connections that were accepted come before waiting work, up to 64 of them in a row', () => {
  const turns: (() => void)[] = [];
  const loop = new LoopTurns((then) => void turns.push(then));
  const done: string[] = [];
  loop.await(() => done.push('one'));
  loop.await(() => done.push('other'));
  expect(turns).toHaveLength(1);
  for (let count = 0; count < 64; count += 1) {
    loop.accepted();
    turns.shift()?.();
    expect(done).toEqual([]);
  }
  loop.accepted();
  turns.shift()?.();
  expect(done).toEqual(['one', 'other']);
  loop.await(() => done.push('third'));
  turns.shift()?.();
  turns.shift()?.();
  expect([done, turns]).toEqual([['one', 'other', 'third'], []]);
});
