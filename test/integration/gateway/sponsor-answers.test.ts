import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey } from '../../../src/config/client.ts';
import { type HostileLedger, startHostileLedger } from '../../support/hostile-ledger.ts';
import type { OnChain } from '../../support/hostile-sponsor.ts';
import { type ScriptedSponsor, startScriptedSponsor } from '../../support/scripted-sponsor.ts';
import { type SponsorAnswerRow, sponsorAnswers, titled, toAnswerText } from '../../support/sponsor-answers.ts';
import { sponsorEffects } from '../../support/sponsor-effects.ts';
import { type Paying, toSponsoredTransaction } from '../../support/sponsored-transaction.ts';
import { createTestGateway } from '../../support/test-gateway.ts';
import { whenTimeIsOver } from '../../support/when-time-is-over.ts';

const key = 'key-of-an-app';
const clients = `- { id: app, hash: ${hashApiKey(key)}, scopes: [read, sponsor], gas: { perDay: 6000000 }, visitors: one }`;
const budget = 2_000_000;

/** Long enough for every answer on a busy machine. */
const mutationMs = 30_000;
/** The ledger is asked for a quarter of it before a doubtful rejection is believed. */
const doubtedMutationMs = 4_000;

type Auth = 'token' | 'forward';

let sponsor: ScriptedSponsor;
let ledger: HostileLedger;
/** What the ledger has. */
const chain = new Map<string, OnChain>();
let number = 0;

beforeAll(async () => {
  sponsor = await startScriptedSponsor();
  ledger = await startHostileLedger(chain);
});
afterAll(async () => {
  await sponsor?.[Symbol.asyncDispose]();
  await ledger?.[Symbol.asyncDispose]();
});

/** A gateway of its own, so that each test begins with a whole budget. */
async function setUp(auth: Auth, settings: Record<string, string> = {}, clientsFile = clients) {
  const gateway = await createTestGateway(
    {
      SPONSOR_URL: sponsor.origin,
      LEDGER_GRAPHQL_URL: ledger.url,
      SCHEMA_POLL_MS: '0',
      MUTATION_TIMEOUT_MS: String(mutationMs),
      CLIENTS_FILE: '/clients',
      ...settings,
      ...(auth === 'token' ? { SPONSOR_TOKEN: 'token-of-the-sponsor' } : { SPONSOR_AUTH: 'forward' }),
    },
    { '/clients': clientsFile },
  );
  const headers: Record<string, string> = { 'x-api-key': key };
  if (auth === 'forward') headers.authorization = 'Bearer the-sponsor-knows-this';
  const ask = (query: string, variables = {}) => gateway.query(query, variables, headers);
  return {
    gateway,
    reserve: (idempotencyKey: string | null = null, gasBudget = budget) =>
      ask(
        'mutation ($key: String, $budget: UInt53!) { reserveGas(gasBudget: $budget, reserveDurationSecs: 60, idempotencyKey: $key) { reservationId sponsorAddress gasBudget gasCoins { objectId version digest } } }',
        { key: idempotencyKey, budget: gasBudget },
      ),
    execute: (id: string, { txBytes, userSig }: { txBytes: string; userSig: string }, idempotencyKey: string | null) =>
      ask(
        'mutation ($id: ID!, $tx: Base64!, $sig: Base64!, $key: String) { executeTx(reservationId: $id, txBytes: $tx, userSig: $sig, idempotencyKey: $key) { digest outcome } }',
        { id, tx: txBytes, sig: userSig, key: idempotencyKey },
      ),
    held: async () => Number((await ask('{ viewer { gas { held } } }')).data.viewer.gas.held),
    stateOf: async (id: string) =>
      (await ask('query ($id: ID!) { reservation(reservationId: $id) { state } }', { id })).data.reservation?.state,
  };
}

const body = (value: object, status = 200) => ({ status, body: JSON.stringify(value) });
const sentTo = (path: string) => sponsor.requests.filter((request) => request.path === path).length;

/** The sponsor reserves the next number. */
function giveCoins() {
  number += 1;
  const coin = { objectId: `0x${number.toString(16).padStart(64, '0')}`, version: 7, digest: '1'.repeat(32) };
  const result = { sponsor_address: `0x${'5'.padStart(64, '0')}`, reservation_id: number, gas_coins: [coin] };
  sponsor.answer('/v1/reserve_gas', body({ result, error: null }));
}

/**
 * The answer when the time of the mutation is over, which is as soon as the ledger was asked in vain. While no client waits, it is
 * asked too, but three times only in as many seconds.
 */
function whenAsked<Answer>(timeMs: number, ask: () => Promise<Answer>): Promise<Answer> {
  const { lookUps } = ledger;
  return whenTimeIsOver(timeMs, () => ledger.lookUps >= lookUps + 3, ask);
}

type Reservation = Paying & { readonly reservationId: string };

async function reserved({ reserve }: Awaited<ReturnType<typeof setUp>>): Promise<Reservation> {
  giveCoins();
  return (await reserve()).data.reserveGas;
}

const ofExecutions = sponsorAnswers.filter(({ endpoint }) => endpoint === 'executeTx');
/** Is the ledger asked before the gateway believes the rejection? In forward mode, the sponsor knows its reservations best. */
const isDoubted = ({ fate, code }: SponsorAnswerRow, auth: Auth) =>
  fate === 'refused unless found' || (auth === 'token' && code === 'RESERVATION_NOT_FOUND');
const timeoutOf = (answer: SponsorAnswerRow, auth: Auth) => (isDoubted(answer, auth) ? doubtedMutationMs : mutationMs);
const ofReservations = sponsorAnswers.filter(({ endpoint }) => endpoint === 'reserveGas');

describe.each(['token', 'forward'] as const)('in %s mode, an execution that a service answers with', (auth) => {
  const answerWith = ({ status, text }: SponsorAnswerRow, digest: string) =>
    sponsor.answer(
      '/v1/execute_tx',
      body({ effects: null, error: toAnswerText(text, digest, String(number)) }, status),
    );

  it.each(titled(ofExecutions))('%s', async (_title, answer) => {
    const world = await setUp(auth, { MUTATION_TIMEOUT_MS: String(timeoutOf(answer, auth)) });
    await using _ = world.gateway;
    const isBudgeted = auth === 'token';
    const lease = await reserved(world);
    const transaction = toSponsoredTransaction(lease, 1);
    answerWith(answer, transaction.digest);
    const lookUps = ledger.lookUps;
    const { fate, code, message } = answer;
    const ask = () => world.execute(lease.reservationId, transaction, 'a-key');
    const execute = fate === 'unknown' ? () => whenAsked(mutationMs, ask) : ask;
    const first = await execute();
    expect(first.errors?.[0]?.extensions.code).toBe(code);
    if (message !== null)
      expect(first.errors?.[0]?.message).toBe(toAnswerText(message, transaction.digest, String(number)));
    // Other rejections are told when the sponsor answers: the ledger is not asked.
    expect(ledger.lookUps > lookUps).toBe(fate === 'unknown' || isDoubted(answer, auth));
    if (isBudgeted) expect(await world.held()).toBe(fate.startsWith('refused') ? 0 : budget);
    expect(await world.stateOf(lease.reservationId)).toBe(fate === 'kept' ? 'ACTIVE' : 'CONSUMED');

    sponsor.answer('/v1/execute_tx', body({ effects: sponsorEffects(transaction.digest), error: null }));
    const sent = sentTo('/v1/execute_tx');
    const again = await execute();
    if (fate === 'kept') {
      expect(again.data.executeTx).toEqual({ digest: transaction.digest, outcome: 'EXECUTED' });
    } else {
      expect(again.errors?.[0]?.extensions.code).toBe(code);
      expect(sentTo('/v1/execute_tx')).toBe(sent);
    }
  });
});

describe.each(['token', 'forward'] as const)('in %s mode, a rejection of a transaction that may have run', (auth) => {
  const doubted = ofExecutions.filter((answer) => isDoubted(answer, auth));

  async function reject({ status, text }: SponsorAnswerRow) {
    const world = await setUp(auth, { MUTATION_TIMEOUT_MS: String(doubtedMutationMs) });
    const lease = await reserved(world);
    const transaction = toSponsoredTransaction(lease, 1);
    const error = toAnswerText(text, transaction.digest, String(number));
    sponsor.answer('/v1/execute_tx', body({ effects: null, error }, status));
    return { world, ...transaction, execute: () => world.execute(lease.reservationId, transaction, 'a-key') };
  }

  it.each(titled(doubted))('is not believed if the ledger has the transaction: %s', async (_title, answer) => {
    const { world, digest, execute } = await reject(answer);
    await using _ = world.gateway;
    chain.set(digest, {
      reservationId: String(number),
      succeeded: true,
      gas: { computation: 900, storage: 300, rebate: 200 },
    });
    for (const _ of ['first', 'repeated'])
      expect((await execute()).data.executeTx).toEqual({ digest, outcome: 'RECOVERED' });
    const told = world.gateway.log.filter(({ msg, event }) => msg === 'sponsorship' && event !== 'reserved');
    expect(told.map(({ event }) => event)).toEqual(['dispatched', 'recovered', 'replayed']);
    expect(told[1]).toMatchObject({ digest, gasUsed: 1_000 });
    if (auth === 'token') expect(await world.held()).toBe(0);
  });

  it('leaves the outcome unknown while the ledger is away, and keeps the gas', async () => {
    const { world, execute } = await reject(doubted[0] as SponsorAnswerRow);
    await using _ = world.gateway;
    ledger.manner = 'fails';
    try {
      const { errors } = await whenAsked(doubtedMutationMs, execute);
      expect(errors?.[0]?.extensions.code).toBe('EXECUTION_OUTCOME_UNKNOWN');
      if (auth === 'token') expect(await world.held()).toBe(budget);
    } finally {
      ledger.manner = 'knows';
    }
    // A repeat waits for the same look-ups.
    expect((await execute()).errors?.[0]?.extensions.code).toBe('SPONSOR_REJECTED');
    if (auth === 'token') expect(await world.held()).toBe(0);
  });
});

describe('a reservation that a service answers with', () => {
  it.each(titled(ofReservations))('%s', async (_title, { status, text, code, fate, message }) => {
    const world = await setUp('token');
    await using _ = world.gateway;
    sponsor.answer('/v1/reserve_gas', body({ result: null, error: text }, status));
    const first = await world.reserve('a-key');
    expect(first.errors?.[0]?.extensions.code).toBe(code);
    if (message !== null) expect(first.errors?.[0]?.message).toBe(message);
    expect(await world.held()).toBe(fate === 'not reserved' ? 0 : budget);
    giveCoins();
    const again = await world.reserve('a-key');
    if (fate === 'not reserved') expect(again.errors).toBeUndefined();
    else expect(again.errors?.[0]?.extensions).toMatchObject({ code: 'UPSTREAM_TIMEOUT', retry: 'same-key' });
  });
});

describe('a client with 6 M a day', () => {
  it.each([
    'server error (code 3): Invalid user signature: Signature is not valid: Fail to verify user sig',
    `grpc error: code: 'Client specified an invalid argument', message: "Invalid user signature: wrong"`,
  ])('that signs wrongly three times is not shut out: %s', async (error) => {
    const world = await setUp('token');
    await using _ = world.gateway;
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      giveCoins();
      const lease: Reservation = (await world.reserve(null, 5_000_000)).data.reserveGas;
      const transaction = toSponsoredTransaction(lease, attempt);
      const text = `execute_transaction error for ${transaction.digest}: ${error}`;
      sponsor.answer('/v1/execute_tx', body({ effects: null, error: text }, 500));
      const { errors } = await world.execute(lease.reservationId, transaction, null);
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'SPONSOR_REJECTED', retry: 'never' });
      expect(await world.held()).toBe(0);
    }
    giveCoins();
    const lease: Reservation = (await world.reserve(null, 5_000_000)).data.reserveGas;
    const transaction = toSponsoredTransaction(lease, 4);
    sponsor.answer('/v1/execute_tx', body({ effects: sponsorEffects(transaction.digest), error: null }));
    const { data } = await world.execute(lease.reservationId, transaction, null);
    expect(data.executeTx.outcome).toBe('EXECUTED');
  });
});

it('a lease whose coins did not match is sent again with another transaction, and only its own gas is counted', async () => {
  const world = await setUp('token');
  await using _ = world.gateway;
  const lease = await reserved(world);
  const [wrong, right] = [toSponsoredTransaction(lease, 1), toSponsoredTransaction(lease, 2)];
  const text = `user_script:23: Gas coins in the transaction do not belong to reservation ${number}`;
  sponsor.answer('/v1/execute_tx', body({ effects: null, error: text }, 500));
  const refused = await world.execute(lease.reservationId, wrong, null);
  expect(refused.errors?.[0]?.extensions).toMatchObject({ code: 'SPONSOR_REJECTED', digest: wrong.digest });
  sponsor.answer('/v1/execute_tx', body({ effects: sponsorEffects(right.digest), error: null }));
  expect((await world.execute(lease.reservationId, right, null)).data.executeTx.digest).toBe(right.digest);
  const events = world.gateway.log
    .filter(({ msg }) => msg === 'sponsorship')
    .map(({ event, digest }) => [event, digest]);
  expect(events.slice(1)).toEqual([
    ['dispatched', wrong.digest],
    ['refused', wrong.digest],
    ['dispatched', right.digest],
    ['executed', right.digest],
  ]);
  expect(await world.held()).toBe(0);
});

it('the audit log has what moved money at every LOG_LEVEL', async () => {
  const world = await setUp('token', { LOG_LEVEL: 'silent' });
  await using _ = world.gateway;
  for (const end of ['executed', 'refused']) {
    const lease = await reserved(world);
    const { digest, ...transaction } = toSponsoredTransaction(lease, 1);
    const error = `execute_transaction error for ${digest}: server error (code 3): Invalid user signature: x`;
    const isRefused = end === 'refused';
    sponsor.answer(
      '/v1/execute_tx',
      isRefused ? body({ error }, 500) : body({ effects: sponsorEffects(digest), error: null }),
    );
    await world.execute(lease.reservationId, transaction, null);
    expect(world.gateway.log.splice(0)).toMatchObject([
      { level: 'info', msg: 'sponsorship', event: 'dispatched', digest },
      { level: 'info', msg: 'sponsorship', event: end, digest },
    ]);
  }
});

it('a failure that names its command is an outcome', async () => {
  // iotaledger/gas-station src/rpc/effects.rs (gas-station#171)
  const world = await setUp('token');
  await using _ = world.gateway;
  const lease = await reserved(world);
  const transaction = toSponsoredTransaction(lease, 1);
  const status = { status: 'failure', error: 'MoveAbort(0x5::hero, 7) in command 0' };
  sponsor.answer('/v1/execute_tx', body({ effects: sponsorEffects(transaction.digest, { status }), error: null }));
  const { data } = await world.execute(lease.reservationId, transaction, null);
  expect(data.executeTx.outcome).toBe('FAILED');
});

it.each([
  [{}, 1_999_999_999, 2_000_000_000],
  [{ SPONSOR_MAX_GAS_BUDGET: '50000000001' }, 50_000_000_000, 50_000_000_001],
])('SPONSOR_MAX_GAS_BUDGET %j allows %d and rejects %d', async (settings, allowed, rejected) => {
  // iotaledger/gas-station max-gas-budget (gas-station#153), sui-gas-pool#74
  const unlimited = `- { id: app, hash: ${hashApiKey(key)}, scopes: [read, sponsor] }`;
  const world = await setUp('token', settings, unlimited);
  await using _ = world.gateway;
  giveCoins();
  expect((await world.reserve(null, allowed)).data.reserveGas.gasBudget).toBe(allowed);
  const sent = sentTo('/v1/reserve_gas');
  expect((await world.reserve(null, rejected)).errors?.[0]?.extensions).toMatchObject({
    code: 'BAD_USER_INPUT',
    argument: 'gasBudget',
  });
  expect(sentTo('/v1/reserve_gas')).toBe(sent);
});
