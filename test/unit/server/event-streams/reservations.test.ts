import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createReservations, type Owner } from '../../../../src/server/event-streams/reservations.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const own = (name: string, network = name): Owner => ({ id: name, rate: { key: network } });
const bounds = { max: 4, maxPerCaller: 2, waitMs: 30_000 };

test('a token stands for a reservation of who made it, and of nobody else', () => {
  const reservations = createReservations<string>(bounds);
  const token = String(reservations.reserve(own('a', 'network')));
  expect(reservations.find(token, own('a', 'network'))).not.toBeNull();
  expect(reservations.find(token, own('b', 'network'))).toBeNull();
  expect(reservations.find(`${token}A`, own('a', 'network'))).toBeNull();
  expect(reservations.find('', own('a', 'network'))).toBeNull();
});

test('tokens cannot be guessed: each has 192 random bits', () => {
  const reservations = createReservations<string>({ max: 1_000, maxPerCaller: 1_000 });
  const tokens = Array.from({ length: 100 }, () => String(reservations.reserve(own('a'))));
  expect(new Set(tokens).size).toBe(100);
  for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(24);
  reservations.close();
  expect(vi.getTimerCount()).toBe(0);
});

test('so many of one caller, and so many of all, and their places are free again when they are given up', () => {
  const reservations = createReservations<string>(bounds);
  const tokens = ['a', 'a', 'b'].map((name) => String(reservations.reserve(own(name))));
  expect(reservations.reserve(own('a'))).toMatchObject({ extensions: { code: 'RATE_LIMITED' } });
  expect(typeof reservations.reserve(own('b'))).toBe('string');
  expect(reservations.reserve(own('c'))).toMatchObject({ extensions: { code: 'UNAVAILABLE' } });
  const first = reservations.find(tokens[0] ?? '', own('a'));
  first?.giveUp();
  first?.giveUp();
  expect(reservations.find(tokens[0] ?? '', own('a'))).toBeNull();
  expect(typeof reservations.reserve(own('c'))).toBe('string');
});

test('one that nobody opens lapses, one that is open does not', () => {
  const reservations = createReservations<string>(bounds);
  const [left = '', used = ''] = [reservations.reserve(own('a')), reservations.reserve(own('a'))].map(String);
  reservations.find(used, own('a'))?.fulfil('stream');
  vi.advanceTimersByTime(60_000);
  expect(reservations.find(left, own('a'))).toBeNull();
  expect(reservations.find(used, own('a'))?.stream).toBe('stream');
  expect(typeof reservations.reserve(own('a'))).toBe('string');
});

test('a gateway that stops forgets those that are not open, and makes no more', () => {
  const reservations = createReservations<string>(bounds);
  const used = String(reservations.reserve(own('a')));
  reservations.find(used, own('a'))?.fulfil('stream');
  reservations.reserve(own('a'));
  reservations.close();
  expect(reservations.reserve(own('b'))).toMatchObject({ extensions: { code: 'UNAVAILABLE' } });
  expect(reservations.streams).toEqual(['stream']);
  expect(vi.getTimerCount()).toBe(0);
});
