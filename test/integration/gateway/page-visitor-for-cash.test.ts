import { Ed25519Keypair } from '@mysten/sui-v2/keypairs/ed25519';
import { Transaction } from '@mysten/sui-v2/transactions';
import { expect, test } from 'vitest';
import { hashApiKey, toApiKey } from '../../../src/config/client.ts';
import { startDevnet } from '../../../src/devnet/start-devnet.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

// A visitor splits a coin at the sponsor's expense, and merges the parts at its own: their owner gets the rebate of the storage that
// the sponsor paid for.

const keys = {
  page: toApiKey('page', new Uint8Array(32).fill(1)).reveal(),
  shop: toApiKey('shop', new Uint8Array(32).fill(2)).reveal(),
};
const perDay = 5_000_000_000;
const token = 'token-of-the-sponsor';
const thief = Ed25519Keypair.fromSecretKey(new Uint8Array(32).fill(66));
const address = thief.toSuiAddress();
const [attacker, visitor] = ['203.0.113.66', '203.0.113.7'];
const by = (from: string, key = keys.page) => ({ 'x-api-key': key, 'x-forwarded-for': from });

interface Reference {
  readonly objectId: string;
  readonly version: number;
  readonly digest: string;
}

async function openWith(policy: string) {
  const devnet = await startDevnet({ sponsorToken: token, genesis: { checkpoints: 1, fundedAddresses: [address] } });
  const clients = Object.entries(keys)
    .map(([id, key]) => `- { id: ${id}, hash: ${hashApiKey(key)}, scopes: [read, sponsor], ${policy} }`)
    .join('\n');
  const env = {
    ...{ LEDGER_GRAPHQL_URL: devnet.graphqlUrl, SPONSOR_URL: devnet.sponsorUrl, SPONSOR_TOKEN: token },
    ...{ CLIENTS_FILE: '/clients', TRUSTED_PROXIES: '127.0.0.1' },
  };
  const gateway = await createTestGateway(env, { '/clients': clients });
  return { gateway, close: () => gateway.close().then(() => devnet.close()) };
}

const balanceOf = async (gateway: TestGateway) =>
  Number(
    (await gateway.query(`{ address(address: "${address}") { balance { totalBalance } } }`)).data.address.balance
      .totalBalance,
  );

async function coinsOf(gateway: TestGateway): Promise<Reference[]> {
  const { data } = await gateway.query(
    `{ address(address: "${address}") { coins(first: 50) { nodes { address version digest } } } }`,
  );
  return data.address.coins.nodes.map((coin: Reference & { address: string }) => ({ ...coin, objectId: coin.address }));
}

/** Has a split into so many parts sponsored. @returns the parts, or the code and rule of the refusal */
async function split(gateway: TestGateway, coin: Reference, parts: number) {
  const tx = new Transaction();
  const made = tx.splitCoins(tx.objectRef(coin), Array<number>(parts).fill(1));
  tx.transferObjects(
    Array.from({ length: parts }, (_, index) => made[index] as (typeof made)[number]),
    address,
  );
  const kind = Buffer.from(await tx.build({ onlyTransactionKind: true })).toString('base64');
  const sponsored = await gateway.query(
    'mutation ($kind: Base64!, $sender: String!) { sponsorTransaction(transactionKind: $kind, sender: $sender) { txBytes reservation { reservationId } } }',
    { kind, sender: address },
    by(attacker),
  );
  if (sponsored.errors) return sponsored.errors[0]?.extensions as { code: string; policy?: { rule: string } };
  const { txBytes, reservation } = sponsored.data.sponsorTransaction;
  const { signature } = await thief.signTransaction(Buffer.from(txBytes, 'base64'));
  const executed = await gateway.query(
    'mutation ($id: ID!, $tx: Base64!, $sig: Base64!) { executeTx(reservationId: $id, txBytes: $tx, userSig: $sig, requestType: WAIT_FOR_LOCAL_EXECUTION) { effects { created { reference { objectId version digest } } mutated { reference { objectId version digest } } } } }',
    { id: reservation.reservationId, tx: txBytes, sig: signature },
    by(attacker),
  );
  const { created, mutated } = executed.data.executeTx.effects;
  const refsOf = (changes: readonly { reference: Reference }[]) => changes.map(({ reference }) => reference);
  return { created: refsOf(created), coin: refsOf(mutated).find(({ objectId }) => objectId === coin.objectId) ?? coin };
}

/** Merges coins into the coin that pays for it. */
async function merge(gateway: TestGateway, into: Reference, parts: readonly Reference[]): Promise<void> {
  const tx = new Transaction();
  tx.mergeCoins(
    tx.gas,
    parts.map((part) => tx.objectRef(part)),
  );
  tx.setSender(address);
  tx.setGasPayment([into]);
  tx.setGasPrice(1_000);
  tx.setGasBudget(50_000_000);
  const { bytes, signature } = await tx.sign({ signer: thief });
  const { errors } = await gateway.query(
    'mutation ($tx: String!, $sig: String!) { executeTransactionBlock(txBytes: $tx, signatures: [$sig]) { effects { status } } }',
    { tx: bytes, sig: signature },
    by(attacker),
  );
  expect(errors).toBeUndefined();
}

const reserves = async (gateway: TestGateway, headers: Record<string, string>) => {
  const reserve = 'mutation { reserveGas(gasBudget: 30000000, reserveDurationSecs: 5) { reservationId } }';
  return (await gateway.query(reserve, {}, headers)).errors === undefined;
};

test('it gets less than its share of the day, and another visitor and another client are served', async () => {
  const { gateway, close } = await openWith(`gas: { perDay: ${perDay} }`);
  const [coin, ...payers] = await coinsOf(gateway);
  if (!coin) throw new Error('it has no coin');
  const before = await balanceOf(gateway);
  const parts: Reference[] = [];
  let [current, count] = [coin, 400];
  while (count >= 25) {
    const result = await split(gateway, current, count);
    if ('code' in result) {
      expect(result).toMatchObject({ code: 'RATE_LIMITED', policy: { rule: 'gas.perVisitorPerDay' } });
      count = Math.floor(count / 2);
    } else {
      parts.push(...result.created);
      current = result.coin;
    }
  }
  const share = Math.ceil(parts.length / payers.length);
  for (const [index, payer] of payers.entries())
    await merge(gateway, payer, parts.slice(index * share, (index + 1) * share));
  await until(async () => (await coinsOf(gateway)).length === payers.length + 1, 'all parts merged');
  const gained = (await balanceOf(gateway)) - before;
  const { data } = await gateway.query('{ viewer { gas { limit remaining held } } }', {}, by(attacker));
  const { limit, remaining, held } = data.viewer.gas;
  const paid = limit - remaining - held;
  process.stdout.write(`the operator paid ${paid} of ${perDay}, and the visitor gained ${gained}\n`);
  expect(paid).toBeGreaterThan(perDay / 8);
  expect(gained).toBeGreaterThan(0);
  expect(gained).toBeLessThan(paid);
  expect(paid).toBeLessThanOrEqual(perDay / 4);
  expect(await reserves(gateway, by(visitor))).toBe(true);
  expect(await reserves(gateway, by(visitor, keys.shop))).toBe(true);
  await close();
});

test.each([
  ['bounds storage', `gas: { perDay: ${perDay}, storage: 4000000 }`, 'gas.storage'],
  ['lists functions', `gas: { perDay: ${perDay} }, moveCalls: ['0xd0e::greeter']`, 'commands.allow'],
])('it gets nothing from a policy that %s', async (_what, policy, rule) => {
  const { gateway, close } = await openWith(policy);
  const [coin] = await coinsOf(gateway);
  if (!coin) throw new Error('it has no coin');
  expect(await split(gateway, coin, 100)).toMatchObject({ code: 'FORBIDDEN', policy: { rule } });
  expect(await reserves(gateway, by(visitor))).toBe(true);
  await close();
});
