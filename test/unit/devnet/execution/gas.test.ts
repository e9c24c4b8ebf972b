import { describe, expect, test } from 'vitest';
import { createSmallDevnet, toRef } from '../../../support/small-devnet.ts';

describe('gas', () => {
  test('is price × (1000 + 10 per command + 100 per call), and 7600 per stored byte', () => {
    const devnet = createSmallDevnet();
    const { gasUsed } = devnet.run(
      (tx) => {
        tx.call('0x2::a::b', []);
        tx.call('0x2::a::b', []);
        tx.transfer([tx.split(tx.gasCoin, tx.u64(1))], devnet.bob.address);
      },
      { gas: { price: 1_500n } },
    );
    // Two coins of 40 bytes and 90 of overhead are written, one was there before.
    expect(gasUsed).toEqual({
      computationCost: 1_500n * 1_240n,
      computationCostBurned: 1_000n * 1_240n,
      storageCost: 2n * 988_000n,
      storageRebate: 978_120n,
      nonRefundableStorageFee: 9_880n,
    });
  });

  test('changes only the coin’s balance and version', () => {
    const devnet = createSmallDevnet();
    const [before] = devnet.coins(devnet.alice.address);
    const { gasObject, gasUsed } = devnet.run((tx) => void tx.call('0x2::a::b', []));
    const net = gasUsed.computationCost + gasUsed.storageCost - gasUsed.storageRebate;
    expect(gasObject).toMatchObject({
      objectId: before!.objectId,
      version: before!.version + 1,
      balance: before!.balance! - net,
      type: before!.type,
      owner: before!.owner,
    });
    expect(gasObject!.digest).not.toBe(before!.digest);
  });

  test('merges several payment coins into the first, also if the run fails', () => {
    for (const amount of [1n, 10n ** 18n]) {
      const devnet = createSmallDevnet();
      const coins = devnet.coins(devnet.alice.address);
      const transaction = devnet.run(
        (tx) => tx.transfer([tx.split(tx.gasCoin, tx.u64(amount))], devnet.alice.address),
        {
          gas: { payment: coins.map(toRef) },
        },
      );
      expect(transaction.status.ok).toBe(amount === 1n);
      expect(transaction.gasObject?.objectId).toBe(coins[0]!.objectId);
      expect(coins.slice(1).map(({ objectId }) => devnet.ledger.currentObject(objectId))).toEqual([
        undefined,
        undefined,
      ]);
      const { computationCost, storageCost, storageRebate } = transaction.gasUsed;
      const paid = computationCost + storageCost - storageRebate;
      const total = coins.reduce((sum, { balance }) => sum + balance!, 0n);
      const given = transaction.status.ok ? amount : 0n;
      expect(transaction.gasObject?.balance).toBe(total - paid - given);
    }
  });

  test('over the budget fails the run, with full computation and storage charged', () => {
    const devnet = createSmallDevnet();
    // 1 020 000 of computation and one coin's storage fit; storing a second coin does not.
    const transaction = devnet.run((tx) => tx.transfer([tx.split(tx.gasCoin, tx.u64(1))], devnet.bob.address), {
      gas: { budget: 2_500_000n },
    });
    expect(transaction.status).toEqual({ ok: false, error: 'InsufficientGas' });
    expect(transaction.gasUsed).toMatchObject({ computationCost: 1_020_000n, storageCost: 988_000n });
  });

  test('takes the whole budget if not even a failed run fits', () => {
    const devnet = createSmallDevnet();
    const [purse] = devnet.coins(devnet.alice.address);
    const transaction = devnet.run((tx) => void tx.call('0x2::a::b', []), { gas: { budget: 1_000_000n } });
    expect(transaction.status).toEqual({ ok: false, error: 'InsufficientGas' });
    expect(transaction.gasObject).toMatchObject({
      balance: purse!.balance! - 1_000_000n,
      storageRebate: purse!.storageRebate,
    });
  });

  test('is paid only by the gas owner', () => {
    const devnet = createSmallDevnet();
    const transaction = devnet.run((tx) => void tx.call('0x2::a::b', []), { gas: { owner: devnet.bob.address } });
    expect(transaction.balanceChanges.map(({ owner }) => owner)).toEqual([devnet.bob.address]);
    expect(transaction.signatures()).toHaveLength(2);
  });
});

describe('versions', () => {
  test('follow Lamport: one above the highest input, for every written object', () => {
    const devnet = createSmallDevnet();
    const { alice, bob, ledger } = devnet;
    const [, second] = devnet.coins(alice.address);
    for (let count = 0; count < 3; count += 1) devnet.run((tx) => void tx.call('0x2::a::b', []));
    const transaction = devnet.run((tx) => tx.transfer([tx.owned(second!)], bob.address));
    expect(transaction.lamportVersion).toBe(5);
    expect(transaction.changes.map(({ output }) => output?.version)).toEqual([5, 5]);
    expect(ledger.currentObject(second!.objectId)).toMatchObject({
      version: 5,
      previousTransaction: transaction.digest,
    });
  });

  test('of untouched mutable inputs rise too, of read-only inputs not', () => {
    const devnet = createSmallDevnet();
    const { ledger, alice } = devnet;
    const [, second] = devnet.coins(alice.address);
    const [board, pool] = ['::Board', '::pool::Pool<'].map(
      (part) => ledger.liveObjects(0).find(({ type }) => type.includes(part))!,
    );
    const transaction = devnet.run(
      (tx) =>
        void tx.call('0x2::a::b', [
          tx.owned(second!),
          tx.shared(board!.objectId, true),
          tx.shared(pool!.objectId, false),
        ]),
    );
    expect(ledger.currentObject(second!.objectId)?.version).toBe(2);
    expect(ledger.currentObject(board!.objectId)?.version).toBe(2);
    expect(ledger.currentObject(pool!.objectId)?.version).toBe(1);
    expect(transaction.inputObjects.map(({ objectId }) => objectId)).toContain(pool!.objectId);
  });

  test('dependencies are the transactions that made the inputs', () => {
    const devnet = createSmallDevnet();
    const first = devnet.run((tx) => void tx.call('0x2::a::b', []));
    const next = devnet.run((tx) => void tx.call('0x2::a::b', []));
    expect(next.dependencies).toEqual([first.digest]);
  });
});
