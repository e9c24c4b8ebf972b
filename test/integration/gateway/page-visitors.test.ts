import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashApiKey, toApiKey } from '../../../src/config/client.ts';
import { readEventStream } from '../../support/event-stream-reader.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

// What one bad visitor of a page can do with its public key and nothing else set, and what others still can.

const keys = {
  page: toApiKey('page', new Uint8Array(32).fill(1)).reveal(),
  shop: toApiKey('shop', new Uint8Array(32).fill(2)).reveal(),
};
const perDay = 5_000_000_000;
const clients = Object.entries(keys)
  .map(([id, key]) => `- { id: ${id}, hash: ${hashApiKey(key)}, scopes: [read, sponsor], gas: { perDay: ${perDay} } }`)
  .join('\n');
const usualRate = '600';

const [attacker, visitor, office] = ['203.0.113.66', '203.0.113.7', '198.51.100.1'];
const by = (address: string, key = keys.page) => ({ 'x-api-key': key, 'x-forwarded-for': address });

let gateway: TestGateway;
beforeAll(async () => {
  const env = { CLIENTS_FILE: '/clients', RATE_LIMIT_PER_MINUTE: usualRate, TRUSTED_PROXIES: '127.0.0.1' };
  gateway = await createTestGateway(env, { '/clients': clients });
});
afterAll(() => gateway?.close());

const reserveGas = `mutation ($budget: UInt53!, $secs: Int!, $sender: String, $key: String) {
  reserveGas(gasBudget: $budget, reserveDurationSecs: $secs, sender: $sender, idempotencyKey: $key) {
    reservationId sponsorAddress sender gasBudget gasCoins { objectId version digest }
  }
}`;
const reserve = (headers: Record<string, string>, budget: number, secs = 60, more: object = {}) =>
  gateway.query(reserveGas, { budget, secs, ...more }, headers);
type Answer = Awaited<ReturnType<typeof reserve>>;
const codeOf = ({ errors }: Answer) => errors?.[0]?.extensions.code ?? 'none';
const ruleOf = ({ errors }: Answer) => (errors?.[0]?.extensions.policy as { rule?: string } | undefined)?.rule;
const othersAreServed = async () => {
  for (const headers of [by(visitor), by(visitor, keys.shop)])
    expect(codeOf(await reserve(headers, 5_000_000))).toBe('none');
};

test('one that reserves the whole day gets a quarter of it, and the rest stays for others', async () => {
  const whole = await reserve(by(attacker), 1_999_999_999, 600);
  expect(whole.errors?.[0]?.extensions).toMatchObject({
    code: 'RATE_LIMITED',
    policy: {
      rule: 'gas.perVisitorPerDay',
      limit: perDay / 4,
      used: 0,
      resetsAt: expect.stringMatching(/T00:00:00.000Z$/),
    },
    gas: { limit: perDay / 4, left: perDay / 4 },
  });
  for (let count = 0; count < 3; count += 1) await reserve(by(attacker), 600_000_000, 600);
  const { data } = await gateway.query('{ viewer { gas { limit remaining } } }', {}, by(attacker));
  expect(data.viewer.gas).toEqual({ limit: String(perDay / 4), remaining: String(perDay / 4 - 1_200_000_000) });
  await othersAreServed();
});

test('one that reserves unit after unit locks 100 coins, and no other visitor or client is without one', async () => {
  const hoarder = '203.0.113.67';
  const answers = await Promise.all(Array.from({ length: 300 }, () => reserve(by(hoarder), 1, 600)));
  expect(answers.filter((answer) => codeOf(answer) === 'none')).toHaveLength(100);
  expect(answers.filter((answer) => ruleOf(answer) === 'openReservations.perVisitor')).toHaveLength(200);
  await othersAreServed();
});

test('one that asks all the time uses up its own rate limit', async () => {
  const asker = '203.0.113.68';
  const ask = (address: string) => gateway.query('{ viewer { id } }', {}, by(address));
  const answers = await Promise.all(Array.from({ length: 700 }, () => ask(asker)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(Number(usualRate));
  expect((await ask(visitor)).status).toBe(200);
});

test('one that opens streams until none is left leaves streams for others', async () => {
  const open = (address: string) =>
    readEventStream(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...by(address) },
      body: JSON.stringify({ query: 'subscription { liveEvents { __typename } }' }),
    });
  const streamer = '203.0.113.69';
  const streams = await Promise.all(Array.from({ length: 105 }, () => open(streamer)));
  const refused = () => streams.filter(({ isOver }) => isOver);
  await until(() => refused().length === 5, 'five refusals');
  for (const { results } of refused()) expect(results[0]?.errors[0].extensions.code).toBe('RATE_LIMITED');
  const other = await open(visitor);
  await until(() => other.results.length > 0, 'an event for another visitor');
  expect(other.results[0]?.errors).toBeUndefined();
  expect(refused()).toHaveLength(5);
  await Promise.all([...streams, other].map((stream) => stream.leave()));
});

test('of two visitors with the same idempotency key, each gets its own reservation', async () => {
  const [one, other] = await Promise.all(
    [attacker, visitor].map((address) => reserve(by(address), 5, 60, { key: 'checkout' })),
  );
  expect(one?.data.reserveGas.reservationId).not.toBe(other?.data.reserveGas.reservationId);
  const again = await reserve(by(visitor), 5, 60, { key: 'checkout' });
  expect(again.data.reserveGas.gasCoins).toEqual(other?.data.reserveGas.gasCoins);
});

test('thirty visitors behind one address sponsor, each a transaction', async () => {
  const sign = `query ($sponsor: LedgerAddress!, $coins: [DevnetGasCoinInput!]!) {
    devnetSignTransaction(sponsorAddress: $sponsor, gasCoins: $coins, gasBudget: 30000000) { txBytes userSig }
  }`;
  const execute = `mutation ($id: ID!, $tx: Base64!, $sig: Base64!) {
    executeTx(reservationId: $id, txBytes: $tx, userSig: $sig) { outcome }
  }`;
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, async () => {
      const { data } = await reserve(by(office), 30_000_000);
      const { reservationId: id, sponsorAddress: sponsor, gasCoins: coins } = data.reserveGas;
      const signed = await gateway.query(sign, { sponsor, coins }, by(office));
      const { txBytes: tx, userSig: sig } = signed.data.devnetSignTransaction;
      const executed = await gateway.query(execute, { id, tx, sig }, by(office));
      return executed.data.executeTx.outcome;
    }),
  );
  expect(outcomes).toEqual(outcomes.map(() => 'EXECUTED'));
});

test('a reservation is for its sender alone', async () => {
  const sender = '0xabc';
  const { data } = await reserve(by(visitor), 5_000_000, 60, { sender });
  expect(data.reserveGas.sender).toBe(`0x${'abc'.padStart(64, '0')}`);
  const { reservationId: id, sponsorAddress: sponsor, gasCoins: coins } = data.reserveGas;
  const signed = await gateway.query(
    'query ($sponsor: LedgerAddress!, $coins: [DevnetGasCoinInput!]!) { devnetSignTransaction(sponsorAddress: $sponsor, gasCoins: $coins, gasBudget: 5000000) { txBytes userSig } }',
    { sponsor, coins },
  );
  const { txBytes: tx, userSig: sig } = signed.data.devnetSignTransaction;
  const executed = await gateway.query(
    'mutation ($id: ID!, $tx: Base64!, $sig: Base64!) { executeTx(reservationId: $id, txBytes: $tx, userSig: $sig) { outcome } }',
    { id, tx, sig },
    by(visitor),
  );
  expect(executed.errors?.[0]).toMatchObject({
    message: expect.stringContaining('the gas was reserved for a transaction of 0x'),
    extensions: { code: 'BAD_USER_INPUT', argument: 'txBytes' },
  });
  const state = await gateway.query(
    'query ($id: ID!) { reservation(reservationId: $id) { state } }',
    { id },
    by(visitor),
  );
  expect(state.data.reservation.state).toBe('ACTIVE');
});
