import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashApiKey, toApiKey } from '../../../src/config/client.ts';
import { errorCatalogue } from '../../../src/errors/catalogue.ts';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { type ScriptedSponsor, startScriptedSponsor } from '../../support/scripted-sponsor.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const keyOf = (id: string) => toApiKey(id, new Uint8Array(32).fill(id.length)).reveal();
const clients = [
  { id: 'app', documents: 'only' },
  { id: 'busy-app', rate: { perMinute: 1 } },
].map((client) => ({
  ...client,
  hash: hashApiKey(keyOf(client.id)),
}));
const files = { clients: JSON.stringify(clients), manifest: JSON.stringify({ one: '{ a }' }) };

let ledger: ScriptedLedger;
let sponsor: ScriptedSponsor;
let devnet: TestGateway;
let gateway: TestGateway;
/** Upstream calls and mutations time out after 5 s. */
let hasty: TestGateway;
let isClockBroken = false;

beforeAll(async () => {
  ledger = await startScriptedLedger('type Query { a: Int } type Mutation { move: Int }', { Query: { a: () => 1 } });
  sponsor = await startScriptedSponsor();
  const env = { LEDGER_GRAPHQL_URL: ledger.url, SPONSOR_URL: sponsor.origin, SPONSOR_AUTH: 'forward' };
  devnet = await createTestGateway({ LIVE_MAX_STREAMS: '0' });
  gateway = await createTestGateway(
    { ...env, CLIENTS_FILE: 'clients', TRUSTED_DOCUMENTS_FILE: 'manifest', RATE_LIMIT_PER_MINUTE: '1000' },
    files,
    undefined,
    () => (isClockBroken ? Number.NaN : Date.now()),
  );
  hasty = await createTestGateway({ ...env, REQUEST_TIMEOUT_MS: '5000', MUTATION_TIMEOUT_MS: '5000' });
});

afterAll(async () => {
  for (const each of [devnet, gateway, hasty]) await each?.close();
  await ledger?.close();
  await sponsor?.[Symbol.asyncDispose]();
});

interface Seen {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly errors: readonly { readonly extensions: Readonly<Record<string, unknown>> }[];
}

async function post(to: TestGateway, body: unknown, headers: Record<string, string> = {}, path = '/graphql') {
  const text = typeof body === 'string' ? JSON.stringify({ query: body }) : JSON.stringify(body);
  const type = 'application/graphql-response+json';
  const response = await fetch(to.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: type, ...headers },
    body: text,
  });
  const { errors = [] } = (await response.json()) as Pick<Seen, 'errors'>;
  return { status: response.status, retryAfter: response.headers.get('retry-after'), errors };
}

const reserve = 'mutation { reserveGas(gasBudget: 50, reserveDurationSecs: 60) { reservationId } }';
const execute = 'executeTx(reservationId: "42", txBytes: "AAAA", userSig: "BBBB") { digest }';

/** The response to a request whose call of the sponsor has this result. */
function refusedBy(path: string, status: number, error: string, query = reserve): Promise<Seen> {
  sponsor.answer(path, { status, body: JSON.stringify({ error }) });
  return post(gateway, query);
}

async function whileLedger(answers: NonNullable<ScriptedLedger['override']>, ask: () => Promise<Seen>): Promise<Seen> {
  ledger.override = answers;
  return ask().finally(() => {
    ledger.override = undefined;
  });
}

const withHash = (text: string) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(text).digest('hex') } },
});
const newKey = () => `key-${Math.random()}`;

/** Requests by the code that they provoke. */
const provocations: Readonly<Record<string, () => Promise<Seen>>> = {
  BAD_REQUEST: () => post(gateway, {}),
  GRAPHQL_PARSE_FAILED: () => post(gateway, '{'),
  GRAPHQL_VALIDATION_FAILED: () => post(gateway, '{ nothing }'),
  PERSISTED_QUERY_NOT_SUPPORTED: () => post(devnet, withHash('{ unknown }')),
  PERSISTED_QUERY_NOT_FOUND: () => post(gateway, withHash('{ unknown }')),
  BAD_USER_INPUT: () =>
    post(gateway, 'mutation { reserveGas(gasBudget: 0, reserveDurationSecs: 1) { reservationId } }'),
  UNSUPPORTED_RPC_VERSION: () => post(gateway, '{ a }', {}, '/graphql/2020.1'),
  UNAUTHENTICATED: () => post(gateway, '{ a }', { 'x-api-key': keyOf('stranger') }),
  FORBIDDEN: () => post(gateway, '{ b: a }', { 'x-api-key': keyOf('app') }),
  RATE_LIMITED: async () => {
    await post(gateway, '{ a }', { 'x-api-key': keyOf('busy-app') });
    return post(gateway, '{ a }', { 'x-api-key': keyOf('busy-app') });
  },
  PAYLOAD_TOO_LARGE: () => post(gateway, `{ a } #${'x'.repeat(2 * 1024 * 1024)}`),
  REQUEST_TIMEOUT: () => {
    sponsor.answer('/v1/execute_tx', 'silence');
    return post(hasty, `mutation { ${execute} again: ${execute.replace('42', '43')} }`);
  },
  CURSOR_KEY_UNKNOWN: async () => {
    const page = await devnet.query('{ queryEvents(first: 1) { pageInfo { endCursor } } }');
    const after = JSON.stringify(page.data.queryEvents.pageInfo.endCursor);
    const other = await createTestGateway();
    return post(other, `{ queryEvents(first: 1, after: ${after}) { nodes { type } } }`).finally(() => other.close());
  },
  UPSTREAM_UNAVAILABLE: () =>
    whileLedger(
      () => 'reset',
      () => post(gateway, '{ b: a }'),
    ),
  UPSTREAM_TIMEOUT: () =>
    whileLedger(
      () => 'hang',
      () => post(hasty, '{ b: a }'),
    ),
  UPSTREAM_BAD_RESPONSE: () =>
    whileLedger(
      () => ({ status: 200, body: 'odd' }),
      () => post(gateway, '{ c: a }'),
    ),
  LEDGER_ERROR: () =>
    whileLedger(
      () => ({ status: 200, body: '{"data":{"a":null},"errors":[{"message":"odd","path":["a"]}]}' }),
      () => post(gateway, '{ a }'),
    ),
  SPONSOR_UNAUTHORIZED: () => refusedBy('/v1/reserve_gas', 401, 'Invalid authorization token'),
  SPONSOR_FORBIDDEN: () => refusedBy('/v1/reserve_gas', 403, 'Access denied by access controller'),
  SPONSOR_REJECTED: () => refusedBy('/v1/reserve_gas', 400, 'No'),
  SPONSOR_EXHAUSTED: () => refusedBy('/v1/reserve_gas', 500, 'Unable to reserve gas coins for the given budget.'),
  SPONSOR_MAINTENANCE: () =>
    refusedBy('/v1/reserve_gas', 503, 'Gas station is in maintenance mode. Please try again later.'),
  RESERVATION_NOT_FOUND: () =>
    refusedBy('/v1/execute_tx', 500, 'Reservation no longer exist', `mutation { ${execute.replace('42', '44')} }`),
  EXECUTION_OUTCOME_UNKNOWN: () => {
    sponsor.answer('/v1/execute_tx', 'silence');
    return post(hasty, `mutation { ${execute.replace('42', '45')} }`);
  },
  IDEMPOTENCY_CONFLICT: async () => {
    const key = newKey();
    const ask = (budget: number) =>
      post(
        devnet,
        `mutation { reserveGas(gasBudget: ${budget}, reserveDurationSecs: 60, idempotencyKey: "${key}") { state } }`,
      );
    await ask(5_000_000);
    return ask(6_000_000);
  },
  NOT_CONFIGURED: async () => {
    const bare = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url });
    return post(bare, reserve).finally(() => bare.close());
  },
  UNAVAILABLE: () =>
    post(devnet, 'subscription { liveTransactions(filter: { fromAddress: "0x5" }) { __typename } }', {
      accept: 'text/event-stream, application/graphql-response+json',
    }),
  INTERNAL_SERVER_ERROR: () => {
    isClockBroken = true;
    return post(gateway, '{ viewer { rate { resetsAt } } }').finally(() => {
      isClockBroken = false;
    });
  },
};

test('every code is provoked, except the one that needs a node with pruned data: events.test.ts has it', () => {
  expect([...Object.keys(provocations), 'STALE_CURSOR'].sort()).toEqual(Object.keys(errorCatalogue).sort());
});

const table = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');

test.each(Object.entries(provocations))('%s is sent as docs/errors.md describes it', async (code, provoke) => {
  const { status, retryAfter, errors } = await provoke();
  const found = errors.find(({ extensions }) => extensions.code === code);
  expect(found, JSON.stringify(errors)).toBeDefined();
  const row = table.split('\n').find((line) => line.startsWith(`| \`${code}\` |`)) ?? '';
  const [, documented = '', , advice = ''] = row.split(' | ');
  expect(`\`${found?.extensions.retry}\``).toBe(advice);
  // A field that fails leaves the status of the response at 200.
  expect([200, Number(documented)]).toContain(status);
  if (retryAfter !== null) expect(found?.extensions.retryAfterMs).toBe(Number(retryAfter) * 1_000);
});
