import { describe, expect, test } from 'vitest';
import { createDailyCap } from '../../../../src/devnet/sponsor/daily-cap.ts';
import { createGasPool } from '../../../../src/devnet/sponsor/gas-pool.ts';
import { createSmallDevnet } from '../../../support/small-devnet.ts';

function createPool() {
  const devnet = createSmallDevnet();
  const { ledger, accounts } = devnet;
  return { devnet, pool: createGasPool({ ledger, clock: () => devnet.now, sponsorAddress: accounts.sponsor.address }) };
}

describe('the gas pool', () => {
  test('takes as few coins as the budget needs, in turn', () => {
    const { pool } = createPool();
    const first = pool.reserve(100_000_000n, 1_000)!;
    const second = pool.reserve(100_000_001n, 1_000)!;
    expect([first.coins.length, second.coins.length, pool.freeCoins()]).toEqual([1, 2, 1]);
    pool.giveBack(pool.take(first.id)!.coins);
    const third = pool.reserve(200_000_000n, 1_000)!;
    expect(third.coins.at(-1)).toEqual(first.coins[0]);
  });

  test('keeps coins that a failed reservation considered', () => {
    const { pool } = createPool();
    expect(pool.reserve(400_000_001n, 1_000)).toBeNull();
    expect(pool.freeCoins()).toBe(4);
    expect(pool.reserve(400_000_000n, 1_000)?.id).toBe(1n);
  });

  test('gives a reservation to one execution', () => {
    const { pool } = createPool();
    const { id } = pool.reserve(1n, 1_000)!;
    expect(pool.take(id)?.id).toBe(id);
    expect(pool.take(id)).toBeUndefined();
    expect(pool.find(id)).toBeUndefined();
    expect(pool.freeCoins()).toBe(3);
  });

  test('frees expired reservations at every use', () => {
    const { pool, devnet } = createPool();
    const { id } = pool.reserve(400_000_000n, 5_000)!;
    devnet.now += 4_999;
    expect(pool.find(id)).toBeDefined();
    devnet.now += 1;
    expect(pool.find(id)).toBeUndefined();
    expect(pool.reserve(400_000_000n, 5_000)?.coins).toHaveLength(4);
  });

  test('drops coins that the sponsor no longer owns', () => {
    const { pool, devnet } = createPool();
    const { alice, accounts } = devnet;
    const { coins } = pool.reserve(1n, 1_000)!;
    devnet.run((tx) => tx.transfer([tx.gasCoin], alice.address), {
      sender: accounts.sponsor.address,
      gas: { owner: accounts.sponsor.address, payment: coins },
    });
    devnet.now += 1_000;
    expect(pool.freeCoins()).toBe(3);
  });
});

describe('the daily cap', () => {
  test('counts what was paid, not what was refunded, until the UTC day ends', () => {
    const time = { now: Date.UTC(2026, 10, 21, 23, 59, 59) };
    const cap = createDailyCap(100n, () => time.now);
    cap.add(60n);
    cap.add(-50n);
    expect(cap.isExceeded()).toBe(false);
    cap.add(40n);
    expect(cap.isExceeded()).toBe(true);
    time.now += 1_000;
    expect(cap.isExceeded()).toBe(false);
  });
});
