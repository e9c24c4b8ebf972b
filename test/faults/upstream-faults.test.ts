import { describe, type ExpectStatic, test } from 'vitest';
import { WebSocket } from 'ws';
import { type FaultyLedger, type Manner, startFaultyLedger } from '../support/faulty-ledger.ts';
import { inTurns } from '../support/in-turns.ts';
import { countConnections } from '../support/process-sockets.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { until } from '../support/until.ts';

/** A gateway before a ledger, and a client for it. */
interface World extends AsyncDisposable {
  readonly ledger: FaultyLedger;
  readonly gateway: SpawnedGateway;
  ask(query: string, variables?: object): Promise<Answer>;
}

async function startWorld(timeoutMs: number): Promise<World> {
  const ledger = await startFaultyLedger();
  const gateway = await spawnGateway({
    LEDGER_GRAPHQL_URL: ledger.url,
    REQUEST_TIMEOUT_MS: String(timeoutMs),
    MUTATION_TIMEOUT_MS: String(timeoutMs),
  });
  return {
    ledger,
    gateway,
    async ask(query, variables = {}) {
      const response = await fetch(gateway.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      return (await response.json()) as Answer;
    },
    async [Symbol.asyncDispose]() {
      for (const each of [gateway, ledger]) await each[Symbol.asyncDispose]();
    },
  };
}

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly { readonly path: unknown; readonly extensions: Record<string, unknown> }[];
}

/** One socket for all operations sent through it. */
async function openSocket(
  url: string,
): Promise<{ ask(query: string, variables: object): Promise<Answer>; close(): void }> {
  const waiting = new Map<string, (answer: Answer) => void>();
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws');
  await new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('open', () => socket.send('{"type":"connection_init"}'));
    socket.once('message', resolve);
  });
  socket.on('message', (data) => {
    const { type, id, payload } = JSON.parse(String(data));
    if (type === 'next') waiting.get(id)?.(payload);
  });
  let next = 0;
  return {
    ask: (query, variables) =>
      new Promise((resolve) => {
        const id = String(next++);
        waiting.set(id, resolve);
        socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query, variables } }));
      }),
    close: () => socket.close(),
  };
}

/** Repeats until the response has no errors. */
async function untilServed(askOnce: () => Promise<Answer>): Promise<Answer> {
  let answer = await askOnce();
  await until(
    async () => {
      if (answer.errors) answer = await askOnce();
      return !answer.errors;
    },
    () => `still ${JSON.stringify(answer)}`,
    60_000,
  );
  return answer;
}

/** The response, with errors reduced to path and code. */
function outline({ data, errors }: Answer) {
  return { data, errors: errors?.map(({ path, extensions: { code, upstream } }) => [path, code, upstream]) };
}

const epoch = 'query Epoch($id: Int) { epoch(id: $id) { epochId } }';
const mixed = 'query Mixed($id: Int) { epoch(id: $id) { epochId } gateway { networkProfile } }';
const events = 'query Events($after: Int) { events(first: 300, after: $after) { id json } }';
const payment = 'mutation Pay($amount: Int!) { pay(amount: $amount) }';
const own = { gateway: { networkProfile: 'ledger' } };

// Concurrent tests each have their own `expect`, which assigns assertions to the right test.
async function expectLedgersFieldsToFail(
  manner: Manner,
  code: string,
  timeoutMs: number,
  expect: ExpectStatic,
): Promise<void> {
  await using world = await startWorld(timeoutMs);
  const { ledger, gateway, ask } = world;
  const sockets = await inTurns(1, 1, () => openSocket(gateway.url));
  const socketFor = (number: number) => sockets[number % sockets.length]!;
  for (const query of [epoch, mixed, events]) await untilServed(() => ask(query));
  ledger.manner = () => manner;

  const failed = (...keys: string[]) => keys.map((key) => [[key], code, 'ledger']);
  const ways: readonly ((id: number) => Promise<[answer: Answer, right: object]>)[] = [
    async (id) => [await ask(epoch, { id }), { data: { epoch: null }, errors: failed('epoch') }],
    async (id) => [await ask(mixed, { id }), { data: { epoch: null, ...own }, errors: failed('epoch') }],
    async (id) => [
      await ask(`{ e${id}: epoch { epochId } }`),
      { data: { [`e${id}`]: null }, errors: failed(`e${id}`) },
    ],
    async (after) => [await ask(events, { after }), { data: null, errors: failed('events') }],
    async (amount) => [await ask(payment, { amount }), { data: { pay: null }, errors: failed('pay') }],
    async (id) => [await socketFor(id).ask(mixed, { id }), { data: { epoch: null, ...own }, errors: failed('epoch') }],
    async () => [await ask('{ gateway { networkProfile } }'), { data: own, errors: undefined }],
  ];
  // More at once than there are ledger connections, so that some fail while they wait for one.
  const answers = await inTurns(180, 180, (index) => ways[index % ways.length]!(index));
  expect(answers.map(([answer]) => outline(answer))).toEqual(answers.map(([, right]) => right));

  ledger.manner = () => 'whole';
  expect(await untilServed(() => ask(mixed, { id: 9 }))).toEqual({ data: { epoch: { epochId: 9 }, ...own } });
  expect(await untilServed(() => socketFor(8).ask(epoch, { id: 8 }))).toEqual({ data: { epoch: { epochId: 8 } } });
  for (const socket of sockets) socket.close();
  await expectNoConnections(expect, gateway, ledger.port);
}

describe('a ledger that breaks its connections costs its own fields alone, and leaves nothing behind:', () => {
  const code = 'UPSTREAM_UNAVAILABLE';
  const timeoutMs = 120_000;

  test.concurrent.for<[what: string, manner: Manner]>([
    ['closes them in the middle of every answer', 'closed-midway'],
    ['resets them in the middle of every answer', 'reset-midway'],
    ['resets them all', 'reset'],
  ])('a ledger that %s', ([, manner], { expect }) => expectLedgersFieldsToFail(manner, code, timeoutMs, expect));
});

// After the others, so that nothing but these few requests keeps the processes busy until the timeout.
describe('a ledger that hangs costs its own fields alone, and leaves nothing behind:', () => {
  const code = 'UPSTREAM_TIMEOUT';
  const timeoutMs = 10_000;

  test.concurrent.for<[what: string, manner: Manner]>([
    ['before every answer', 'held'],
    ['in the middle of every answer', 'half'],
  ])('a ledger that hangs %s', ([, manner], { expect }) => expectLedgersFieldsToFail(manner, code, timeoutMs, expect));
});

/** Idle connections are closed after a while; what is left then would stay for ever. */
async function expectNoConnections(expect: ExpectStatic, gateway: SpawnedGateway, port: number): Promise<void> {
  await until(
    () => countConnections(gateway.pid, port) === 0,
    () => `${countConnections(gateway.pid, port)} connections to the upstream are left`,
    60_000,
  );
  expect(gateway.complaints()).toEqual([]);
  expect(gateway.cli.child.exitCode).toBeNull();
}
