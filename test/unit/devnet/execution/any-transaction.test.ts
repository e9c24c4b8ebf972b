import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeTransactionData } from '../../../../src/devnet/transactions/encode-transaction.ts';
import type { Argument, CallArg, TransactionCommand } from '../../../../src/transactions/transaction-bcs.ts';
import { createSmallDevnet, type SmallDevnet, toRef } from '../../../support/small-devnet.ts';

/** Arguments near what there is, so that many of them fit. */
const argument: fc.Arbitrary<Argument> = fc.oneof(
  fc.constant({ kind: 'gasCoin' } as const),
  fc.record({ kind: fc.constant('input' as const), index: fc.nat(8) }),
  fc.record({ kind: fc.constant('result' as const), index: fc.nat(4) }),
  fc.record({ kind: fc.constant('nestedResult' as const), index: fc.nat(3), resultIndex: fc.nat(1) }),
);
const some = fc.array(argument, { minLength: 1, maxLength: 3 });

const command: fc.Arbitrary<TransactionCommand> = fc.oneof(
  fc.record({ kind: fc.constant('splitCoins' as const), coin: argument, amounts: some }),
  fc.record({ kind: fc.constant('mergeCoins' as const), destination: argument, sources: some }),
  fc.record({ kind: fc.constant('transferObjects' as const), objects: some, recipient: fc.constant(recipientAt(0)) }),
  fc.record({ kind: fc.constant('makeMoveVec' as const), type: fc.constant(null), elements: some }),
  fc.record({
    kind: fc.constant('moveCall' as const),
    package: fc.constant(`0x${'5'.repeat(64)}`),
    module: fc.constant('shop'),
    function: fc.constant('visit'),
    typeArguments: fc.constant([]),
    arguments: some,
  }),
);

function recipientAt(index: number): Argument {
  return { kind: 'input', index };
}

/** A recipient, two amounts, three coins of two types, a shared object, an immutable one. */
function inputsOf({ ledger, alice, bob, coins, contracts }: SmallDevnet): CallArg[] {
  const pure = (hex: string): CallArg => ({ kind: 'pure', bytes: Uint8Array.from(Buffer.from(hex, 'hex')) });
  const owned = ledger.ownedObjects(alice.address, 0);
  const gold = owned.find(({ type }) => type.includes('gold'))!;
  const [, second, third] = coins(alice.address);
  const shared = ledger.liveObjects(0).find(({ type }) => type.endsWith('::Board'))!;
  const metadata = ledger.currentObject(ledger.coinMetadata(contracts.goldType)!.objectId)!;
  return [
    pure(bob.address.slice(2)),
    pure('0500000000000000'),
    pure('00e40b5402000000'),
    ...[second!, third!, gold, metadata].map((object): CallArg => ({ kind: 'owned', ref: toRef(object) })),
    { kind: 'shared', objectId: shared.objectId, initialSharedVersion: 1, mutable: true },
  ];
}

describe('any transaction of a user', () => {
  test('has an outcome, and creates no coin from nothing', () => {
    const statuses = { ok: 0, failed: 0 };
    const devnet = createSmallDevnet();
    const { ledger, alice } = devnet;
    const inputs = inputsOf(devnet);
    const [purse] = devnet.coins(alice.address);
    fc.assert(
      fc.property(fc.array(command, { minLength: 1, maxLength: 5 }), (commands) => {
        const bytes = encodeTransactionData({
          kind: { kind: 'PROGRAMMABLE_TX', inputs, commands },
          sender: alice.address,
          gas: { payment: [toRef(purse!)], owner: alice.address, price: 1000n, budget: 50_000_000n },
          expirationEpoch: null,
        });
        const outcome = ledger.dryRun(bytes);
        if (outcome.kind === 'refused') throw new Error(outcome.message);
        const { status, changes, gasUsed, lamportVersion } = outcome.transaction;
        statuses[status.ok ? 'ok' : 'failed'] += 1;

        const sum = (side: 'input' | 'output', coinType: string) =>
          changes.reduce((total, change) => {
            const object = change[side];
            return object?.live && object.type.includes(coinType) ? total + (object.balance ?? 0n) : total;
          }, 0n);
        const net = gasUsed.computationCost + gasUsed.storageCost - gasUsed.storageRebate;
        const lost = sum('input', '::LEDGER>') - net - sum('output', '::LEDGER>');
        const lostGold = sum('input', '::GOLD>') - sum('output', '::GOLD>');
        // Only a call can keep a coin, and only in a transaction that succeeds.
        const mayKeep = status.ok && commands.some(({ kind }) => kind === 'moveCall' || kind === 'makeMoveVec');
        if (mayKeep) expect(lost >= 0n && lostGold >= 0n).toBe(true);
        else expect([lost, lostGold]).toEqual([0n, 0n]);
        expect(changes.every(({ output }) => output?.version === lamportVersion)).toBe(true);
      }),
      { numRuns: 400 },
    );
    expect(statuses.ok).toBeGreaterThan(0);
    expect(statuses.failed).toBeGreaterThan(0);
  });
});
