import { Ed25519Keypair } from '@iota/iota-sdk/keypairs/ed25519';
import { Transaction } from '@iota/iota-sdk/transactions';
import { request } from 'graphql-request';
import { Execute, GasPrice, Reserve } from './operations.ts';

/** Runs a transaction of an address without coins; the sponsor pays the gas. */
export async function sayHello(gateway: string, signer = Ed25519Keypair.generate()) {
  const { epoch } = await request(gateway, GasPrice);
  const { reserveGas } = await request(gateway, Reserve, { gasBudget: 10_000_000 });
  if (!reserveGas || !epoch?.referenceGasPrice) throw new Error('no gas');

  const tx = new Transaction();
  tx.moveCall({ target: '0xd0e::greeter::say_hello', arguments: [tx.pure.string('hello')] });
  tx.setSender(signer.toIotaAddress());
  tx.setGasOwner(reserveGas.sponsorAddress);
  tx.setGasPayment(reserveGas.gasCoins);
  tx.setGasBudget(10_000_000);
  tx.setGasPrice(BigInt(epoch.referenceGasPrice));
  const { bytes, signature } = await tx.sign({ signer });

  const { reservationId } = reserveGas;
  const { executeTx } = await request(gateway, Execute, { reservationId, txBytes: bytes, userSig: signature });
  return executeTx;
}
