import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey } from '../../../src/config/client.ts';
import { askingShells } from '../../support/asking-shells.ts';
import { type FaultyLedger, startFaultyLedger } from '../../support/faulty-ledger.ts';
import { type ScriptedSponsor, startScriptedSponsor } from '../../support/scripted-sponsor.ts';
import { sponsorEffects } from '../../support/sponsor-effects.ts';
import { toSponsoredTransaction } from '../../support/sponsored-transaction.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const token = 'token-of-the-sponsor-0123456789';
const leaseKey = 'the-key-of-leases-in-this-test-0123456789';
const [mine, theirs, another] = ['key-of-mine', 'key-of-theirs', 'key-of-another'];
/** Of the three zero bytes of "AAAA". */
const digest = 'AsWWT89kJHbo64xjtscp9E5zExV9CuMgQf4jNbxiDZ9s';
const signature = 'c2lnbmF0dXJlIG9mIHRoZSB1c2Vy';

let time: { nowMs: number };
let ledger: FaultyLedger;
let sponsor: ScriptedSponsor;
let gateway: TestGateway;
let reservations = 0;

beforeAll(async () => {
  time = { nowMs: Date.now() };
  ledger = await startFaultyLedger();
  sponsor = await startScriptedSponsor();
  const clients = [mine, theirs, another].map((key, index) => ({
    id: key,
    hash: hashApiKey(key),
    scopes: ['sponsor', 'read'],
    ...(index === 2 && { gas: { perDay: 100 }, visitors: 'one' }),
  }));
  gateway = await createTestGateway(
    {
      LEDGER_GRAPHQL_URL: ledger.url,
      SPONSOR_URL: sponsor.origin,
      SPONSOR_TOKEN: token,
      SPONSOR_PREFLIGHT: 'off',
      CLIENTS_FILE: '/clients.json',
      LEASE_KEYS: leaseKey,
      CORS_ORIGINS: 'https://dapp.example',
      LOG_LEVEL: 'trace',
    },
    { '/clients.json': JSON.stringify(clients) },
    undefined,
    () => time.nowMs,
  );
});

const coin = { objectId: `0x${'c'.repeat(64)}`, version: 7, digest: '1'.repeat(32) };

beforeEach(() => {
  reservations += 1;
  const result = { sponsor_address: `0x${'5'.repeat(64)}`, reservation_id: reservations, gas_coins: [coin] };
  sponsor.answer('/v1/reserve_gas', { body: JSON.stringify({ result, error: null }) });
  sponsor.answer('/v1/execute_tx', { body: JSON.stringify({ effects: sponsorEffects(digest), error: null }) });
});

afterAll(async () => {
  for (const each of [gateway, sponsor, ledger]) await each?.[Symbol.asyncDispose]();
});

const as = (key: string) => ({ headers: { 'x-api-key': key } });
const executed = () => sponsor.requests.filter(({ path }) => path === '/v1/execute_tx').length;

async function reserve(key = mine, more = ''): Promise<string> {
  const query = `mutation { reserveGas(gasBudget: 50, reserveDurationSecs: 60${more}) { reservationId } }`;
  const { data, errors } = await gateway.query(query, {}, as(key).headers);
  expect(errors).toBeUndefined();
  return data.reserveGas.reservationId;
}

const executeBy = (id: string, txBytes = 'AAAA') =>
  `mutation { executeTx(reservationId: "${id}", txBytes: "${txBytes}", userSig: "${signature}") { digest outcome } }`;

/** Invalid and foreign ids, made from a valid one. */
const bad: readonly [string, (id: string) => string][] = [
  ['the sponsor’s own number', () => String(reservations)],
  ['one made up', () => randomBytes(147).toString('base64url')],
  ['one with another letter', (id) => `${id.slice(0, 40)}${id[40] === 'A' ? 'B' : 'A'}${id.slice(41)}`],
  ['one with another last letter', (id) => id.slice(0, -1) + (id.endsWith('A') ? 'B' : 'A')],
  ['one that is cut', (id) => id.slice(0, -4)],
  ['one that is padded', (id) => `${id}=`],
  ['two in one', (id) => id + id],
  ['one of thousands of letters', (id) => id.padEnd(4_000, 'A')],
];

const shells = askingShells.filter(([name]) => /POST|WebSocket/.test(name));

describe.each(shells)('over %s', (_, ask) => {
  const refused = async (id: string, key = mine) => {
    const before = sponsor.requests.length;
    const { data, errors } = await ask(gateway.url, executeBy(id), as(key));
    expect(data).toEqual({ executeTx: null });
    expect(errors).toHaveLength(1);
    const looked = `{ reservation(reservationId: "${id}") { state } }`;
    expect((await ask(gateway.url, looked, as(key))).data).toEqual({ reservation: null });
    expect(sponsor.requests.length).toBe(before);
    return errors[0];
  };

  it('a foreign or invalid lease is rejected with one message, without calling the sponsor', async () => {
    const id = await reserve();
    const told = [await refused(id, theirs)];
    for (const [, spoil] of bad) told.push(await refused(spoil(id)));
    expect(new Set(told.map(({ message }) => message)).size).toBe(1);
    for (const { extensions } of told) expect(extensions).toMatchObject({ code: 'RESERVATION_NOT_FOUND', digest });
    const before = executed();
    expect(await ask(gateway.url, executeBy(id), as(mine))).toMatchObject({
      data: { executeTx: { outcome: 'EXECUTED' } },
    });
    expect(executed()).toBe(before + 1);
  });

  it('a lease is spent once, and an expired one never', async () => {
    const [id, late] = [await reserve(), await reserve()];
    await ask(gateway.url, executeBy(id), as(mine));
    const before = sponsor.requests.length;
    for (const txBytes of ['AAAA', 'BBBB']) {
      const { errors } = await ask(gateway.url, executeBy(id, txBytes), as(mine));
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'RESERVATION_NOT_FOUND', digest });
    }
    const look = (which: string) => `{ reservation(reservationId: "${which}") { state secondsLeft } }`;
    expect((await ask(gateway.url, look(id), as(mine))).data.reservation.state).toBe('CONSUMED');
    expect((await ask(gateway.url, look(late), as(mine))).data.reservation).toEqual({
      state: 'ACTIVE',
      secondsLeft: 60,
    });
    time.nowMs += 60_000;
    const { errors } = await ask(gateway.url, executeBy(late), as(mine));
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'RESERVATION_NOT_FOUND' });
    expect((await ask(gateway.url, look(late), as(mine))).data.reservation).toEqual({
      state: 'EXPIRED',
      secondsLeft: 0,
    });
    expect(sponsor.requests.length).toBe(before);
  });

  it('a key returns the same reservation again, with its remaining time, and does not conflict with an execution', async () => {
    const key = randomBytes(16).toString('hex');
    const more = `, idempotencyKey: "${key}"`;
    const query = `mutation { reserveGas(gasBudget: 50, reserveDurationSecs: 60${more}) { reservationId state secondsLeft } }`;
    const first = await ask(gateway.url, query, as(mine));
    const before = sponsor.requests.length;
    time.nowMs += 10_000;
    const { reservationId } = first.data.reserveGas;
    expect((await ask(gateway.url, query, as(mine))).data).toEqual({
      reserveGas: { reservationId, state: 'ACTIVE', secondsLeft: 50 },
    });
    expect(sponsor.requests.length).toBe(before);
    const execution = executeBy(reservationId).replace(') {', `${more}) {`);
    expect((await ask(gateway.url, execution, as(mine))).data.executeTx.outcome).toBe('EXECUTED');
    expect((await ask(gateway.url, execution, as(mine))).data.executeTx.outcome).toBe('EXECUTED');
    expect(sponsor.requests.length).toBe(before + 1);
    expect((await ask(gateway.url, query, as(mine))).data.reserveGas.state).toBe('CONSUMED');
  });

  it.each([
    ['empty', ''],
    ['longer than any', 'k'.repeat(256)],
    ['with a NUL', '\u0000'],
    ['of other letters', 'schlüssel'],
  ])('a key that is %s is rejected before anything is sent', async (_name, key) => {
    const before = sponsor.requests.length;
    const query = `mutation { reserveGas(gasBudget: 50, reserveDurationSecs: 60, idempotencyKey: ${JSON.stringify(key)}) { state } }`;
    const { errors } = await ask(gateway.url, query, as(mine));
    expect(errors?.[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', retry: 'never', argument: 'idempotencyKey' });
    expect(sponsor.requests.length).toBe(before);
  });
});

it('a budget is held by a reservation, settled by its execution, and shown', async () => {
  const viewed = async () => {
    const { data } = await gateway.query('{ viewer { gas { limit remaining held } } }', {}, as(another).headers);
    return data.viewer.gas;
  };
  expect(await viewed()).toEqual({ limit: '100', remaining: '100', held: '0' });
  const id = await reserve(another);
  expect(await viewed()).toEqual({ limit: '100', remaining: '50', held: '50' });
  const over = 'mutation { reserveGas(gasBudget: 51, reserveDurationSecs: 60) { state } }';
  const before = sponsor.requests.length;
  const { errors } = await gateway.query(over, {}, as(another).headers);
  expect(errors?.[0]?.extensions).toMatchObject({
    code: 'RATE_LIMITED',
    gas: { limit: 100, held: 50, settled: 0, left: 50 },
  });
  expect(sponsor.requests.length).toBe(before);
  // A transaction that cannot be parsed spends nothing.
  const unread = await gateway.query(executeBy(id), {}, as(another).headers);
  expect(unread.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  expect(sponsor.requests.length).toBe(before);
  expect(await viewed()).toEqual({ limit: '100', remaining: '50', held: '50' });
  const paying = { sponsorAddress: `0x${'5'.repeat(64)}`, gasCoins: [coin], gasBudget: 50 };
  const readable = toSponsoredTransaction(paying, 1);
  sponsor.answer('/v1/execute_tx', { body: JSON.stringify({ effects: sponsorEffects(readable.digest), error: null }) });
  await gateway.query(executeBy(id, readable.txBytes), {}, as(another).headers);
  // It used more than it reserved; only the reserved amount is counted.
  expect(await viewed()).toEqual({ limit: '100', remaining: '50', held: '0' });
});

it('each sponsorship event is a log line, and none contains a usable credential', async () => {
  const id = await reserve();
  await gateway.query(executeBy(id), {}, as(mine).headers);
  await gateway.query(executeBy(id), {}, as(theirs).headers);
  const lines = gateway.log.filter(({ msg, lease }) => msg === 'sponsorship' && lease === id.slice(4, 24));
  expect(lines.map(({ event }) => event)).toEqual(['reserved', 'dispatched', 'executed']);
  for (const line of lines) expect(line).toMatchObject({ caller: `client:${mine}`, budget: 50 });
  const text = JSON.stringify(gateway.log);
  for (const secret of [token, leaseKey, id, id.slice(24), signature]) expect(text).not.toContain(secret);
});
