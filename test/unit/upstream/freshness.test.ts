import { afterEach, describe, expect, it, vi } from 'vitest';
import { AddressState } from '../../../src/upstream/choose-address.ts';
import { createFreshness, type FreshnessRules } from '../../../src/upstream/freshness.ts';
import { takeTurns } from '../../../src/upstream/sockets/shared-connection.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
  vi.useRealTimers();
});

const silent = 'never answers';

/** Addresses that report these networks; `undefined` = fails. Returns after the first round. */
async function follow(networks: (string | null | undefined)[]) {
  const told: unknown[] = [];
  let asked = 0;
  const addresses = networks.map((_, index) => ({
    path: '/',
    state: new AddressState(),
    send: (_request: unknown, listener: { answered(response: object): void; failed(error: Error): void }) => {
      asked += 1;
      const network = networks[index];
      if (network === silent) return { isSent: true, cancel() {} };
      if (network === undefined) listener.failed(new Error('away'));
      else listener.answered({ status: 200, headers: new Map([['network', network]]), chunks: [], size: 0 });
      return { isSent: true, cancel() {} };
    },
  }));
  const freshness = createFreshness(addresses as never, (...facts) => told.push(facts));
  closers.push(freshness.stop);
  const rules: FreshnessRules = {
    maxBehind: 20,
    leastOf: () => null,
    readNewest: async (call, timeoutMs) => {
      const { headers } = await call({ method: 'GET', path: '/', timeoutMs });
      return { newest: 5, network: (headers.get('network') ?? null) as string | null };
    },
  };
  freshness.follow(rules);
  await freshness.refresh();
  const states = addresses.map(({ state }) => state);
  return {
    freshness,
    rules,
    told,
    states,
    asked: () => asked,
    unused: () => states.map((each) => each.isOtherNetwork),
  };
}

describe('addresses of two networks', () => {
  it.each([
    ['all are the same', ['a', 'a'], [false, false]],
    ['the second one differs', ['a', 'b', 'a'], [false, true, false]],
    ['none says', [null, null], [false, false]],
    ['one says nothing', ['a', null], [false, true]],
    ['the first one is away', [undefined, 'b', 'c'], [true, false, true]],
    ['the first one is alone', ['a', 'b', 'b'], [true, false, false]],
    ['there are two of each', ['a', 'b', 'b', 'a'], [false, true, true, false]],
  ])('are told apart if %s', async (_, networks, expected) => {
    const { unused } = await follow(networks);
    expect(unused()).toEqual(expected);
  });

  it('are reported once, and the network changes only when no address serves it', async () => {
    const networks = ['a', 'b'];
    const { freshness, told, unused } = await follow(networks);
    await freshness.refresh();
    expect(told).toEqual([[1, 'b', 'a']]);
    networks[0] = 'b';
    await freshness.refresh();
    expect(unused()).toEqual([false, false]);
    networks[0] = 'c';
    await freshness.refresh();
    expect(unused()).toEqual([true, false]);
  });
});

it('calls that wait for newer data share rounds, which have a pause of 100 ms between them', async () => {
  const { freshness, asked } = await follow(['a', 'a']);
  const [before, beganMs] = [asked(), performance.now()];
  const waitFor = async (rounds: number) => {
    for (let round = 0; round < rounds; round += 1) await freshness.refresh();
  };
  await Promise.all(Array.from({ length: 100 }, () => waitFor(3)));
  const elapsedMs = performance.now() - beganMs;
  const rounds = (asked() - before) / 2;
  expect(rounds).toBeGreaterThanOrEqual(3);
  // Timers may fire 1 ms early.
  expect(elapsedMs / rounds).toBeGreaterThanOrEqual(98);
});

it('an address that does not answer delays no other one', async () => {
  const { states } = await follow(['a', silent]);
  expect(states.map(({ newest }) => newest)).toEqual([5, null]);
});

it('an address that answers is heard, also without data', async () => {
  const { states } = await follow(['a', 'a', undefined]);
  expect(states.map(({ heardAtMs }) => heardAtMs > 0)).toEqual([true, true, false]);
});

it('a call waits for data that an address may soon have, and for no other', async () => {
  const { freshness, states } = await follow(['a', 'a']);
  expect([5, 105, 106, null].map((least) => freshness.mayReach(least, states))).toEqual([true, true, false, false]);
  const unknown = await follow([undefined]);
  expect(unknown.freshness.mayReach(5, unknown.states)).toBe(false);
});

it('addresses are asked by one timer, however often they are followed, until they are no longer followed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { freshness, rules, asked } = await follow(['a']);
  freshness.follow(rules);
  await freshness.refresh();
  expect(vi.getTimerCount()).toBe(1);
  const before = asked();
  vi.advanceTimersByTime(1_000);
  await freshness.refresh();
  expect(asked() - before).toBe(1);
  freshness.stop();
  expect(vi.getTimerCount()).toBe(0);
});

it('sockets take turns at the addresses that may be used', () => {
  const usable = new Set([0, 2]);
  const next = takeTurns({ urls: ['a', 'b', 'c'], mayUse: (index) => usable.has(index) });
  expect([next(), next(), next()]).toEqual(['a', 'c', 'a']);
  usable.clear();
  expect(['a', 'b', 'c']).toContain(next());
});
