import { describe, expect, test } from 'vitest';
import type { ProgrammableBuilder } from '../../../../src/devnet/transactions/programmable-builder.ts';
import { createSmallDevnet, type DataChanges, toRef } from '../../../support/small-devnet.ts';

const devnet = createSmallDevnet();
const { alice, bob, ledger, contracts } = devnet;
const inputs = 'Error checking transaction input objects: ';
const [purse, second, third] = devnet.coins(alice.address);
const [bobs] = devnet.coins(bob.address);
const missing = { objectId: `0x${'77'.repeat(32)}`, version: 3, digest: purse!.digest };
const gold = ledger.ownedObjects(alice.address, 0).find(({ type }) => type.includes('gold'))!;
const registry = ledger.liveObjects(0).find(({ type }) => type.endsWith('::events::Registry'))!;
const [child] = ledger.ownedObjects(registry.objectId, 0);
const call = (tx: ProgrammableBuilder) => void tx.call('0x2::a::b', []);

describe('a validator rejects', () => {
  test.each<[string, string, (tx: ProgrammableBuilder) => void, DataChanges]>([
    [
      'a missing object',
      `${inputs}Could not find the referenced object ${missing.objectId} at version Some(SequenceNumber(3))`,
      (tx) => tx.transfer([tx.owned(missing)], bob.address),
      {},
    ],
    [
      'a version still to come',
      `${inputs}Could not find the referenced object ${second!.objectId} at version Some(SequenceNumber(2))`,
      (tx) => tx.transfer([tx.owned({ ...second!, version: 2 })], bob.address),
      {},
    ],
    [
      'another digest',
      `${inputs}Invalid Object digest for object ${second!.objectId}. Expected digest : ${second!.digest}`,
      (tx) => tx.transfer([tx.owned({ ...second!, digest: purse!.digest })], bob.address),
      {},
    ],
    [
      'an object of somebody else',
      `${inputs}Transaction was not signed by the correct sender: Object ${bobs!.objectId} is owned by account address ${bob.address}, but given owner/signer address is ${alice.address}`,
      (tx) => tx.transfer([tx.owned(bobs!)], alice.address),
      {},
    ],
    [
      'an object owned by an object',
      `${inputs}Object ${child!.objectId} is owned by object ${registry.objectId}. Objects owned by other objects cannot be used as input arguments`,
      (tx) => tx.transfer([tx.owned(child!)], alice.address),
      {},
    ],
    [
      'a shared object as an owned one',
      `${inputs}Object ${registry.objectId} is shared and cannot be used as an owned input`,
      (tx) => tx.transfer([tx.owned(registry)], alice.address),
      {},
    ],
    [
      'an owned object as a shared one',
      `${inputs}Mutable shared or read-only shared object expected: the object is not shared`,
      (tx) => void tx.call('0x2::a::b', [tx.shared(second!.objectId)]),
      {},
    ],
    [
      'a shared object that is not there',
      `${inputs}Could not find the referenced object ${missing.objectId} at version None`,
      (tx) => void tx.call('0x2::a::b', [tx.shared(missing.objectId)]),
      {},
    ],
    [
      'a package as an object',
      `${inputs}A move object is expected, instead a move package is passed: ${contracts.packages.core}`,
      (tx) => void tx.call('0x2::a::b', [tx.owned(ledger.currentObject(contracts.packages.core)!)]),
      {},
    ],
    [
      'the gas coin as an input',
      `${inputs}The transaction inputs contain duplicated ObjectRef's`,
      (tx) => tx.transfer([tx.owned(purse!)], bob.address),
      {},
    ],
    ['no commands', `${inputs}Empty input: a transaction needs at least one command`, () => {}, {}],
    [
      'a merge of nothing',
      `${inputs}Empty command input: mergeCoins needs at least one argument`,
      (tx) => tx.merge(tx.gasCoin, []),
      {},
    ],
    ['no gas payment', `${inputs}Transaction gas payment missing`, call, { gas: { payment: [] } }],
    [
      'a coin twice in the payment',
      `${inputs}The transaction inputs contain duplicated ObjectRef's`,
      call,
      { gas: { payment: [toRef(purse!), toRef(purse!)] } },
    ],
    [
      "a payment with somebody else's coin",
      `${inputs}Gas object ${bobs!.objectId} is not an owned object of ${alice.address}, its owner: AddressOwner(${bob.address})`,
      call,
      { gas: { payment: [toRef(bobs!)] } },
    ],
    [
      'a payment in another currency',
      `${inputs}Gas object ${gold.objectId} is not a coin of type ${ledger.nativeCoinType}`,
      call,
      { gas: { payment: [toRef(gold)] } },
    ],
    [
      'a payment that does not cover the budget',
      `${inputs}Balance of gas object ${third!.balance} is lower than the needed amount: ${third!.balance! + 1n}`,
      call,
      { gas: { payment: [toRef(third!)], budget: third!.balance! + 1n } },
    ],
    ['a budget too low', `${inputs}Gas budget: 999999 is lower than min: 1000000`, call, { gas: { budget: 999_999n } }],
    [
      'a budget too high',
      `${inputs}Gas budget: 50000000001 is higher than max: 50000000000`,
      call,
      { gas: { budget: 50_000_000_001n } },
    ],
    [
      'a price under the reference',
      `${inputs}Gas price 999 under reference gas price (RGP) 1000`,
      call,
      { gas: { price: 999n } },
    ],
    [
      'a price beyond reason',
      `${inputs}Gas price cannot exceed 100000`,
      call,
      { gas: { price: 100_001n, budget: 50_000_000_000n } },
    ],
  ])('%s', (_what, message, commands, changes) => {
    const before = ledger.transactions.length;
    expect(devnet.execute(devnet.build(commands, changes))).toEqual({ kind: 'refused', message });
    ledger.closeCheckpoint();
    expect(ledger.transactions.slice(before).map(({ kind }) => kind)).toEqual(['CONSENSUS_COMMIT_PROLOGUE_V1']);
  });

  test('a wrong initial version of a shared object', () => {
    const data = devnet.build((tx) => void tx.call('0x2::a::b', [tx.shared(registry.objectId)]));
    const kind = {
      ...data.kind,
      inputs: [{ kind: 'shared', objectId: registry.objectId, initialSharedVersion: 2, mutable: true }],
    };
    expect(devnet.execute({ ...data, kind: kind as typeof data.kind })).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('shared object starting version') as string,
    });
  });

  test('a stale version, naming the current one', () => {
    const stale = toRef(second!);
    devnet.run((tx) => tx.transfer([tx.owned(second!)], alice.address));
    expect(devnet.execute(devnet.build((tx) => tx.transfer([tx.owned(stale)], bob.address)))).toMatchObject({
      message: expect.stringMatching(
        `Object ID ${stale.objectId} Version 1 Digest ${stale.digest} is not available for consumption`,
      ) as string,
    });
  });

  test('257 payment coins', () => {
    const payment = Array.from({ length: 257 }, (_, index) => ({
      ...missing,
      objectId: `0x${index.toString(16).padStart(64, '0')}`,
    }));
    expect(devnet.execute(devnet.build(call, { gas: { payment } }))).toEqual({
      kind: 'refused',
      message: `${inputs}Size limit exceeded: maximum number of gas payment objects is 256`,
    });
  });

  test('a transaction past its epoch, and not one in its last', () => {
    const fresh = createSmallDevnet();
    fresh.ledger.advanceEpoch();
    expect(fresh.execute(fresh.build(call, { expirationEpoch: 0 }))).toEqual({
      kind: 'refused',
      message: 'Transaction Expired',
    });
    expect(fresh.execute(fresh.build(call, { expirationEpoch: 1 }))).toMatchObject({ kind: 'executed' });
  });

  test('system transactions from outside', () => {
    const data = devnet.build(call);
    const kind = { kind: 'END_OF_EPOCH_TX', nextEpoch: 9, epochStartTimestampMs: 0 } as const;
    expect(devnet.execute({ ...data, kind })).toEqual({
      kind: 'refused',
      message: 'Transaction is not supported: only validators send system transactions',
    });
  });

  test('bytes that are no transaction', () => {
    expect(ledger.execute(Uint8Array.of(0, 9), [])).toEqual({
      kind: 'refused',
      message: 'Transaction cannot be deserialized: unknown transaction kind 9 (at byte 2 of 2)',
    });
  });

  test('an unsigned transaction', () => {
    expect(devnet.execute(devnet.build(call), [])).toEqual({
      kind: 'refused',
      message: 'Expect 1 signer signatures but got 0',
    });
  });

  test('more commands or inputs than allowed', () => {
    const many = devnet.build((tx) => {
      for (let count = 0; count < 1_025; count += 1) tx.call('0x2::a::b', []);
    });
    expect(devnet.execute(many)).toEqual({
      kind: 'refused',
      message: `${inputs}Size limit exceeded: maximum commands in a programmable transaction is 1024`,
    });
    const wide = devnet.build((tx) => {
      for (let count = 0; count < 2_049; count += 1) tx.u64(count);
      call(tx);
    });
    expect(devnet.execute(wide)).toEqual({
      kind: 'refused',
      message: `${inputs}Size limit exceeded: maximum inputs in a programmable transaction is 2048`,
    });
  });
});
