import { Ed25519Keypair as IotaKeypair } from '@iota/iota-sdk/keypairs/ed25519';
import { Transaction as IotaTransaction } from '@iota/iota-sdk/transactions';
import { Ed25519Keypair as SuiKeypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction as SuiTransaction } from '@mysten/sui/transactions';
import { Ed25519Keypair as NewestKeypair } from '@mysten/sui-v2/keypairs/ed25519';
import { Transaction as NewestTransaction } from '@mysten/sui-v2/transactions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveObjects } from '../../../src/client/build.ts';
import { type Client, createClient, type GasReservation } from '../../../src/client/client.ts';
import { type NetworkProfileName, networkProfiles } from '../../../src/config/network-profile.ts';
import { type Devnet, startDevnet } from '../../../src/devnet/start-devnet.ts';
import { toDialect } from '../../../src/start/open-network.ts';
import { hash256 } from '../../../src/transactions/digest.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const seed = 5;
const secret = hash256(Buffer.from(`devnet key ${seed} amara`));

/** What the three SDKs have in common. */
interface Sdk {
  readonly Transaction: typeof NewestTransaction;
  readonly signer: NewestKeypair;
  readonly address: string;
}
const sdks: Readonly<Record<string, Sdk>> = {
  '@iota/iota-sdk': sdkOf(IotaTransaction, IotaKeypair.fromSecretKey(secret)),
  '@mysten/sui 1': sdkOf(SuiTransaction, SuiKeypair.fromSecretKey(secret)),
  '@mysten/sui 2': sdkOf(NewestTransaction, NewestKeypair.fromSecretKey(secret)),
};

function sdkOf(Transaction: unknown, signer: { getPublicKey(): object }): Sdk {
  const key = signer.getPublicKey() as { toIotaAddress?(): string; toSuiAddress?(): string };
  const address = key.toIotaAddress?.() ?? key.toSuiAddress?.() ?? '';
  return { Transaction, signer, address } as Sdk;
}

let devnet: Devnet;
let gateway: TestGateway;
let client: Client;
const open = async (profile: NetworkProfileName) => {
  devnet = await startDevnet({
    seed,
    sponsorToken: 'token',
    checkpointPerTransaction: true,
    dialect: toDialect(networkProfiles[profile]),
  });
  gateway = await createTestGateway({
    NETWORK_PROFILE: profile,
    LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
    SPONSOR_URL: devnet.sponsorUrl,
    SPONSOR_TOKEN: 'token',
    SPONSOR_ALLOW_ANONYMOUS: 'true',
    CORS_ORIGINS: 'https://app.example',
  });
  client = createClient({ url: `${gateway.url}/graphql` });
};

async function coinsOf(address: string): Promise<string[]> {
  const { address: owner } = await client.request<{ address: { objects: { nodes: { address: string }[] } } }>(
    `{ address(address: "${address}") { objects(first: 3, filter: { type: "0x2::coin::Coin" }) { nodes { address } } } }`,
  );
  return owner.objects.nodes.map((coin) => coin.address);
}

const profiles: readonly NetworkProfileName[] = ['ledger', 'iota', 'sui'];
const cases = profiles.flatMap((profile) => Object.entries(sdks).map(([name, sdk]) => ({ profile, name, ...sdk })));

describe.each(cases)('$name on the simulated network as $profile', ({ profile, Transaction, signer, address }) => {
  afterAll(async () => {
    await gateway?.close();
    await devnet?.close();
  });

  const kept = new Map<string, string>();
  const store = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  };
  /** Signs with no client of the SDK. */
  const sign = async (tx: NewestTransaction, { sponsorAddress, gasCoins, gasBudget }: GasReservation) => {
    tx.addBuildPlugin(resolveObjects(client));
    tx.setSender(address);
    tx.setGasOwner(sponsorAddress);
    tx.setGasPayment([...gasCoins]);
    tx.setGasBudget(gasBudget);
    const { bytes, signature } = await tx.sign({ signer });
    return { bytes, signature, digest: await tx.getDigest() };
  };
  beforeAll(async () => {
    await open(profile);
    if ((await coinsOf(address)).length > 1) return;
    // The coins belong to the address that Sui derives from the key.
    const { Transaction: Giving, signer: giver, address: rich } = sdks['@mysten/sui 2'] as Sdk;
    const tx = new Giving();
    tx.addBuildPlugin(resolveObjects(client));
    const [coin = ''] = await coinsOf(rich);
    const [one, other] = tx.splitCoins(tx.object(coin), [5_000_000, 5_000_000]);
    if (one && other) tx.transferObjects([one, other], address);
    const { reserveGas: reservation } = await client.request<{ reserveGas: GasReservation }>(
      'mutation { reserveGas(gasBudget: 50000000, reserveDurationSecs: 60) { reservationId sponsorAddress gasBudget gasCoins { objectId version digest } } }',
    );
    tx.setSender(rich);
    tx.setGasOwner(reservation.sponsorAddress);
    tx.setGasPayment([...reservation.gasCoins]);
    tx.setGasBudget(reservation.gasBudget);
    const { bytes, signature } = await tx.sign({ signer: giver });
    await client.request(
      'mutation ($id: ID!, $tx: Base64!, $sig: Base64!) { executeTx(reservationId: $id, txBytes: $tx, userSig: $sig) { digest } }',
      { id: reservation.reservationId, tx: bytes, sig: signature },
    );
  });
  const sponsor = (storeKey: string, build: (tx: NewestTransaction) => void) =>
    client.sponsor({
      gasBudget: 50_000_000,
      store,
      storeKey,
      sign(reservation) {
        const tx = new Transaction();
        build(tx);
        return sign(tx, reservation);
      },
    });

  it('executes a sponsored transaction with objects of the user, built with the gateway alone', async () => {
    const [one = '', other = ''] = await coinsOf(address);
    const moved = await sponsor('move', (tx) => {
      const [part] = tx.splitCoins(tx.object(one), [1_000]);
      if (part) tx.transferObjects([part, tx.object(other)], address);
    });
    expect(moved).toMatchObject({ outcome: 'EXECUTED', effects: { status: { status: 'success' } } });
  });

  it('passes shared objects to functions', async () => {
    const called = await sponsor('call', (tx) => {
      tx.moveCall({ target: '0xd0e::greeter::greet_at', arguments: [tx.object('0x6'), tx.pure.string('hello')] });
    });
    expect(called).toMatchObject({ outcome: 'EXECUTED', effects: { status: { status: 'success' } } });
  });

  it('builds the kind of a transaction, which the gateway completes', async () => {
    const [coin = ''] = await coinsOf(address);
    const tx = new Transaction();
    tx.addBuildPlugin(resolveObjects(client));
    tx.moveCall({ target: '0xd0e::greeter::greet_at', arguments: [tx.object('0x6'), tx.pure.string('hello')] });
    const [part] = tx.splitCoins(tx.object(coin), [1_000]);
    if (part) tx.transferObjects([part], address);
    const kind = Buffer.from(await tx.build({ onlyTransactionKind: true })).toString('base64');
    const sponsored = await client.sponsor({
      kind,
      sender: address,
      sign: ({ bytes }) => signer.signTransaction(Buffer.from(bytes, 'base64')),
    });
    expect(sponsored).toMatchObject({ outcome: 'EXECUTED', effects: { status: { status: 'success' } } });
  });

  it('builds the kind of a transaction without gas', async () => {
    const tx = new Transaction();
    tx.addBuildPlugin(resolveObjects(client));
    tx.transferObjects([tx.object((await coinsOf(address))[0] ?? '')], address);
    expect((await tx.build({ onlyTransactionKind: true })).length).toBeGreaterThan(50);
  });

  it('names an object that the ledger does not have', async () => {
    const tx = new Transaction();
    tx.addBuildPlugin(resolveObjects(client));
    tx.setSender(address);
    tx.transferObjects([tx.object(`0x${'7'.repeat(64)}`)], address);
    await expect(tx.build()).rejects.toThrow(`The ledger does not have 0x${'7'.repeat(64)}.`);
  });
});
