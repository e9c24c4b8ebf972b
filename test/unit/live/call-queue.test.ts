import { describe, expect, it } from 'vitest';
import { HistoryCalls } from '../../../src/live/history.ts';
import { createCancellation } from '../../../src/upstream/cancellation.ts';
import { Turns } from '../../../src/upstream/fair-turns.ts';
import { createTestClock, settled } from '../../support/memory-source.ts';

function createTestQueue(options: { maxAtOnce?: number; maxPerSecond?: number } = {}) {
  const clock = createTestClock();
  const calls = new HistoryCalls({ clock, maxAtOnce: 4, maxPerSecond: 50, turns: new Turns(), ...options });
  let made = 0;
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = (caller: string, isQuick = false) => {
    const cancellation = createCancellation();
    const call = () => {
      begun.push(caller);
      return isQuick ? Promise.resolve() : new Promise<void>((resolve) => ends.push(resolve));
    };
    made += 1;
    const outcome = calls.get(`call ${made}`, call, { caller, cancellation }).then(
      () => 'done',
      () => 'given up',
    );
    return { cancellation, outcome };
  };
  return { clock, begun, run, end: () => ends.shift()?.() };
}

describe('a queue of calls', () => {
  it('makes so many at once, and has callers take turns', async () => {
    const { begun, run, end } = createTestQueue({ maxAtOnce: 2 });
    for (let count = 0; count < 4; count += 1) run('a');
    run('b');
    run('c');
    expect(begun).toEqual(['a', 'a']);
    for (let count = 0; count < 4; count += 1) {
      end();
      await settled();
    }
    expect(begun).toEqual(['a', 'a', 'a', 'b', 'c', 'a']);
  });

  it('begins so many in a second, however quick they are', async () => {
    const { clock, begun, run } = createTestQueue();
    for (let count = 0; count < 400; count += 1) run(`${count % 5}`, true);
    await clock.pass(0);
    expect(begun.length).toBeLessThanOrEqual(51);
    await clock.pass(2_000);
    expect(begun.length).toBeLessThanOrEqual(151);
    expect(begun.length).toBeGreaterThan(140);
    await clock.pass(6_000);
    expect(begun).toHaveLength(400);
    expect(clock.timers).toBe(0);
  });

  it('forgets a call that is cancelled before its turn, timer and all', async () => {
    const { clock, begun, run, end } = createTestQueue({ maxAtOnce: 1, maxPerSecond: 1 });
    run('a');
    end();
    await settled();
    const waiting = [run('a'), run('b'), run('b')];
    end();
    await settled();
    expect([begun.length, clock.timers]).toEqual([2, 1]);
    for (const { cancellation } of waiting) cancellation.cancel('aborted');
    expect(clock.timers).toBe(0);
    expect(await Promise.all(waiting.slice(1).map(({ outcome }) => outcome))).toEqual(['given up', 'given up']);
    await clock.pass(10_000);
    expect([begun.length, clock.timers]).toEqual([2, 0]);
  });
});

it('an asker that comes as the last one gives up does not join the call that is given up', async () => {
  const calls = new HistoryCalls({ clock: createTestClock(), maxAtOnce: 4, maxPerSecond: 50, turns: new Turns() });
  let made = 0;
  const call = async () => {
    made += 1;
    await settled();
    return made;
  };
  const [first, second] = [createCancellation(), createCancellation()];
  const givenUp = calls.get('page', call, { caller: 'a', cancellation: first }).catch(() => 'given up');
  first.cancel('aborted');
  const answer = calls.get('page', call, { caller: 'b', cancellation: second });
  expect(await givenUp).toBe('given up');
  expect(await answer).toBe(2);
});
