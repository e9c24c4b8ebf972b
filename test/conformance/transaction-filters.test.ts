import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ledger as profile } from '../../src/config/networks/ledger.ts';
import { toTransactionRecord } from '../../src/devnet/execution/transaction-record.ts';
import { parseTransactionFilter } from '../../src/devnet/graphql/history/transaction-filter.ts';
import { readTransactionFilter } from '../../src/devnet/rpc/transaction-filter.ts';
import { toTransactionJson } from '../../src/devnet/rpc/transaction-json.ts';
import type { ObjectChange, ObjectRecord, OwnerRecord, TransactionRecord } from '../../src/devnet/state/records.ts';
import { encodeEffects } from '../../src/devnet/transactions/effects-bcs.ts';
import { encodeTransactionData } from '../../src/devnet/transactions/encode-transaction.ts';
import type { AnyTransactionData } from '../../src/devnet/transactions/system-transaction.ts';
import { keysOfLedger, keysOfRpc } from '../../src/events/transaction-keys.ts';
import { toDigest, transactionDigest } from '../../src/transactions/digest.ts';
import { transactionData } from '../support/arbitrary-transaction.ts';
import { runs } from '../support/runs.ts';

const zero = `0x${'0'.repeat(64)}`;
const none = toDigest(new Uint8Array(32));
/** Few, so that transactions have many in common. */
const address = fc.integer({ min: 1, max: 6 }).map((number) => `0x${number.toString(16).padStart(64, '0')}`);
const digest = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toDigest);
const version = fc.integer({ min: 1, max: 1_000 });

const owner: fc.Arbitrary<OwnerRecord> = fc.oneof(
  fc.record({ kind: fc.constantFrom('address' as const, 'object' as const), address }),
  fc.record({ kind: fc.constant('shared' as const), initialSharedVersion: version }),
  fc.constant({ kind: 'immutable' } as const),
);

const change: fc.Arbitrary<ObjectChange> = fc
  .record({
    objectId: fc.oneof(address, fc.constant(`0x${'7'.repeat(64)}`)),
    kind: fc.constantFrom('created' as const, 'mutated' as const, 'deleted' as const),
    owners: fc.tuple(owner, owner),
    versions: fc.tuple(version, version),
    digest,
    type: fc.constantFrom('0x2::coin::Coin<0x2::ledger::LEDGER>', 'package'),
  })
  .map(({ objectId, kind, owners, versions, digest, type }) => {
    const toRecord = (at: 0 | 1, live: boolean): ObjectRecord => ({
      objectId,
      version: versions[at],
      digest,
      type,
      owner: type === 'package' ? { kind: 'immutable' } : owners[at],
      live,
      json: {},
      bcs: new Uint8Array(),
      previousTransaction: digest,
      storageRebate: 0n,
      balance: null,
      checkpoint: 1,
    });
    const output = toRecord(1, kind !== 'deleted');
    return { objectId, kind, input: kind === 'created' ? null : toRecord(0, true), output };
  });

const systemData: fc.Arbitrary<AnyTransactionData> = fc
  .constantFrom(
    { kind: 'GENESIS', objectIds: [] } as const,
    { kind: 'CONSENSUS_COMMIT_PROLOGUE_V1', epoch: 1, round: 2, commitTimestampMs: 3 } as const,
    { kind: 'END_OF_EPOCH_TX', nextEpoch: 2, epochStartTimestampMs: 3 } as const,
  )
  .map((kind) => ({
    kind,
    sender: zero,
    gas: { payment: [], owner: zero, price: 1n, budget: 0n },
    expirationEpoch: null,
  }));

/** Writes other addresses into a value, so that transactions have some in common. */
function withFew<Value>(value: Value, few: readonly string[]): Value {
  let next = 0;
  const text = JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `big ${each}` : toPlain(each)));
  const changed = text.replaceAll(/0x[\da-f]{64}/g, (id) => few[next++ % (few.length + 2)] ?? id);
  return JSON.parse(changed, (_, each) => {
    if (typeof each === 'string' && each.startsWith('big ')) return BigInt(each.slice(4));
    return each?.bytesOf ? Uint8Array.from(each.bytesOf) : each;
  });
}
const toPlain = (each: unknown) => (each instanceof Uint8Array ? { bytesOf: [...each] } : each);

/** Executed transactions of all kinds, valid or not: filters do not ask. */
const record: fc.Arbitrary<TransactionRecord> = fc
  .record({
    data: fc.oneof(
      { weight: 6, arbitrary: fc.tuple(transactionData, fc.array(address, { minLength: 1, maxLength: 4 })) },
      { weight: 1, arbitrary: fc.tuple(systemData, fc.constant([])) },
    ),
    changes: fc.uniqueArray(change, { selector: ({ objectId }) => objectId, maxLength: 5 }),
    hasFailed: fc.boolean(),
  })
  .map(({ data: [given, few], changes, hasFailed }) => {
    const data = withFew(given, few);
    const isUsers = data.kind.kind === 'PROGRAMMABLE_TX';
    const bytes = encodeTransactionData(data);
    const ids = isUsers && data.kind.kind === 'PROGRAMMABLE_TX' ? objectsOf(data.kind.inputs) : [];
    const named = [...ids, ...data.gas.payment.map(({ objectId }) => objectId)];
    const inputs = isUsers
      ? named.map((objectId) => ({ objectId, version: 1, digest: none, previousTransaction: none }))
      : changes.flatMap(({ input }) => (input?.owner.kind === 'shared' ? [input] : []));
    const view = {
      nextTransactionSequence: 1,
      nextEventSequence: 1,
      epoch: 1,
      timestampMs: 1,
      referenceGasPrice: 1n,
      nativeCoinType: '',
      currentObject: () => undefined,
      describeCall: () => undefined,
    };
    return {
      ...toTransactionRecord(
        {
          data,
          bytes,
          digest: transactionDigest(bytes),
          signatures: () => [],
          status: hasFailed ? { ok: false, error: 'InsufficientGas' } : { ok: true },
          gasUsed: {
            computationCost: 1n,
            computationCostBurned: 1n,
            storageCost: 1n,
            storageRebate: 1n,
            nonRefundableStorageFee: 1n,
          },
          lamportVersion: 2,
          changes,
          inputs: inputs as readonly ObjectRecord[],
          gasCoinId: null,
          events: [],
        },
        view,
      ),
      checkpoint: 1,
    };
  });

function objectsOf(inputs: readonly { readonly kind: string }[]): string[] {
  return inputs.flatMap((input) => {
    const { objectId, ref } = input as { objectId?: string; ref?: { objectId: string } };
    return [objectId ?? ref?.objectId ?? []].flat();
  });
}

const all = {
  showInput: true,
  showRawInput: false,
  showEffects: true,
  showEvents: true,
  showObjectChanges: true,
  showBalanceChanges: true,
};
const wire = { timestampMs: null, checkpoint: null };

function keysOverRpc(transaction: TransactionRecord): ReadonlySet<string> {
  const shared = new Set(transaction.inputObjects.map(({ objectId }) => objectId));
  const object = (id: string) => (shared.has(id) ? ({ owner: { kind: 'shared' } } as ObjectRecord) : undefined);
  // As a node sends it.
  const raw = JSON.parse(JSON.stringify(toTransactionJson(transaction, all, { object })));
  return keysOfRpc({ ...wire, digest: transaction.digest, raw });
}

function keysOverGraphql(transaction: TransactionRecord): ReadonlySet<string> {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const raw = { bcs: base64(transaction.bytes), effects: { bcs: base64(encodeEffects(transaction, [])) } };
  return keysOfLedger(profile)({ ...wire, digest: transaction.digest, raw });
}

const graphqlMembers: Readonly<Record<string, (value: never) => object>> = {
  FromAddress: (sentAddress: string) => ({ sentAddress }),
  ToAddress: (recvAddress: string) => ({ recvAddress }),
  InputObject: (inputObject: string) => ({ inputObject }),
  ChangedObject: (changedObject: string) => ({ changedObject }),
  MoveFunction: (path: object) => ({ function: Object.values(path).join('::') }),
  TransactionKind: (kind: string) => ({ kind: profile.history.transactions.kinds[kind] }),
};

it('the gateway decides every filter of transactions as nodes do, from what either source sends', async () => {
  const noIds = { maxTransactionIds: 1 };
  await fc.assert(
    fc.property(fc.array(record, { minLength: 2, maxLength: 4 }), (transactions) => {
      const overRpc = transactions.map(keysOverRpc);
      const overGraphql = transactions.map(keysOverGraphql);
      const universe = new Set([...overRpc, ...overGraphql].flatMap((keys) => [...keys]));
      // Whatever a node's filters could name.
      for (const { sender, inputIds, inputObjects, changes, moveCalls } of transactions) {
        for (const id of [sender, ...inputIds, ...[...inputObjects, ...changes].map(({ objectId }) => objectId)])
          for (const member of ['FromAddress', 'ToAddress', 'InputObject', 'ChangedObject'])
            universe.add(JSON.stringify({ [member]: id }));
        for (const { package: id } of moveCalls) universe.add(JSON.stringify({ MoveFunction: { package: id } }));
      }
      for (const key of universe) {
        const filter = JSON.parse(key) as Readonly<Record<string, never>>;
        const [[member = '', value]] = Object.entries(filter) as [[string, never]];
        const { matches } = readTransactionFilter(filter);
        const ledgersOwn = graphqlMembers[member]?.(value) ?? {};
        const { tests } = parseTransactionFilter(ledgersOwn, {}, noIds);
        for (const [index, transaction] of transactions.entries()) {
          expect([key, overRpc[index]?.has(key)]).toEqual([key, matches(transaction)]);
          const isOf = tests.every((test) => test(transaction));
          expect([key, overGraphql[index]?.has(key)]).toEqual([key, isOf]);
        }
      }
    }),
    { numRuns: runs(150) },
  );
});

it('a transaction of an unknown form has no keys', () => {
  const [sample] = fc.sample(record, { numRuns: 1, seed: 1 });
  const raw = { bcs: Buffer.from([1, 0]).toString('base64'), effects: { bcs: '' } };
  expect(() => keysOfLedger(profile)({ ...wire, digest: sample?.digest ?? '', raw })).toThrow('unknown version');
  expect(() => keysOfRpc({ ...wire, digest: '', raw: {} })).toThrow();
});
