import { Ed25519Keypair as IotaKeypair } from '@iota/iota-sdk/keypairs/ed25519';
import { Transaction as IotaTransaction } from '@iota/iota-sdk/transactions';
import { Ed25519Keypair as SuiKeypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction as SuiTransaction } from '@mysten/sui/transactions';
import { describe, expect, test } from 'vitest';
import type { ObjectRef } from '../../../src/transactions/transaction-bcs.ts';
import { startSponsorDevnet } from '../../support/start-sponsor-devnet.ts';

const secret = new Uint8Array(32).fill(5);

/** What both SDKs have in common, so that one scenario runs with either. */
interface Wallet {
  readonly address: string;
  build(gas: { owner: string; payment: readonly ObjectRef[] }, coin: ObjectRef, friend: string): Promise<Built>;
}
interface Built {
  readonly bytes: string;
  readonly signature: string;
  readonly digest: string;
}

function fill(
  transaction: IotaTransaction | SuiTransaction,
  sender: string,
  gas: { owner: string; payment: readonly ObjectRef[] },
  coin: ObjectRef,
  friend: string,
): void {
  const tx = transaction as IotaTransaction;
  tx.setSender(sender);
  tx.setGasOwner(gas.owner);
  tx.setGasPayment([...gas.payment]);
  tx.setGasPrice(1000);
  tx.setGasBudget(20_000_000);
  const own = tx.objectRef(coin);
  const [part] = tx.splitCoins(own, [tx.pure.u64(123)]);
  tx.transferObjects([part!], tx.pure.address(friend));
  tx.moveCall({ target: '0xd0e::greeter::say_hello', arguments: [tx.pure.string('hi'), own] });
}

const iotaKey = IotaKeypair.fromSecretKey(secret);
const suiKey = SuiKeypair.fromSecretKey(secret);

const wallets: [string, Wallet][] = [
  [
    'the IOTA SDK',
    {
      address: iotaKey.toIotaAddress(),
      async build(gas, coin, friend) {
        const tx = new IotaTransaction();
        fill(tx, iotaKey.toIotaAddress(), gas, coin, friend);
        return { ...(await tx.sign({ signer: iotaKey })), digest: await tx.getDigest() };
      },
    },
  ],
  [
    'the Sui SDK',
    {
      address: suiKey.toSuiAddress(),
      async build(gas, coin, friend) {
        const tx = new SuiTransaction();
        fill(tx, suiKey.toSuiAddress(), gas, coin, friend);
        return { ...(await tx.sign({ signer: suiKey })), digest: await tx.getDigest() };
      },
    },
  ],
];

describe.each(wallets)('a transaction built and signed by %s', (_name, wallet) => {
  test('executes through the sponsor under the SDK’s digest', async () => {
    await using sponsor = await startSponsorDevnet({ genesis: { fundedAddresses: [wallet.address] } });
    const { ledger, bob, coins } = sponsor.devnet;
    const [coin] = coins(wallet.address);
    const reserved = await sponsor.reserve();
    const { objectId, version, digest: coinDigest } = coin!;
    const { bytes, signature, digest } = await wallet.build(
      { owner: reserved.sponsor_address, payment: reserved.gas_coins },
      { objectId, version, digest: coinDigest },
      bob.address,
    );

    const response = await sponsor.post('/v1/execute_tx', {
      reservation_id: reserved.reservation_id,
      tx_bytes: bytes,
      user_sig: signature,
    });
    const answer = (await response.json()) as {
      effects: { transactionDigest: string; status: unknown };
      error: unknown;
    };
    expect(answer).toMatchObject({
      effects: { transactionDigest: digest, status: { status: 'success' } },
      error: null,
    });

    ledger.closeCheckpoint();
    const transaction = ledger.transaction(digest)!;
    expect(transaction.sender).toBe(wallet.address);
    expect(transaction.balanceChanges).toContainEqual({
      owner: bob.address,
      coinType: ledger.nativeCoinType,
      amount: 123n,
    });
    expect(ledger.events.at(-1)).toMatchObject({
      type: `0x${'d0e'.padStart(64, '0')}::greeter::SayHelloEvent`,
      json: { arg0: 'hi', arg1: objectId },
    });
  });
});
