import { bcs as iotaBcs } from '@iota/iota-sdk/bcs';
import { Transaction as IotaTransaction } from '@iota/iota-sdk/transactions';
import { bcs as suiBcs } from '@mysten/sui/bcs';
import { Transaction as SuiTransaction } from '@mysten/sui/transactions';
import { bcs as newestSuiBcs } from '@mysten/sui-v2/bcs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeTransactionData } from '../../../src/devnet/transactions/encode-transaction.ts';
import { outlineTransaction, type TransactionOutline } from '../../../src/transactions/outline-transaction.ts';
import { suiTransaction } from '../../support/arbitrary-sui-transaction.ts';
import { transactionData } from '../../support/arbitrary-transaction.ts';
import { runs } from '../../support/runs.ts';

const digest = '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi';
const full = (short: string) => `0x${short.padStart(64, '0')}`;
const ref = (short: string) => ({ objectId: full(short), version: 7, digest });

/** Every command there is, by the methods that either SDK offers for it. */
function fill<T extends IotaTransaction | SuiTransaction>(transaction: T): T {
  const tx = transaction as IotaTransaction;
  tx.setSender('0xa11ce');
  tx.setGasOwner('0x5b0');
  tx.setGasPrice(1000);
  tx.setGasBudget(5_000_000);
  tx.setGasPayment([ref('c1'), ref('c2')]);
  tx.setExpiration({ Epoch: 9 });
  const own = tx.objectRef(ref('b1'));
  const [part] = tx.splitCoins(own, [42n]);
  tx.mergeCoins(own, [part!]);
  tx.makeMoveVec({ type: '0x2::coin::Coin<0x2::iota::IOTA>', elements: [own] });
  const clock = tx.sharedObjectRef({ objectId: '0x6', initialSharedVersion: 1, mutable: false });
  tx.moveCall({ target: '0x2::clock::timestamp_ms', arguments: [clock], typeArguments: ['vector<vector<u8>>'] });
  tx.moveCall({ target: '0xd0e::greeter::say', arguments: [tx.pure.string('hi'), tx.receivingRef(ref('b2'))] });
  tx.moveCall({ target: '0x2::clock::timestamp_ms', arguments: [clock], typeArguments: ['u8'] });
  const [upgradeCap] = tx.publish({ modules: [[1, 2, 3]], dependencies: ['0x1', '0x2'] });
  tx.upgrade({ modules: [[4]], dependencies: ['0x1'], package: '0xd0e', ticket: upgradeCap! });
  tx.transferObjects([own], '0xb0b');
  return transaction;
}

function outlineOf(bytes: Uint8Array): TransactionOutline {
  const read = outlineTransaction(bytes, 'extended');
  if (read.kind !== 'known') throw new Error(read.reason);
  return read.outline;
}

const encodeSui = (data: unknown): Uint8Array => newestSuiBcs.TransactionData.serialize(data as never).toBytes();

describe('the outline of a transaction', () => {
  test.each([
    ['the IOTA SDK', () => fill(new IotaTransaction())],
    ['the Sui SDK', () => fill(new SuiTransaction())],
  ])('is what %s was told, with all commands that it has', async (_sdk, make) => {
    expect(outlineOf(await make().build())).toEqual({
      sender: full('a11ce'),
      gas: { payment: [ref('c1'), ref('c2')], owner: full('5b0'), price: 1000n, budget: 5_000_000n },
      commands: new Set([
        'splitCoins',
        'mergeCoins',
        'makeMoveVec',
        'moveCall',
        'publish',
        'upgrade',
        'transferObjects',
      ]),
      commandCount: 9,
      moveCalls: new Set([`${full('2')}::clock::timestamp_ms`, `${full('d0e')}::greeter::say`]),
      takesGasCoin: false,
      funders: new Set(),
    });
  });

  test('equals what both SDKs read, for every transaction', () => {
    fc.assert(
      fc.property(transactionData, (data) => {
        const bytes = encodeTransactionData(data);
        const { sender, gas, moveCalls } = outlineOf(bytes);
        expect(outlineTransaction(bytes, 'common')).toEqual(outlineTransaction(bytes, 'extended'));
        for (const bcs of [iotaBcs, suiBcs]) {
          const { V1 } = bcs.TransactionData.parse(bytes);
          expect(sender).toBe(V1.sender);
          expect({ ...gas, payment: gas.payment.map((coin) => ({ ...coin, version: String(coin.version) })) }).toEqual({
            ...V1.gasData,
            price: BigInt(V1.gasData.price),
            budget: BigInt(V1.gasData.budget),
          });
          const calls = V1.kind.ProgrammableTransaction!.commands.flatMap(({ MoveCall: call }) => (call ? [call] : []));
          expect([...moveCalls]).toEqual([
            ...new Set(calls.map((call) => `${call.package}::${call.module}::${call.function}`)),
          ]);
        }
      }),
      { numRuns: runs(100) },
    );
  });

  test('equals what today’s Sui SDK encodes: withdrawals of funds, and periods of validity', () => {
    fc.assert(
      fc.property(suiTransaction, (data) => {
        const { sender, gas, moveCalls, funders, takesGasCoin } = outlineOf(encodeSui(data));
        const { kind, gasData, ...V1 } = data.V1;
        const { inputs, commands } = kind.ProgrammableTransaction;
        expect(sender).toBe(V1.sender);
        expect({
          ...gas,
          payment: gas.payment.map((coin) => ({ ...coin, version: String(coin.version) })),
          price: String(gas.price),
          budget: String(gas.budget),
        }).toEqual(gasData);
        const calls = commands.flatMap((command) => ('MoveCall' in command ? [command.MoveCall] : []));
        expect(moveCalls).toEqual(new Set(calls.map((call) => `${call.package}::${call.module}::${call.function}`)));
        const sources = inputs.flatMap((input) => ('FundsWithdrawal' in input ? [input.FundsWithdrawal] : []));
        const owners = sources.map(({ withdrawFrom: from }) => {
          if ('SenderAllowance' in from) return from.SenderAllowance.funder;
          return 'Sponsor' in from ? gasData.owner : V1.sender;
        });
        expect(funders).toEqual(new Set(owners));
        expect(takesGasCoin).toBe(JSON.stringify(commands).includes('GasCoin'));
      }),
      { numRuns: runs(200) },
    );
  });

  test.each([
    ['as an argument', (tx: IotaTransaction) => tx.splitCoins(tx.gas, [1])],
    ['as what is given away', (tx: IotaTransaction) => tx.transferObjects([tx.gas], '0xb0b')],
    ['as what others are merged into', (tx: IotaTransaction) => tx.mergeCoins(tx.gas, [tx.objectRef(ref('b1'))])],
    ['as what is merged', (tx: IotaTransaction) => tx.mergeCoins(tx.objectRef(ref('b1')), [tx.gas])],
    ['in a list', (tx: IotaTransaction) => tx.makeMoveVec({ elements: [tx.gas] })],
    ['for a call', (tx: IotaTransaction) => tx.moveCall({ target: '0x2::coin::burn', arguments: [tx.gas] })],
    ['by its id', (tx: IotaTransaction) => tx.transferObjects([tx.objectRef(ref('c2'))], '0xb0b')],
    ['by its id, at another version', (tx: IotaTransaction) => tx.objectRef({ ...ref('c2'), version: 8 })],
    ['to be received', (tx: IotaTransaction) => tx.receivingRef(ref('c1'))],
  ])('tells a gas coin that is taken %s', async (_how, take) => {
    const tx = fill(new IotaTransaction());
    take(tx);
    expect(outlineOf(await tx.build()).takesGasCoin).toBe(true);
  });
});

describe('bytes that were altered', () => {
  /** One to four places of a transaction that are replaced, removed, or doubled. */
  const change = fc.record({
    at: fc.nat(),
    how: fc.constantFrom('replace', 'remove', 'insert', 'cut'),
    value: fc.integer({ min: 0, max: 255 }),
  });
  const original = fc.oneof(transactionData.map(encodeTransactionData), suiTransaction.map(encodeSui));
  const altered = fc.tuple(original, fc.array(change, { minLength: 1, maxLength: 4 })).map(([first, changes]) => {
    let bytes = [...first];
    for (const { at, how, value } of changes) {
      const place = at % bytes.length;
      if (how === 'replace') bytes[place] = value;
      if (how === 'remove') bytes.splice(place, 1);
      if (how === 'insert') bytes.splice(place, 0, value);
      if (how === 'cut') bytes = bytes.slice(0, place + 1);
    }
    return Uint8Array.from(bytes);
  });

  test('are parsed only if the newest SDK reads the same, and would encode them so', () => {
    fc.assert(
      fc.property(altered, (bytes) => {
        const read = outlineTransaction(bytes, 'extended');
        if (read.kind !== 'known') return;
        const parsed = newestSuiBcs.TransactionData.parse(bytes);
        expect(parsed.V1.sender).toBe(read.outline.sender);
        expect(parsed.V1.gasData.owner).toBe(read.outline.gas.owner);
        expect(BigInt(parsed.V1.gasData.budget)).toBe(read.outline.gas.budget);
        const encoded = newestSuiBcs.TransactionData.serialize(parsed as never).toBytes();
        // The SDK takes the third mutability of shared objects for the first.
        expect(encoded).toEqual(bytes.map((byte, at) => (byte === 2 && encoded[at] === 0 ? 0 : byte)));
      }),
      { numRuns: runs(400) },
    );
  });

  test('never make it throw; if they are not parsed, the reason is short', () => {
    fc.assert(
      fc.property(fc.oneof(altered, fc.uint8Array({ maxLength: 300 })), (bytes) => {
        const read = outlineTransaction(bytes, 'extended');
        expect(read.kind === 'known' || read.reason.length < 200).toBe(true);
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('a form that a network does not take', () => {
  const base = newestSuiBcs.TransactionData.serialize({
    V1: {
      kind: { ProgrammableTransaction: { inputs: [], commands: [] } },
      sender: full('a'),
      gasData: { payment: [], owner: full('b'), price: 1, budget: 1 },
      expiration: { None: true },
    },
  }).toBytes();
  const endingWith = (...expiration: number[]) => Uint8Array.from([...base.slice(0, -1), ...expiration]);
  const chain = [32, ...new Uint8Array(32)];
  const unbounded = [0, 0, 0, 0, ...chain, 1, 0, 0, 0];
  const epoch = [...new Uint8Array(8)];
  const withInputs = (...inputs: number[]) => Uint8Array.from([0, 0, ...inputs, ...base.slice(3)]);
  const suiType = [7, ...new Uint8Array(32), 1, 97, 1, 98, 0];
  const amount = [...new Uint8Array(8)];
  const shared = (mutability: number) => withInputs(1, 1, 1, ...new Uint8Array(40), mutability);

  test.each([
    ['a period', endingWith(2, ...unbounded), 'known'],
    ['a period with proposers', endingWith(3, ...unbounded, 1, ...epoch, 1, 5, 0, 0, 0), 'known'],
    ['a period without proposers', endingWith(3, ...unbounded, 0), 'known'],
    ['no proposer', endingWith(3, ...unbounded, 1, ...epoch, 0), 'malformed'],
    [
      'more proposers than any network has',
      endingWith(3, ...unbounded, 1, ...epoch, 0x81, 8, ...new Uint8Array(4100)),
      'unknown',
    ],
    ['an optional bound of another form', endingWith(2, 2, ...unbounded), 'unknown'],
    ['a chain of another length', endingWith(2, 0, 0, 0, 0, 31, ...new Uint8Array(35)), 'malformed'],
    ['a newer expiration', endingWith(4), 'unknown'],
    ['a withdrawal of the sender', withInputs(1, 2, 0, ...amount, 0, ...suiType, 0), 'known'],
    ['another reservation of funds', withInputs(1, 2, 1, 0, ...suiType, 0), 'unknown'],
    ['funds that are no balance', withInputs(1, 2, 0, ...amount, 1, ...suiType, 0), 'unknown'],
    ['funds of another source', withInputs(1, 2, 0, ...amount, 0, ...suiType, 3), 'unknown'],
    ['a newer input', withInputs(1, 3), 'unknown'],
    ['a shared object to write without exclusion', shared(2), 'known'],
    ['a shared object of a newer mutability', shared(3), 'unknown'],
  ])('is told from those that it takes: %s', (_what, bytes, kind) => {
    expect(outlineTransaction(bytes, 'extended').kind).toBe(kind);
    // A network that is not Sui may give these forms another meaning.
    expect(outlineTransaction(bytes, 'common').kind).toBe('unknown');
  });
});

describe('a transaction of the maximum size', () => {
  const size = 131_072;
  const tail = [...new Uint8Array(32), 0, ...new Uint8Array(49)];
  const uleb = (value: number): number[] => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...uleb(value >>> 7)]);
  const programmable = (inputs: readonly number[][], commands: readonly number[][]) =>
    Uint8Array.from([
      0,
      0,
      ...uleb(inputs.length),
      ...inputs.flat(),
      ...uleb(commands.length),
      ...commands.flat(),
      ...tail,
    ]);
  const split = (amounts: number) => [2, 0, ...uleb(amounts), ...new Uint8Array(amounts)];

  test('costs memory in proportion, whatever its contents', () => {
    const large = programmable(
      [],
      Array.from({ length: 128 }, () => split(1000)),
    );
    expect(outlineTransaction(large, 'extended').kind).toBe('known');
    const before = process.memoryUsage().heapUsed;
    const kept = Array.from({ length: 5 }, () => outlineTransaction(large, 'extended'));
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(kept.length * 80 * size);
  });

  test.each([
    [
      'commands',
      programmable(
        [],
        Array.from({ length: 2049 }, () => split(0)),
      ),
      'unknown',
    ],
    ['arguments', programmable([], [split(1025)]), 'unknown'],
    [
      'inputs',
      programmable(
        Array.from({ length: 8193 }, () => [0, 0]),
        [],
      ),
      'unknown',
    ],
    ['claimed elements', Uint8Array.from([0, 0, ...uleb(1_000_000), ...new Uint8Array(size)]), 'malformed'],
  ])('is not read if it has more %s than any network takes', (_what, bytes, kind) => {
    expect(outlineTransaction(bytes, 'extended').kind).toBe(kind);
  });
});
