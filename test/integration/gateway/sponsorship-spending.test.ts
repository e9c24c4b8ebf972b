import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { hashApiKey, toApiKey } from '../../../src/config/client.ts';
import { upstreamList } from '../../../src/start/upstreams.ts';
import { redisMissing, startRedis } from '../../support/redis-server.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

// Who spent what, as the sponsorship store tells administrators.

const keys = {
  page: toApiKey('page', new Uint8Array(32).fill(1)).reveal(),
  boss: toApiKey('boss', new Uint8Array(32).fill(2)).reveal(),
};
const clients = `- { id: page, hash: ${hashApiKey(keys.page)}, scopes: [read, sponsor], gas: { perDay: 5000000000 } }
- { id: boss, hash: ${hashApiKey(keys.boss)}, scopes: [read, admin] }`;
const env = { CLIENTS_FILE: '/clients', TRUSTED_PROXIES: '127.0.0.1', LEASE_KEYS: 'k'.repeat(40) };
/** Noon, so that all of a test is one day. */
const noon = Date.UTC(2027, 4, 5, 12);
const folder = mkdtempSync(join(tmpdir(), 'spending-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open = (more: Record<string, string> = {}, journal: string | null = null, nowMs = noon) =>
  createTestGateway({ ...env, ...more }, { '/clients': clients }, upstreamList, () => nowMs, journal);

const page = (address: string) => ({ 'x-api-key': keys.page, 'x-forwarded-for': address });
const boss = { 'x-api-key': keys.boss };
const rows = `query ($day: String, $client: String) {
  sponsorshipSpending(day: $day, client: $client) {
    day client visitor sender reserved held settled executed failed refused
  }
}`;
const read = async (gateway: TestGateway, variables = {}, headers: Record<string, string> = boss) => {
  const { data, errors } = await gateway.query(rows, variables, headers);
  if (errors) throw Object.assign(new Error(errors[0]?.message), errors[0]?.extensions);
  return data.sponsorshipSpending;
};

const reserve = (gateway: TestGateway, address: string, budget: number) =>
  gateway.query(
    'mutation ($budget: UInt53!) { reserveGas(gasBudget: $budget, reserveDurationSecs: 60) { reservationId sponsorAddress gasCoins { objectId version digest } } }',
    { budget },
    page(address),
  );

async function sponsor(gateway: TestGateway, address: string, budget: number) {
  const { data } = await reserve(gateway, address, budget);
  const { reservationId: id, sponsorAddress, gasCoins } = data.reserveGas;
  const signed = await gateway.query(
    'query ($sponsor: LedgerAddress!, $coins: [DevnetGasCoinInput!]!, $budget: UInt53!) { devnetSignTransaction(sponsorAddress: $sponsor, gasCoins: $coins, gasBudget: $budget) { txBytes userSig } }',
    { sponsor: sponsorAddress, coins: gasCoins, budget },
  );
  const { txBytes, userSig } = signed.data.devnetSignTransaction;
  const executed = await gateway.query(
    'mutation ($id: ID!, $tx: Base64!, $sig: Base64!) { executeTx(reservationId: $id, txBytes: $tx, userSig: $sig) { effects { gasUsed { computationCost storageCost storageRebate } } } }',
    { id, tx: txBytes, sig: userSig },
    page(address),
  );
  const { computationCost, storageCost, storageRebate } = executed.data.executeTx.effects.gasUsed;
  return String(Number(computationCost) + Number(storageCost) - Number(storageRebate));
}

test('it tells by visitor and sender what was reserved, is held, and was used, also after a restart', async () => {
  const expected = async (gateway: TestGateway, gasUsed: string) => {
    const row = { day: '2027-05-05', client: 'client:page', executed: 0, failed: 0, refused: 0 };
    const visitor = (address: string) => `client:page address:${address}`;
    const sender = expect.stringMatching(/^0x[\da-f]{64}$/);
    const [open, used, none] = [
      { ...row, visitor: visitor('203.0.113.1'), sender: null, reserved: '40000000', held: '40000000', settled: '0' },
      { ...row, executed: 1, visitor: visitor('203.0.113.2'), sender, reserved: '30000000', held: '0' },
      { ...row, visitor: visitor('203.0.113.2'), sender: null, reserved: '0', held: '0', settled: '0', refused: 1 },
    ];
    const found = await read(gateway, { client: 'page' });
    expect(found).toEqual([open, none, { ...used, settled: gasUsed }]);
    expect(await read(gateway)).toEqual(found);
    expect(await read(gateway, { client: 'client:page', day: '2027-05-05' })).toEqual(found);
    expect(await read(gateway, { client: 'boss' })).toEqual([]);
    expect(await read(gateway, { day: '2027-05-04' })).toEqual([]);
  };
  const first = await open({}, folder);
  await reserve(first, '203.0.113.1', 40_000_000);
  const spent = await sponsor(first, '203.0.113.2', 30_000_000);
  expect((await reserve(first, '203.0.113.2', 1_900_000_000)).errors?.[0]?.extensions.code).toBe('RATE_LIMITED');
  await expected(first, spent);
  await first.close();
  await using second = await open({}, folder);
  await expected(second, spent);
});

test('it is for administrators alone', async () => {
  await using gateway = await open();
  await expect(read(gateway, {}, page('203.0.113.1'))).rejects.toMatchObject({
    message: 'This needs the scope "admin".',
    code: 'FORBIDDEN',
  });
  await expect(read(gateway, {}, { 'x-forwarded-for': '203.0.113.1' })).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
  });
  await expect(read(gateway, { day: '2027-05-03' })).rejects.toMatchObject({
    message: expect.stringContaining('it must be today or yesterday in UTC, 2027-05-05 or 2027-05-04'),
    code: 'BAD_USER_INPUT',
  });
  // There the sponsor decides who is an administrator, and it is not asked.
  await using forwarding = await createTestGateway({ SPONSOR_AUTH: 'forward' });
  await expect(read(forwarding, {}, { authorization: 'Bearer any' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

test.skipIf(redisMissing)('of two instances on one Redis each tells what was spent through both', async () => {
  await using redis = await startRedis();
  const more = { REDIS_URL: redis.url };
  await using one = await open(more, null, Date.now());
  await using other = await open(more, null, Date.now());
  await Promise.all([
    reserve(one, '203.0.113.1', 10),
    reserve(other, '203.0.113.1', 20),
    reserve(one, '203.0.113.3', 5),
  ]);
  for (const gateway of [one, other]) {
    const found: { visitor: string; held: string }[] = await read(gateway);
    expect(new Map(found.map(({ visitor, held }) => [visitor, held]))).toEqual(
      new Map([
        ['client:page address:203.0.113.1', '30'],
        ['client:page address:203.0.113.3', '5'],
      ]),
    );
  }
});
