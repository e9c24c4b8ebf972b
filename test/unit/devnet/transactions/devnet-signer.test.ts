import { expect, test } from 'vitest';
import { createDevnetSigner } from '../../../../src/devnet/transactions/devnet-signer.ts';
import { parseTransactionData } from '../../../../src/devnet/transactions/parse-transaction.ts';
import { signTransaction } from '../../../../src/devnet/transactions/signature.ts';
import { transactionDigest } from '../../../../src/transactions/digest.ts';
import { createSmallDevnet, toRef } from '../../../support/small-devnet.ts';

test('the devnet signs a transaction that lacks only the gas owner', () => {
  const { ledger, accounts, contracts, coins } = createSmallDevnet();
  const sign = createDevnetSigner({ accounts, contracts, gasPrice: ledger.referenceGasPrice });
  const [first, second] = coins(accounts.sponsor.address);
  const request = { sponsorAddress: accounts.sponsor.address, gasBudget: 30_000_000n };

  const signed = sign({ ...request, gasCoins: [toRef(first!)] });
  expect(signed.digest).toBe(transactionDigest(signed.bytes));
  expect(parseTransactionData(signed.bytes)).toMatchObject({
    sender: accounts.visitor.address,
    gas: { owner: accounts.sponsor.address, budget: 30_000_000n, payment: [toRef(first!)] },
  });
  expect(ledger.execute(signed.bytes, [signed.signature])).toMatchObject({ kind: 'refused' });
  const signatures = [signed.signature, signTransaction(accounts.sponsor, signed.bytes)];
  expect(ledger.execute(signed.bytes, signatures)).toMatchObject({
    transaction: { status: { ok: true }, events: [{ json: { name: 'Hero 1' } }] },
  });

  expect(sign({ ...request, gasCoins: [toRef(second!)] }).digest).not.toBe(
    sign({ ...request, gasCoins: [toRef(second!)] }).digest,
  );
});
