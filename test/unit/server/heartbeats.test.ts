import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Beating, Heartbeats } from '../../../src/server/heartbeats.ts';

let heartbeats: Heartbeats;
let beats: string[];

class Member extends Beating {
  readonly name: string;
  onBeat = () => {};

  constructor(name: string) {
    super();
    this.name = name;
    heartbeats.add(this);
  }

  override beat(): void {
    beats.push(this.name);
    this.onBeat();
  }
}

/** Lets time pass, and the turn of the event loop in which members beat. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1) {
    vi.advanceTimersByTime(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  heartbeats = new Heartbeats(100);
  beats = [];
});
afterEach(() => void vi.useRealTimers());

it('come once per interval from when a member was added', async () => {
  new Member('a');
  await pass(40);
  new Member('b');
  await pass(59);
  expect(beats).toEqual([]);
  await pass(1);
  expect(beats).toEqual(['a']);
  await pass(40);
  expect(beats).toEqual(['a', 'b']);
  await pass(200);
  expect(beats).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
});

it('need one timer for all members, and none without a member', async () => {
  const members = Array.from({ length: 1_000 }, (_, index) => new Member(String(index)));
  expect(vi.getTimerCount()).toBe(1);
  await pass(150);
  expect([beats.length, vi.getTimerCount()]).toEqual([1_000, 1]);
  for (const member of [...members, ...members]) heartbeats.remove(member);
  expect(vi.getTimerCount()).toBe(0);
  await pass(300);
  expect(beats).toHaveLength(1_000);
});

it('of many members are spread over turns of the event loop, and stay so', async () => {
  for (let index = 0; index < 1_000; index += 1) new Member(String(index));
  for (const round of [1, 2]) {
    let most = 0;
    await pass(round === 1 ? 99 : 50);
    for (let turn = 0; turn < 50; turn += 1) {
      const before = beats.length;
      await pass(1);
      most = Math.max(most, beats.length - before);
    }
    expect([round, beats.length, most <= 64]).toEqual([round, round * 1_000, true]);
  }
});

it('wait until what has arrived is read', async () => {
  new Member('a');
  vi.advanceTimersByTime(100);
  expect(beats).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(beats).toEqual(['a']);
});

it('end for a member that leaves, even between its timer and its beat, or while another beats', async () => {
  const [first, second] = [new Member('a'), new Member('b')];
  first.onBeat = () => heartbeats.remove(second);
  await pass(100);
  expect(beats).toEqual(['a']);
  vi.advanceTimersByTime(100);
  heartbeats.remove(first);
  new Member('c');
  await pass(99);
  expect([beats, vi.getTimerCount()]).toEqual([['a'], 1]);
  await pass(1);
  expect(beats).toEqual(['a', 'c']);
});

it('go on for a member that is added by the beat of the last one', async () => {
  const only = new Member('a');
  only.onBeat = () => {
    heartbeats.remove(only);
    new Member('b');
  };
  await pass(200);
  expect([beats, vi.getTimerCount()]).toEqual([['a', 'b'], 1]);
});
