import { describe, expect, test } from 'vitest';
import { createQueries } from '../../../../src/devnet/rpc/queries.ts';
import { address, digestOf, literalLedger, ownedObject } from './literal-ledger.ts';

interface TransactionPage {
  readonly data: readonly { readonly digest: string }[];
  readonly nextCursor: string | null;
  readonly hasNextPage: boolean;
}

const call = { package: address(2), module: 'coin', function: 'mint', typeArguments: [] };
const ref = { objectId: address(0x55), version: 1, digest: digestOf(0) };
const ledger = literalLedger([
  { kind: 'GENESIS', sender: address(0), checkpoint: 0 },
  { sender: address(1), checkpoint: 1, moveCalls: [call] },
  {
    sender: address(1),
    checkpoint: 1,
    inputObjects: [ref],
    changes: [
      { objectId: address(0x66), kind: 'created', input: null, output: ownedObject(address(0x66), address(9)) },
    ],
  },
  {
    sender: address(9),
    checkpoint: 2,
    moveCalls: [{ ...call, function: 'burn' }],
    changes: [
      { objectId: address(0x66), kind: 'deleted', input: ownedObject(address(0x66), address(9)), output: null },
    ],
    status: { ok: false, error: 'MoveAbort' },
  },
  { kind: 'END_OF_EPOCH_TX', sender: address(0), checkpoint: 3 },
  { sender: address(1), pending: true },
]);
const { queryTransactionBlocks } = createQueries(ledger);
const query = (...params: unknown[]) => queryTransactionBlocks(params) as TransactionPage;
const numbers = (page: TransactionPage) =>
  page.data.map(({ digest }) => ledger.transactions.findIndex((known) => known.digest === digest));

describe('each filter matches what it names and nothing else:', () => {
  test.each<[unknown, number[]]>([
    [null, [0, 1, 2, 3, 4]],
    [{ Checkpoint: '1' }, [1, 2]],
    [{ Checkpoint: '9' }, []],
    [{ MoveFunction: { package: '0x2' } }, [1, 3]],
    [{ MoveFunction: { package: '0x2', module: 'coin', function: null } }, [1, 3]],
    [{ MoveFunction: { package: '0x2', module: 'coin', function: 'mint' } }, [1]],
    [{ MoveFunction: { package: '0x3' } }, []],
    [{ InputObject: '0x55' }, [2]],
    [{ ChangedObject: '0x66' }, [2]],
    [{ WrappedOrDeletedObject: '0x66' }, [3]],
    [{ FromAddress: '0x1' }, [1, 2]],
    [{ ToAddress: '0x9' }, [2]],
    [{ FromAndToAddress: { from: '0x1', to: '0x9' } }, [2]],
    [{ FromAndToAddress: { from: '0x9', to: '0x1' } }, []],
    [{ FromOrToAddress: { addr: '0x9' } }, [2, 3]],
    [{ TransactionKind: 'ProgrammableTransaction' }, [1, 2, 3]],
    [{ TransactionKind: 'SystemTransaction' }, [0, 4]],
    [{ TransactionKindIn: ['Genesis', 'EndOfEpochTransaction'] }, [0, 4]],
    [{ TransactionKindIn: [] }, []],
  ])('%j', (filter, expected) => {
    expect(numbers(query({ filter }))).toEqual(expected);
    expect(numbers(query({ filter }, null, null, true))).toEqual(expected.toReversed());
  });
});

test('a page has a digest as cursor, echoed at the end', () => {
  expect(query({}, digestOf(1), 2)).toMatchObject({ nextCursor: digestOf(3), hasNextPage: true });
  expect(query({}, digestOf(4), 2)).toEqual({ data: [], nextCursor: digestOf(4), hasNextPage: false });
  expect(numbers(query({}, digestOf(2), 1, true))).toEqual([1]);
});

test('an item holds digest, time and checkpoint, and an error if there was one', () => {
  expect(query({}, digestOf(0), 1).data).toEqual([{ digest: digestOf(1), timestampMs: '1', checkpoint: '1' }]);
  expect(query({}, digestOf(2), 1).data).toEqual([
    { digest: digestOf(3), timestampMs: '3', checkpoint: '2', errors: ['MoveAbort'] },
  ]);
});

test('options add parts', () => {
  const options = { showEffects: true, showEvents: true, showObjectChanges: true, showBalanceChanges: true };
  expect(query({ filter: { InputObject: '0x55' }, options }).data[0]).toEqual({
    digest: digestOf(2),
    timestampMs: '2',
    checkpoint: '1',
    effects: {
      messageVersion: 'v1',
      status: { status: 'success' },
      executedEpoch: '0',
      gasUsed: {
        computationCost: '1',
        computationCostBurned: '1',
        storageCost: '2',
        storageRebate: '0',
        nonRefundableStorageFee: '0',
      },
      transactionDigest: digestOf(2),
      created: [
        {
          owner: { AddressOwner: address(9) },
          reference: { objectId: address(0x66), version: 1, digest: digestOf(0) },
        },
      ],
      gasObject: {
        owner: { AddressOwner: address(0) },
        reference: { objectId: address(0), version: 0, digest: '1'.repeat(32) },
      },
    },
    events: [],
    objectChanges: [
      {
        type: 'created',
        sender: address(1),
        owner: { AddressOwner: address(9) },
        objectType: `${address(2)}::coin::Coin`,
        objectId: address(0x66),
        version: '1',
        digest: digestOf(0),
      },
    ],
    balanceChanges: [],
  });
});

test.each<[unknown[], string]>([
  [[{ filter: { Nonsense: 1 } }], 'unknown variant `Nonsense`'],
  [[{ filter: { FromAddress: 'me' } }], 'filter.FromAddress'],
  [[{ filter: { MoveFunction: { package: '0x2', function: 'f' } } }], 'module is needed'],
  [[{ filter: { TransactionKind: 'Nonsense' } }], 'unknown variant `Nonsense`'],
  [[{ filter: { TransactionKindIn: 'Genesis' } }], 'must be a list'],
  [[{ filter: { Checkpoint: 'x' } }], 'filter.Checkpoint'],
  [[{ options: { showInput: 1 } }], 'options.showInput'],
  [['all'], 'query must be an object'],
  [[{}, digestOf(99)], 'Could not find the referenced transaction'],
  [[{}, digestOf(5)], 'Could not find the referenced transaction'],
])('%j is refused', (params, text) => {
  expect(() => query(...params)).toThrow(
    expect.objectContaining({ code: -32602, message: expect.stringContaining(text) }),
  );
});
