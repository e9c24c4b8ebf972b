import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type FaultyLedger, startFaultyLedger } from '../support/faulty-ledger.ts';
import { openRawClient, toPostText } from '../support/raw-client.ts';
import { type ScriptedAnswer, type ScriptedSponsor, startScriptedSponsor } from '../support/scripted-sponsor.ts';
import { sponsorEffects } from '../support/sponsor-effects.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';
import { whenTimeIsOver } from '../support/when-time-is-over.ts';

/** Of the three zero bytes of "AAAA". */
const digest = 'AsWWT89kJHbo64xjtscp9E5zExV9CuMgQf4jNbxiDZ9s';
const reservations = '/v1/reserve_gas';
const executions = '/v1/execute_tx';

let ledger: FaultyLedger;
let sponsor: ScriptedSponsor;
let gateway: TestGateway;

const mutationMs = 30_000;

beforeEach(async () => {
  [sentBefore, servedBefore] = [0, 0];
  ledger = await startFaultyLedger();
  sponsor = await startScriptedSponsor();
  gateway = await createTestGateway({
    LEDGER_GRAPHQL_URL: ledger.url,
    SPONSOR_URL: sponsor.origin,
    MUTATION_TIMEOUT_MS: String(mutationMs),
  });
});

afterEach(async () => {
  // The gateway waits for what was dispatched; here it ends with the sponsor.
  for (const each of [sponsor, gateway, ledger]) await each[Symbol.asyncDispose]();
});

const reserved: ScriptedAnswer = {
  body: '{"result":{"sponsor_address":"0x5","reservation_id":9,"gas_coins":[]},"error":null}',
};
const executed: ScriptedAnswer = { body: JSON.stringify({ effects: sponsorEffects(digest), error: null }) };

/** Holds the response of a path back until `release`. */
function hold(path: string, answer: ScriptedAnswer): () => void {
  let release = () => {};
  sponsor.answer(path, new Promise<ScriptedAnswer>((resolve) => (release = () => resolve(answer))));
  return release;
}

const unheard = () => gateway.log.filter(({ what }) => what === 'unheard-outcome');

const reserve = 'reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { reservationId }';
const execute = 'executeTx(reservationId: "42", txBytes: "AAAA", userSig: "BBBB") { digest outcome }';

interface Answer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { path?: unknown; message: string; extensions: Record<string, unknown> }[] | undefined;
}

/** An open socket; the operation's id is its number. */
async function openSocket() {
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const waiting = new Map<string, (answer: Answer) => void>();
  await new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('open', () => socket.send('{"type":"connection_init"}'));
    socket.once('message', resolve);
  });
  socket.on('message', (data) => {
    const { type, id, payload } = JSON.parse(String(data));
    if (type === 'next') waiting.get(id)?.(payload);
  });
  return {
    socket,
    subscribe: (id: string, query: string) =>
      new Promise<Answer>((resolve) => {
        waiting.set(id, resolve);
        socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query } }));
      }),
  };
}

interface Shell {
  readonly name: string;
  /** Before the sponsor stops responding. */
  prepare(query: string): Promise<unknown>;
  ask(query: string): Promise<Answer>;
}

/** Each caller may use a reservation once. */
const somebodyElse = { authorization: 'Bearer somebody-else' };

/** Every transport; for the listener, first and second sight of a document. */
const shells: readonly Shell[] = [
  { name: 'at first sight', prepare: async () => {}, ask: (query) => gateway.query(query) },
  {
    name: 'at second sight',
    prepare: (query) => gateway.query(query, {}, somebodyElse),
    ask: (query) => gateway.query(query),
  },
  {
    name: 'over a WebSocket',
    prepare: async () => {},
    async ask(query) {
      const { socket, subscribe } = await openSocket();
      const answer = await subscribe('1', query);
      socket.close();
      return answer;
    },
  },
];

/** Earlier requests do not count. */
let [sentBefore, servedBefore] = [0, 0];

async function prepare(query: string, { prepare: run }: Pick<Shell, 'prepare'>): Promise<void> {
  sponsor.answer(reservations, reserved);
  sponsor.answer(executions, executed);
  await run(query);
  [sentBefore, servedBefore] = [sponsor.requests.length, ledger.served];
}

const sent = () => sponsor.requests.slice(sentBefore).map(({ path }) => path);
const served = () => ledger.served - servedBefore;

describe('the timeout of a mutation covers all its fields', () => {
  const plans: readonly (readonly [string, string])[] = [
    ['compiled', `mutation { a: ${reserve} b: ${execute} c: ${reserve} d: ${execute} }`],
    [
      'with a directive',
      `mutation { a: ${reserve} ... @include(if: true) { b: ${execute} c: ${reserve} d: ${execute} } }`,
    ],
    ['beside the ledger’s', `mutation { a: ${reserve} b: ${execute} c: ${reserve} d: ${execute} pay(amount: 1) }`],
  ];
  it.each(plans)(
    '%s: a field that has not begun at the timeout is not begun and reports this, over every transport',
    async (_, query) => {
      for (const shell of shells) await prepare(query, shell);
      sponsor.answer(reservations, 'silence');
      sponsor.answer(executions, 'silence');
      const answers = await whenTimeIsOver(
        mutationMs,
        () => sent().length === shells.length,
        () => Promise.all(shells.map(({ ask }) => ask(query))),
      );
      for (const [index, { data, errors = [] }] of answers.entries()) {
        const name = shells[index]?.name;
        expect([name, ...Object.values(data ?? {}).filter((value) => value !== null)]).toEqual([name]);
        const [a, ...others] = errors;
        expect([name, a?.extensions]).toEqual([
          name,
          { code: 'UPSTREAM_TIMEOUT', retry: 'backoff', upstream: 'sponsor' },
        ]);
        expect(others.length, name).toBeGreaterThanOrEqual(3);
        for (const { message, extensions } of others) {
          expect(extensions, name).toMatchObject({ code: 'REQUEST_TIMEOUT' });
          expect(message, name).toMatch(/nothing was sent/);
        }
        expect(others[0], name).toMatchObject({
          message: expect.stringMatching(/The reservation is unused\.$/),
          extensions: { digest, reservationId: '42' },
        });
      }
      expect([sent(), served()]).toEqual([shells.map(() => reservations), 0]);
    },
  );

  it('cancels the reads behind its fields', async () => {
    sponsor.answer(executions, executed);
    ledger.manner = () => 'held';
    const query = `mutation { ${execute} pay(amount: 1) again: ${execute} }`;
    const answer = await whenTimeIsOver(
      mutationMs,
      () => ledger.waiting === 1,
      () => gateway.query(query),
    );
    expect(answer.data).toMatchObject({ executeTx: { digest, outcome: 'EXECUTED' }, pay: null, again: null });
    expect(answer.errors?.map(({ path, extensions }) => [path?.[0], extensions.code])).toEqual([
      ['pay', 'UPSTREAM_TIMEOUT'],
      ['again', 'REQUEST_TIMEOUT'],
    ]);
    expect([sent(), ledger.cutShort]).toEqual([[executions], 0]);
    ledger.release();
    await until(() => ledger.served === 1, 'the ledger is heard to the end');
  });
});

describe('a dispatched mutation is never cancelled', () => {
  it.each(shells)(
    '$name: the response arrives in time, the execution continues, its outcome is logged',
    async (shell) => {
      const query = `mutation { ${execute} }`;
      await prepare(query, shell);
      const release = hold(executions, executed);
      const { data, errors } = await whenTimeIsOver(
        mutationMs,
        () => sent().length === 1,
        () => shell.ask(query),
      );
      expect(data).toEqual({ executeTx: null });
      expect(errors?.[0]?.extensions).toEqual({
        code: 'EXECUTION_OUTCOME_UNKNOWN',
        retry: 'look-up',
        upstream: 'sponsor',
        digest,
        reservationId: '42',
        checkAfterMs: 5_000,
      });
      release();
      await until(() => unheard().length > 0, 'the outcome is logged');
      expect(unheard()).toMatchObject([{ endpoint: 'executeTx', text: 'Executed.', digest, reservationId: '42' }]);
      expect(sent()).toEqual([executions]);
    },
  );

  it.each(shells)('$name: a mutation of the ledger continues too', async (shell) => {
    const query = 'mutation { pay(amount: 1) }';
    await prepare(query, shell);
    ledger.manner = () => 'held';
    const { errors } = await whenTimeIsOver(
      mutationMs,
      () => ledger.waiting === 1,
      () => shell.ask(query),
    );
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UPSTREAM_TIMEOUT']);
    expect([ledger.waiting, ledger.cutShort]).toEqual([1, 0]);
    ledger.release();
    await until(() => served() === 1, 'the ledger is heard to the end');
  });
});

interface Leaving extends Pick<Shell, 'prepare'> {
  readonly how: string;
  /** Sends the request; the returned function disconnects. */
  begin(query: string): Promise<() => Promise<unknown>>;
}

async function beginOverHttp(query: string, how: 'closing' | 'resetting') {
  const client = await openRawClient(Number(new URL(gateway.url).port));
  await client.send(toPostText({ query }));
  return async () => client.vanish(how);
}

const leaving: readonly Leaving[] = [
  {
    how: 'closes the connection',
    prepare: async () => {},
    begin: (query) => beginOverHttp(query, 'closing'),
  },
  {
    how: 'resets the connection, the document seen before',
    prepare: (query) => gateway.query(query, {}, somebodyElse),
    begin: (query) => beginOverHttp(query, 'resetting'),
  },
  {
    how: 'breaks off the WebSocket',
    prepare: async () => {},
    async begin(query) {
      const { socket, subscribe } = await openSocket();
      void subscribe('1', query);
      return () => new Promise((resolve) => socket.once('close', resolve).terminate());
    },
  },
  {
    how: 'completes the operation on the WebSocket',
    prepare: async () => {},
    async begin(query) {
      const { socket, subscribe } = await openSocket();
      void subscribe('1', query);
      // A pong proves that earlier messages were read.
      return () =>
        new Promise((resolve) => {
          socket.send('{"id":"1","type":"complete"}');
          socket.once('pong', resolve).ping();
        });
    },
  },
];

describe('a client that disconnects', () => {
  it.each(leaving)('and $how begins nothing more, and cancels nothing', async ({ begin, prepare: run }) => {
    const query = `mutation { a: ${execute} b: ${reserve} pay(amount: 1) }`;
    await prepare(query, { prepare: run });
    const release = hold(executions, executed);
    const leave = await begin(query);
    await until(() => sent().length === 1, 'the execution has arrived');
    await leave();
    // The instance that serves this has applied that.
    await gateway.query('{ gateway { version } }');
    release();
    await until(() => unheard().length === 1, 'the outcome is logged');
    expect(unheard()).toMatchObject([{ endpoint: 'executeTx', status: 200, text: 'Executed.', digest }]);
    sponsor.answer('/', { body: '"OK"' });
    expect((await gateway.query('{ sponsor { health } }')).data).toEqual({ sponsor: { health: 'OK' } });
    expect([sent(), served()]).toEqual([[executions, '/'], 0]);
  });
});

describe('a stopping gateway', () => {
  it('finishes dispatched mutations, begins no others, and reports this', async () => {
    const release = hold(executions, executed);
    const asked = gateway.query(`mutation { a: ${execute} b: ${reserve} pay(amount: 1) }`);
    await until(() => sent().length === 1, 'the execution has arrived');
    const { socket } = await openSocket();
    const isSocketClosed = once(socket, 'close');
    const closed = gateway.close();
    await isSocketClosed;
    release();
    const { data, errors } = await asked;
    expect(data).toEqual({ a: { digest, outcome: 'EXECUTED' }, b: null, pay: null });
    expect(errors?.map(({ message, extensions }) => [extensions.code, message])).toEqual([
      ['UNAVAILABLE', expect.stringMatching(/gateway is stopping, nothing was sent/)],
      ['UNAVAILABLE', expect.stringMatching(/gateway is stopping, nothing was sent/)],
    ]);
    await closed;
    expect([sent(), ledger.served]).toEqual([[executions], 0]);
  });

  it('waits for executions that continue after their response', async () => {
    const release = hold(executions, executed);
    const { errors } = await whenTimeIsOver(
      mutationMs,
      () => sent().length === 1,
      () => gateway.query(`mutation { ${execute} }`),
    );
    expect(errors?.[0]?.extensions.code).toBe('EXECUTION_OUTCOME_UNKNOWN');
    const closed = gateway.close();
    release();
    await closed;
    expect(unheard()).toMatchObject([{ text: 'Executed.', digest, reservationId: '42' }]);
  });
});
