import { bcs as iotaBcs } from '@iota/iota-sdk/bcs';
import { Transaction as IotaTransaction } from '@iota/iota-sdk/transactions';
import { bcs as suiBcs } from '@mysten/sui/bcs';
import { Transaction as SuiTransaction } from '@mysten/sui/transactions';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeTransactionData } from '../../../../src/devnet/transactions/encode-transaction.ts';
import { parseTransactionData, parseTransactionKind } from '../../../../src/devnet/transactions/parse-transaction.ts';
import { transactionDigest } from '../../../../src/transactions/digest.ts';
import { transactionData } from '../../../support/arbitrary-transaction.ts';
import { runs } from '../../../support/runs.ts';
import { createSmallDevnet } from '../../../support/small-devnet.ts';

const digest = '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi';
const ref = { objectId: `0x${'ab'.repeat(32)}`, version: 7, digest };

/** The same transaction, built by either SDK. */
function buildWith(transaction: IotaTransaction | SuiTransaction) {
  const tx = transaction as IotaTransaction;
  tx.setSender('0xa11ce');
  tx.setGasOwner('0x5b0');
  tx.setGasPrice(1000);
  tx.setGasBudget(5_000_000);
  tx.setGasPayment([ref]);
  tx.setExpiration({ Epoch: 9 });
  const [coin] = tx.splitCoins(
    tx.object({ $kind: 'Object', Object: { $kind: 'ImmOrOwnedObject', ImmOrOwnedObject: ref } }),
    [42n],
  );
  tx.transferObjects([coin!], '0xb0b');
  tx.moveCall({
    target: '0x2::battle::greet',
    arguments: [
      tx.pure.string('hello'),
      tx.sharedObjectRef({ objectId: '0x6', initialSharedVersion: 1, mutable: false }),
    ],
    typeArguments: ['0x2::coin::Coin<vector<u8>>'],
  });
  return tx.build();
}

describe('the transaction codec', () => {
  test('parses what the SDKs build, with the same digest', async () => {
    const iota = await buildWith(new IotaTransaction());
    const sui = await buildWith(new SuiTransaction());
    expect(Buffer.from(iota)).toEqual(Buffer.from(sui));

    const data = parseTransactionData(iota);
    expect(data).toMatchObject({
      sender: `0x${'a11ce'.padStart(64, '0')}`,
      gas: { payment: [ref], owner: `0x${'5b0'.padStart(64, '0')}`, price: 1000n, budget: 5_000_000n },
      expirationEpoch: 9,
    });
    expect(data.kind.kind === 'PROGRAMMABLE_TX' && data.kind.commands.map(({ kind }) => kind)).toEqual([
      'splitCoins',
      'transferObjects',
      'moveCall',
    ]);
    expect(transactionDigest(iota)).toBe(await IotaTransaction.from(iota).getDigest());
    expect(transactionDigest(iota)).toBe(await SuiTransaction.from(sui).getDigest());
  });

  test('writes the bytes that both SDKs write for the same content', () => {
    fc.assert(
      fc.property(transactionData, (data) => {
        const bytes = encodeTransactionData(data);
        for (const bcs of [iotaBcs, suiBcs]) {
          expect(
            Buffer.from(bcs.TransactionData.serialize(bcs.TransactionData.parse(bytes) as never).toBytes()),
          ).toEqual(Buffer.from(bytes));
        }
      }),
      { numRuns: runs(50) },
    );
  });

  test('parses what it writes', () => {
    fc.assert(
      fc.property(transactionData, (data) => {
        expect(parseTransactionData(encodeTransactionData(data))).toEqual(data);
      }),
    );
  });

  test('rejects trailing bytes', () => {
    fc.assert(
      fc.property(transactionData, fc.uint8Array({ minLength: 1, maxLength: 5 }), (data, tail) => {
        const bytes = Buffer.concat([encodeTransactionData(data), tail]);
        expect(() => parseTransactionData(bytes)).toThrow(/trailing byte/);
      }),
    );
  });

  test('rejects every proper prefix', () => {
    fc.assert(
      fc.property(transactionData, fc.nat(), (data, at) => {
        const bytes = encodeTransactionData(data);
        expect(() => parseTransactionData(bytes.subarray(0, at % bytes.length))).toThrow(RangeError);
      }),
    );
  });

  test('accepts altered bytes only if they have no other encoding', () => {
    fc.assert(
      fc.property(transactionData, fc.nat(), fc.integer({ min: 0, max: 255 }), (data, at, value) => {
        const bytes = encodeTransactionData(data);
        bytes[at % bytes.length] = value;
        let read: ReturnType<typeof parseTransactionData>;
        try {
          read = parseTransactionData(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          return;
        }
        expect(Buffer.from(encodeTransactionData(read))).toEqual(Buffer.from(bytes));
        expect(() => iotaBcs.TransactionData.parse(bytes)).not.toThrow();
      }),
      { numRuns: runs(150) },
    );
  });

  test('throws nothing but a RangeError for arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        try {
          parseTransactionData(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });

  test('rejects a length that is not in its shortest form', () => {
    // V1, programmable, no inputs written as 80 00 instead of 00.
    expect(() => parseTransactionData(Uint8Array.of(0, 0, 0x80, 0x00))).toThrow('length is not in its shortest form');
  });

  test('does not allocate for a forged list length', () => {
    expect(() => parseTransactionData(Uint8Array.of(0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f))).toThrow(
      'a list of 4294967295',
    );
  });

  test('rejects versions above 2^53-1, which a JSON number cannot hold', () => {
    const data = { ...parseTransactionData(minimal()), expirationEpoch: Number.MAX_SAFE_INTEGER };
    const bytes = encodeTransactionData(data);
    bytes.set([0xff, 0xff], bytes.length - 2);
    expect(() => parseTransactionData(bytes)).toThrow('above 2^53-1');
  });

  test('names position and cause for bytes of a newer version', () => {
    expect(() => parseTransactionData(Uint8Array.of(1))).toThrow('unknown TransactionData version 2 (at byte 1 of 1)');
  });

  test('parses the transactions that validators send', () => {
    const { ledger } = createSmallDevnet();
    ledger.advanceEpoch();
    for (const { bytes, kind } of ledger.transactions) {
      expect(parseTransactionData(bytes).kind.kind).toBe(kind);
      expect(Buffer.from(encodeTransactionData(parseTransactionData(bytes)))).toEqual(Buffer.from(bytes));
    }
    expect(ledger.transactions.map(({ kind }) => kind)).toEqual([
      'GENESIS',
      'CONSENSUS_COMMIT_PROLOGUE_V1',
      'END_OF_EPOCH_TX',
    ]);
  });

  test('parses a bare kind, as sent to a dry run', () => {
    const bytes = minimal();
    // Behind the version byte the kind comes first: no inputs, no commands.
    expect(parseTransactionKind(bytes.subarray(1, 4))).toEqual({ kind: 'PROGRAMMABLE_TX', inputs: [], commands: [] });
    expect(() => parseTransactionKind(bytes.subarray(1, 5))).toThrow('trailing byte');
  });
});

function minimal(): Uint8Array {
  const zero = `0x${'0'.repeat(64)}`;
  return encodeTransactionData({
    kind: { kind: 'PROGRAMMABLE_TX', inputs: [], commands: [] },
    sender: zero,
    gas: { payment: [], owner: zero, price: 1n, budget: 1n },
    expirationEpoch: null,
  });
}
