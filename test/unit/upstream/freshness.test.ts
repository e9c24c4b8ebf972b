import { afterEach, describe, expect, it } from 'vitest';
import { createAddressState } from '../../../src/upstream/choose-address.ts';
import { createFreshness } from '../../../src/upstream/freshness.ts';
import { takeTurns } from '../../../src/upstream/sockets/shared-connection.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Addresses that report these networks; `undefined` = does not answer. Returns after the first round. */
async function follow(networks: (string | null | undefined)[]) {
  const told: unknown[] = [];
  let asked = 0;
  const addresses = networks.map((_, index) => ({
    path: '/',
    state: createAddressState(),
    send: (_request: unknown, listener: { answered(response: object): void; failed(error: Error): void }) => {
      asked += 1;
      const network = networks[index];
      if (network === undefined) listener.failed(new Error('away'));
      else listener.answered({ status: 200, headers: new Map([['network', network]]), chunks: [], size: 0 });
      return { isSent: true, cancel() {} };
    },
  }));
  const freshness = createFreshness(addresses as never, (...facts) => told.push(facts));
  closers.push(freshness.stop);
  freshness.follow({
    maxBehind: 20,
    leastOf: () => null,
    readNewest: async (call, timeoutMs) => {
      const { headers } = await call({ method: 'GET', path: '/', timeoutMs });
      return { newest: 5, network: (headers.get('network') ?? null) as string | null };
    },
  });
  await freshness.refresh();
  return { freshness, told, asked: () => asked, unused: () => addresses.map(({ state }) => state.isOtherNetwork) };
}

describe('addresses of two networks', () => {
  it.each([
    ['all are the same', ['a', 'a'], [false, false]],
    ['the second one differs', ['a', 'b', 'a'], [false, true, false]],
    ['none says', [null, null], [false, false]],
    ['one says nothing', ['a', null], [false, true]],
    ['the first one is away', [undefined, 'b', 'c'], [true, false, true]],
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

it('sockets take turns at the addresses that may be used', () => {
  const usable = new Set([0, 2]);
  const next = takeTurns({ urls: ['a', 'b', 'c'], mayUse: (index) => usable.has(index) });
  expect([next(), next(), next()]).toEqual(['a', 'c', 'a']);
  usable.clear();
  expect(['a', 'b', 'c']).toContain(next());
});
