import { Ed25519Keypair } from '@iota/iota-sdk/keypairs/ed25519';
import { Transaction } from '@iota/iota-sdk/transactions';
import { fromBase64, toBase64 } from '@iota/iota-sdk/utils';
import type { Client, KeyStore } from 'ledger-gateway/client';
import { Execute } from './texts.ts';

/** Runs a transaction of an address without coins; the sponsor pays the gas. */
export async function sayHello(client: Client, store: KeyStore, signer = Ed25519Keypair.generate()) {
  const tx = new Transaction();
  tx.moveCall({ target: '0xd0e::greeter::say_hello', arguments: [tx.pure.string('hello')] });
  return client.sponsor({
    kind: toBase64(await tx.build({ onlyTransactionKind: true })),
    sender: signer.toIotaAddress(),
    sign: ({ bytes }) => signer.signTransaction(fromBase64(bytes)),
    store,
    storeKey: 'hello',
    execute: Execute,
  });
}
