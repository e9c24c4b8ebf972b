import { Buffer } from 'node:buffer';
import { Transaction as IotaTransaction } from '@iota/iota-sdk/transactions';
import { Transaction as SuiTransaction } from '@mysten/sui/transactions';
import { describe, expect, it } from 'vitest';
import { transactionDigest } from '../../../src/transactions/digest.ts';

const address = `0x${'5'.padStart(64, '0')}`;
const coin = { objectId: `0x${'c'.padStart(64, '0')}`, version: '7', digest: '11111111111111111111111111111111' };

function fill<T extends IotaTransaction | SuiTransaction>(empty: T): T {
  // Both SDKs have these methods, with types that do not fit each other.
  const transaction = empty as IotaTransaction;
  transaction.setSender(address);
  transaction.setGasOwner(address);
  transaction.setGasPayment([coin]);
  transaction.setGasPrice(1000);
  transaction.setGasBudget(5_000_000);
  const [part] = transaction.splitCoins(transaction.gas, [1]);
  transaction.transferObjects([part!], address);
  return empty;
}

describe('transactionDigest', () => {
  it.each([
    ['@iota/iota-sdk', () => fill(new IotaTransaction())],
    ['@mysten/sui', () => fill(new SuiTransaction())],
  ])('is the digest %s computes', async (_, build) => {
    const transaction = build();
    expect(transactionDigest(Buffer.from(await transaction.build()))).toBe(await transaction.getDigest());
  });

  it('differs when one bit differs', () => {
    expect(transactionDigest(Buffer.from([0]))).not.toBe(transactionDigest(Buffer.from([1])));
  });
});
