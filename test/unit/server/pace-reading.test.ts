import { expect, it } from 'vitest';
import { createPaceReading, type Reading } from '../../../src/server/pace-reading.ts';

/** Sockets by name, those that are read. */
function setUp() {
  const turns: (() => void)[] = [];
  const pace = createPaceReading((then) => void turns.push(then));
  const read = new Set<string>();
  const listeners = new Map<string, () => void>();
  const toSocket = (name: string) => ({
    isPaused: () => !read.has(name),
    pause: () => read.delete(name) as never,
    resume: () => read.add(name) as never,
    on: (_: 'resume', resumed: () => void) => listeners.set(name, resumed),
  });
  const open = (address: object, name: string) => {
    const socket = toSocket(name);
    const reading = pace.opened(address, socket);
    read.add(name);
    listeners.get(name)?.();
    return reading;
  };
  return { turns, pace, read, toSocket, open, nextTurn: () => turns.shift()?.() };
}

it('an address that opens many connections at once has one of them read per turn, and no other address waits', () => {
  const { turns, read, open, nextTurn } = setUp();
  const [one, other] = [{}, {}];
  for (let index = 0; index < 10; index += 1) open(one, `a${index}`);
  open(other, 'b');
  expect([...read]).toEqual(['a0', 'b']);
  nextTurn();
  open(one, 'late');
  expect([read.size, read.has('late')]).toEqual([3, false]);
  for (let count = 0; count < 9; count += 1) nextTurn();
  expect([read.size, read.has('late')]).toEqual([12, true]);
  for (let count = 0; count < 2; count += 1) nextTurn();
  expect(turns).toEqual([]);
});

it('after 256 requests in one turn, the connections of the address wait for later turns, except those paused by others', () => {
  const { turns, pace, read, toSocket, open, nextTurn } = setUp();
  const names = ['a', 'b', 'c', 'd', 'e'];
  const address = {};
  let reading: Reading | undefined;
  for (const name of names) reading = open(address, name);
  for (let count = 0; count < 6; count += 1) nextTurn();
  const sockets = names.map(toSocket);
  read.delete('c');
  const request = (times: number) => {
    for (let count = 0; count < times && reading; count += 1) {
      reading.requests += 1;
      pace.requested(reading, () => sockets);
    }
  };
  request(255);
  expect(read.size).toBe(4);
  request(1);
  expect(read.size).toBe(0);
  nextTurn();
  expect([...read]).toEqual(['a']);
  const [, , , closed] = sockets;
  if (closed) reading?.paused.delete(closed);
  nextTurn();
  nextTurn();
  expect([...read]).toEqual(['a', 'b', 'e']);
  nextTurn();
  // Requests of different turns do not add up.
  for (let turn = 0; turn < 10; turn += 1) {
    request(190);
    nextTurn();
    nextTurn();
  }
  expect([[...read], turns.length]).toEqual([['a', 'b', 'e'], 0]);
});
