import { bcs } from '@iota/iota-sdk/bcs';
import { describe, expect, test } from 'vitest';
import { toSharedIds } from '../../../../src/devnet/genesis/genesis-objects.ts';
import { sharedReadsOf } from '../../../../src/devnet/graphql/objects/shared-reads.ts';
import type { TransactionRecord } from '../../../../src/devnet/state/records.ts';
import { encodeEffects } from '../../../../src/devnet/transactions/effects-bcs.ts';
import { createSmallDevnet, seed } from '../../../support/small-devnet.ts';

const someone = `0x${'2'.padStart(64, '0')}`;

/** As the SDK of a real network reads them. */
const decode = (record: TransactionRecord) =>
  bcs.TransactionEffects.parse(encodeEffects(record, sharedReadsOf(record))).V1;

describe('the effects of a transaction, as the network encodes them', () => {
  test('contain what it changed, read and cost', () => {
    const { run, bob, ledger } = createSmallDevnet();
    const { board, pool } = toSharedIds(seed);
    const record = run((tx) => {
      tx.transfer([tx.split(tx.gasCoin, tx.u64(5))], bob.address);
      tx.call('0x7::a::b', [tx.shared(board, false), tx.shared(pool)]);
    });
    const effects = decode(record);
    expect(effects).toMatchObject({
      status: { $kind: 'Success' },
      executedEpoch: String(record.epoch),
      transactionDigest: record.digest,
      eventsDigest: record.eventsDigest,
      dependencies: record.dependencies,
      lamportVersion: String(record.lamportVersion),
      auxDataDigest: null,
    });
    expect(effects.gasUsed).toEqual(
      Object.fromEntries(Object.entries(record.gasUsed).map(([name, amount]) => [name, String(amount)])),
    );
    expect(effects.changedObjects.map(([id]) => id)).toEqual(record.changes.map(({ objectId }) => objectId));
    expect(effects.changedObjects[effects.gasObjectIndex!]![0]).toBe(record.gasObject!.objectId);
    const change = (id: string) => effects.changedObjects.find(([objectId]) => objectId === id)![1];
    const made = record.changes.find(({ kind }) => kind === 'created')!;
    expect(change(made.objectId)).toMatchObject({
      inputState: { $kind: 'NotExist' },
      outputState: { ObjectWrite: [made.output!.digest, { AddressOwner: bob.address }] },
      idOperation: { $kind: 'Created' },
    });
    expect(change(pool)).toMatchObject({
      inputState: { Exist: [['1', ledger.object(pool, { version: 1 })!.digest], { $kind: 'Shared' }] },
      idOperation: { $kind: 'None' },
    });
    const read = ledger.object(board)!;
    expect(effects.unchangedSharedObjects).toMatchObject([
      [board, { ReadOnlyRoot: [String(read.version), read.digest] }],
    ]);
  });

  test('contain what it deleted, and packages it published', () => {
    const { run, alice, coins } = createSmallDevnet();
    const [, second, third] = coins(alice.address);
    const merged = decode(run((tx) => tx.merge(tx.owned(second!), [tx.owned(third!)])));
    expect(merged.changedObjects.find(([id]) => id === third!.objectId)![1]).toMatchObject({
      outputState: { $kind: 'NotExist' },
      idOperation: { $kind: 'Deleted' },
    });
  });

  test.each<[string, Parameters<ReturnType<typeof createSmallDevnet>['run']>[0], unknown]>([
    [
      'too little in a coin',
      (tx) => tx.transfer([tx.split(tx.gasCoin, tx.u64(10n ** 18n))], someone),
      { error: { $kind: 'InsufficientCoinBalance' }, command: '0' },
    ],
    [
      'an argument of the wrong type',
      (tx) => tx.transfer([tx.u64(5)], someone),
      { error: { CommandArgumentError: { argIdx: 0, kind: { $kind: 'TypeMismatch' } } }, command: '0' },
    ],
    [
      'a value nobody took',
      (tx) => void tx.split(tx.gasCoin, tx.u64(5)),
      { error: { UnusedValueWithoutDrop: { resultIdx: 0, secondaryIdx: 0 } }, command: null },
    ],
    [
      'an index out of range',
      (tx) => tx.transfer([{ kind: 'result', index: 9 }], someone),
      { error: { CommandArgumentError: { argIdx: 0, kind: { IndexOutOfBounds: { idx: 9 } } } }, command: '0' },
    ],
  ])('say why it failed: %s', (_, commands, failure) => {
    const { run } = createSmallDevnet();
    expect(decode(run(commands)).status).toMatchObject({ Failed: failure });
  });

  test('can be encoded for a whole history', () => {
    const { ledger } = createSmallDevnet({ checkpoints: 80, checkpointsPerEpoch: 20 });
    for (const record of ledger.transactions) expect(decode(record).transactionDigest).toBe(record.digest);
  });
});
