import { describe, expect, test } from 'vitest';
import type { ObjectRecord, TransactionRecord } from '../../../../src/devnet/state/records.ts';
import { createSmallDevnet } from '../../../support/small-devnet.ts';

const created = (transaction: TransactionRecord): ObjectRecord[] =>
  transaction.changes.flatMap(({ kind, output }) => (kind === 'created' && output ? [output] : []));
const failure = (transaction: TransactionRecord) => (transaction.status.ok ? null : transaction.status.error);

describe('splitting, merging and transferring coins', () => {
  test('a part of the gas coin becomes a coin of the recipient', () => {
    const devnet = createSmallDevnet();
    const { alice, bob, ledger } = devnet;
    const [purse] = devnet.coins(alice.address);
    const transaction = devnet.run((tx) => tx.transfer([tx.split(tx.gasCoin, tx.u64(250))], bob.address));
    expect(transaction.status).toEqual({ ok: true });
    expect(created(transaction)).toMatchObject([{ balance: 250n, owner: { kind: 'address', address: bob.address } }]);
    const net =
      transaction.gasUsed.computationCost + transaction.gasUsed.storageCost - transaction.gasUsed.storageRebate;
    expect(ledger.currentObject(purse!.objectId)?.balance).toBe(purse!.balance! - 250n - net);
    expect(transaction.balanceChanges).toEqual(
      [
        { owner: alice.address, coinType: ledger.nativeCoinType, amount: -250n - net },
        { owner: bob.address, coinType: ledger.nativeCoinType, amount: 250n },
      ].sort((left, right) => (left.owner < right.owner ? -1 : 1)),
    );
  });

  test('the JSON, the BCS and the balance of a coin say the same', () => {
    const devnet = createSmallDevnet();
    const [coin] = created(devnet.run((tx) => tx.transfer([tx.split(tx.gasCoin, tx.u64(258))], devnet.bob.address)));
    expect(coin).toMatchObject({ json: { id: coin!.objectId, balance: '258' }, balance: 258n });
    expect(Buffer.from(coin!.bcs).toString('hex')).toBe(`${coin!.objectId.slice(2)}0201000000000000`);
  });

  test('merged coins are gone and their balance is in the destination', () => {
    const devnet = createSmallDevnet();
    const { ledger, alice } = devnet;
    const [, second, third] = devnet.coins(alice.address);
    const transaction = devnet.run((tx) => tx.merge(tx.owned(second!), [tx.owned(third!)]));
    expect(ledger.currentObject(second!.objectId)?.balance).toBe(second!.balance! + third!.balance!);
    expect(ledger.currentObject(third!.objectId)).toBeUndefined();
    expect(transaction.changes.find(({ objectId }) => objectId === third!.objectId)).toMatchObject({
      kind: 'deleted',
      output: { live: false, version: transaction.lamportVersion },
    });
  });

  test('the gas coin itself can be transferred', () => {
    const devnet = createSmallDevnet();
    const transaction = devnet.run((tx) => tx.transfer([tx.gasCoin], devnet.bob.address));
    expect(transaction.gasObject?.owner).toEqual({ kind: 'address', address: devnet.bob.address });
  });

  test('a result can be split again and merged back', () => {
    const devnet = createSmallDevnet();
    const transaction = devnet.run((tx) => {
      const part = tx.split(tx.gasCoin, tx.u64(100));
      const smaller = tx.split(part, tx.u64(30));
      tx.merge(tx.gasCoin, [part]);
      tx.transfer([smaller], devnet.bob.address);
    });
    expect(created(transaction).map(({ balance }) => balance)).toEqual([30n]);
  });

  test('supply is constant: what leaves one owner reaches another, except gas', () => {
    const devnet = createSmallDevnet();
    const total = () =>
      devnet.ledger
        .liveObjects(devnet.ledger.closeCheckpoint().sequenceNumber)
        .reduce((sum, { balance, type }) => (type.includes('LEDGER') ? sum + (balance ?? 0n) : sum), 0n);
    const before = total();
    const { gasUsed } = devnet.run((tx) => {
      const [, other] = devnet.coins(devnet.alice.address);
      tx.transfer([tx.split(tx.owned(other!), tx.u64(5)), tx.split(tx.gasCoin, tx.u64(7))], devnet.bob.address);
    });
    expect(before - total()).toBe(gasUsed.computationCost + gasUsed.storageCost - gasUsed.storageRebate);
  });
});

describe('invalid commands fail the transaction: gas is paid, nothing else changes', () => {
  const devnet = createSmallDevnet();
  const { alice, bob, ledger, contracts } = devnet;
  const gold = () =>
    ledger
      .ownedObjects(alice.address, 0)
      .flatMap(({ objectId }) => ledger.currentObject(objectId) ?? [])
      .find(({ type }) => type.includes('gold'))!;
  const shared = ledger
    .liveObjects(0)
    .find(({ owner, type }) => owner.kind === 'shared' && type.includes('::pool::Pool<'))!;
  const metadata = ledger.coinMetadata(contracts.goldType)!;
  const immutable = ledger.currentObject(metadata.objectId)!;

  test.each<[string, string, Parameters<typeof devnet.run>[0]]>([
    [
      'more than there is',
      'InsufficientCoinBalance in command 0',
      (tx) => tx.transfer([tx.split(tx.gasCoin, tx.u64(10n ** 18n))], bob.address),
    ],
    [
      'what is left after the budget was set aside',
      'InsufficientCoinBalance in command 0',
      (tx) => tx.transfer([tx.split(tx.gasCoin, tx.u64(devnet.coins(alice.address)[0]!.balance!))], bob.address),
    ],
    [
      'a part nobody takes',
      'UnusedValueWithoutDrop { result_idx: 0, secondary_idx: 0 }',
      (tx) => void tx.split(tx.gasCoin, tx.u64(1)),
    ],
    [
      'a coin used after it was given away',
      'CommandArgumentError { arg_idx: 0, kind: InvalidValueUsage } in command 2',
      (tx) => {
        const part = tx.split(tx.gasCoin, tx.u64(1));
        tx.transfer([part], bob.address);
        tx.transfer([part], alice.address);
      },
    ],
    [
      'coins of two types merged',
      'CommandArgumentError { arg_idx: 1, kind: TypeMismatch } in command 0',
      (tx) => tx.merge(tx.gasCoin, [tx.owned(gold())]),
    ],
    [
      'a coin merged into itself',
      'CommandArgumentError { arg_idx: 1, kind: InvalidValueUsage } in command 0',
      (tx) => tx.merge(tx.owned(gold()), [tx.owned(gold())]),
    ],
    [
      'the gas coin merged away',
      'CommandArgumentError { arg_idx: 1, kind: InvalidGasCoinUsage } in command 1',
      (tx) => {
        const part = tx.split(tx.gasCoin, tx.u64(1));
        tx.merge(part, [tx.gasCoin]);
      },
    ],
    [
      'an amount that is not eight bytes',
      'CommandArgumentError { arg_idx: 1, kind: InvalidBCSBytes } in command 0',
      (tx) => void tx.split(tx.gasCoin, tx.u8(1)),
    ],
    [
      'an object as an amount',
      'CommandArgumentError { arg_idx: 1, kind: TypeMismatch } in command 0',
      (tx) => void tx.split(tx.gasCoin, tx.owned(gold())),
    ],
    [
      'a number for a coin',
      'CommandArgumentError { arg_idx: 0, kind: TypeMismatch } in command 0',
      (tx) => void tx.split(tx.u64(1), tx.u64(1)),
    ],
    [
      'an input that is not there',
      'CommandArgumentError { arg_idx: 0, kind: IndexOutOfBounds { idx: 9 } } in command 0',
      (tx) => void tx.split({ kind: 'input', index: 9 }, tx.u64(1)),
    ],
    [
      'a result that is not there yet',
      'CommandArgumentError { arg_idx: 0, kind: IndexOutOfBounds { idx: 1 } } in command 0',
      (tx) => tx.transfer([{ kind: 'result', index: 1 }], bob.address),
    ],
    [
      'a second part of one',
      'CommandArgumentError { arg_idx: 0, kind: SecondaryIndexOutOfBounds { result_idx: 0, secondary_idx: 1 } } in command 1',
      (tx) => {
        tx.split(tx.gasCoin, tx.u64(1));
        tx.transfer([{ kind: 'nestedResult', index: 0, resultIndex: 1 }], bob.address);
      },
    ],
    [
      'the result of a command without one',
      'CommandArgumentError { arg_idx: 0, kind: InvalidResultArity { result_idx: 0 } } in command 1',
      (tx) => {
        tx.transfer([tx.owned(gold())], bob.address);
        tx.transfer([{ kind: 'result', index: 0 }], bob.address);
      },
    ],
    [
      'a shared object given away',
      'SharedObjectOperationNotAllowed in command 0',
      (tx) => tx.transfer([tx.shared(shared.objectId)], bob.address),
    ],
    [
      'an immutable object given away',
      'CommandArgumentError { arg_idx: 0, kind: InvalidObjectByValue } in command 0',
      (tx) => tx.transfer([tx.owned(immutable)], bob.address),
    ],
  ])('%s', (_what, error, commands) => {
    const goldBefore = gold();
    const transaction = devnet.run(commands);
    expect(failure(transaction)).toBe(error);
    expect(transaction.events).toEqual([]);
    expect(transaction.changes.every(({ kind }) => kind === 'mutated')).toBe(true);
    expect(gold().balance).toBe(goldBefore.balance);
    const { computationCost, storageCost, storageRebate } = transaction.gasUsed;
    expect(transaction.balanceChanges).toEqual([
      { owner: alice.address, coinType: ledger.nativeCoinType, amount: storageRebate - computationCost - storageCost },
    ]);
  });
});
