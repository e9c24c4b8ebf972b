import { Ed25519Keypair } from '@iota/iota-sdk/keypairs/ed25519';
import { Transaction } from '@iota/iota-sdk/transactions';
import type { Client, KeyStore } from 'ledger-gateway/client';
import { Execute, GasPrice } from './texts.ts';

/** Runs a transaction of an address without coins; the sponsor pays the gas. */
export function sayHello(client: Client, store: KeyStore, signer = Ed25519Keypair.generate()) {
  return client.sponsor({
    gasBudget: 10_000_000,
    store,
    storeKey: 'hello',
    execute: Execute,
    async sign({ sponsorAddress, gasCoins, gasBudget }) {
      const { epoch } = await client.request(GasPrice);
      const tx = new Transaction();
      tx.moveCall({ target: '0xd0e::greeter::say_hello', arguments: [tx.pure.string('hello')] });
      tx.setSender(signer.toIotaAddress());
      tx.setGasOwner(sponsorAddress);
      tx.setGasPayment([...gasCoins]);
      tx.setGasBudget(gasBudget);
      tx.setGasPrice(BigInt(epoch?.referenceGasPrice ?? 0));
      return { ...(await tx.sign({ signer })), digest: await tx.getDigest() };
    },
  });
}
