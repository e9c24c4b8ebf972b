import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { gatewayError } from '../../src/errors/gateway-error.ts';
import { type SponsorVerdict, toExecutionPace } from '../../src/sponsor/execution/execution-order.ts';
import { createExecutions } from '../../src/sponsor/execution/executions.ts';
import { createReservations } from '../../src/sponsor/reservations.ts';
import { InconclusiveResponse } from '../../src/sponsor/sponsor-refusal.ts';
import { createMemoryStore } from '../../src/sponsor/store/memory-store.ts';
import { dayMs } from '../../src/sponsor/store/sponsorship-store.ts';
import { createCancellation } from '../../src/upstream/cancellation.ts';
import { untilNothingIsLeft } from '../support/count-live-objects.ts';
import { type FaultyLedger, startFaultyLedger } from '../support/faulty-ledger.ts';
import { inTurns } from '../support/in-turns.ts';
import { openWebSocket } from '../support/open-websocket.ts';
import { openRawClient, toPostText } from '../support/raw-client.ts';
import { allowanceOf } from '../support/sponsorship-flow.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { toTestPolicy } from '../support/test-policy.ts';
import { until } from '../support/until.ts';

const lane = 'query Epoch($id: Int) { epoch(id: $id) { epochId } }';
const own = 'query Own { gateway { networkProfile } }';
const split = 'query Mixed($id: Int) { epoch(id: $id) { epochId } gateway { networkProfile } }';
const pay = 'mutation Pay($amount: Int!) { pay(amount: $amount) }';
const long = 'query Events($first: Int!, $after: Int) { events(first: $first, after: $after) { id json } }';

/** Operations of each kind in a round. */
const count = 20;

interface Setting {
  readonly gateway: TestGateway;
  readonly ledger: FaultyLedger;
  readonly port: number;
}

let clients = 0;

/** A client address, and an id that only its operation has: data kept by either would be kept once for each operation. */
function nextClient() {
  clients += 1;
  return {
    headers: { 'x-forwarded-for': `10.${(clients >> 16) & 255}.${(clients >> 8) & 255}.${clients & 255}` },
    id: clients,
  };
}

/** Every other operation names a missing operation, and every third has an undeclared variable. */
function toOperation(query: string, id: number) {
  const invented = `Invented${id}_${'x'.repeat(2_000)}`;
  return {
    query,
    variables: { id, amount: id, first: 2, ...(id % 3 === 0 && { [invented]: 1 }) },
    ...(id % 2 === 1 && { operationName: invented }),
  };
}

async function exchange(port: number, text: string): Promise<string> {
  const client = await openRawClient(port);
  await client.send(text);
  return client.whole();
}

function post({ port }: Setting, body: object, headers: Readonly<Record<string, string>>): Promise<string> {
  return exchange(port, toPostText(body, { connection: 'close', ...headers }));
}

/** The ledger holds its responses back, and every client disconnects while it waits. */
async function leaveWaiting({ ledger, port }: Setting, manner: 'held' | 'half', query: string): Promise<void> {
  ledger.manner = () => manner;
  const waiting = await inTurns(count, count, async () => {
    const { headers, id } = nextClient();
    const client = await openRawClient(port);
    await client.send(toPostText({ query, variables: { id, amount: id, first: 300, after: id } }, headers));
    return client;
  });
  await until(
    () => ledger.waiting === count,
    () => `${ledger.waiting} calls wait`,
  );
  for (const [index, client] of waiting.entries()) client.vanish(index % 2 === 0 ? 'closing' : 'resetting');
  // Mutations run on.
  if (query === pay) ledger.release();
  await until(
    () => ledger.waiting === 0,
    () => `${ledger.waiting} calls go on`,
  );
  ledger.manner = () => 'whole';
}

type Way = 'answered' | 'completed' | 'refused' | 'in half a message' | 'before its greeting';

async function comeAndGoOverWebSocket({ gateway }: Setting, query: string, way: Way): Promise<void> {
  const { headers, id } = nextClient();
  const client = await openWebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, headers);
  const subscribe = (name: string, payload: object) => client.send({ id: name, type: 'subscribe', payload });
  const untilEnded = (ended: number) =>
    until(() => client.messages.filter(({ type }) => type === 'complete' || type === 'error').length === ended, way);
  if (way !== 'before its greeting') {
    client.send({ type: 'connection_init', payload: { [`x-${id}`]: 'unknown' } });
    await until(() => client.messages.length > 0, 'an acknowledgement');
  }
  if (way === 'answered') {
    subscribe('small', { query, variables: { id } });
    subscribe('large', { query, variables: { id, padding: 'x'.repeat(20_000) } });
    await untilEnded(2);
  } else if (way === 'completed') {
    subscribe('left', { query, variables: { id } });
    client.send({ id: 'left', type: 'complete' });
    subscribe('last', toOperation(own, 2));
    await untilEnded(1);
  } else if (way === 'refused') {
    subscribe('unknown', toOperation(query, 1));
    subscribe('invalid', { query: '{ nothing }', variables: { id } });
    await untilEnded(2);
  } else if (way === 'in half a message') client.socket.send('{"id":"1","type":"subscribe"', { fin: false });
  if (id % 2 === 0) client.socket.terminate();
  else client.socket.close();
  await client.closed;
}

const atATime = 10;

/** What clients do, and what becomes of it. */
const courses: Readonly<Record<string, (setting: Setting) => Promise<unknown>>> = {
  'answers by every plan': (setting) =>
    inTurns(count, atATime, async () => {
      for (const query of [lane, own, split, pay, long]) {
        const { headers, id } = nextClient();
        expect(await post(setting, toOperation(query, id), headers)).toMatch(/^HTTP\/1.1 200 /);
      }
    }),
  'large bodies': (setting) =>
    inTurns(count, atATime, async () => {
      const { headers, id } = nextClient();
      const variables = { id, padding: 'x'.repeat(40_000) };
      expect(await post(setting, { query: lane, variables }, headers)).toMatch(/^HTTP\/1.1 200 /);
    }),
  rejections: (setting) =>
    inTurns(count, atATime, async () => {
      const { headers, id } = nextClient();
      expect(await post(setting, { query: '{ nothing }', variables: { id } }, headers)).toContain('"errors"');
      const head = `HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx-forwarded-for: ${headers['x-forwarded-for']}\r\n`;
      for (const text of [
        `GET /nothing ${head}\r\n`,
        `POST /graphql ${head}content-type: application/json\r\ncontent-length: 3\r\n\r\n{x}`,
        `POST /graphql ${head}content-type: application/json\r\ncontent-length: 9999999\r\n\r\n`,
        'NONSENSE\r\n\r\n',
      ])
        expect(await exchange(setting.port, text)).toMatch(/^HTTP\/1.1 4\d\d /);
    }),
  'clients that disconnect during their body': ({ port }) =>
    inTurns(count, count, async (index) => {
      const client = await openRawClient(port);
      const expecting = { expect: '100-continue', ...nextClient().headers };
      const text = toPostText({ query: lane, variables: { padding: 'x'.repeat(40_000) } }, expecting);
      const [head = '', body = ''] = text.split(/(?<=\r\n\r\n)/);
      await client.send(head);
      await client.receive(/^HTTP\/1.1 100 Continue/);
      await client.send(body.slice(0, 20_000));
      client.vanish(index % 2 === 0 ? 'closing' : 'resetting');
    }),
  'clients that disconnect in the lane': (setting) => leaveWaiting(setting, 'held', lane),
  'clients that disconnect from a split operation': (setting) => leaveWaiting(setting, 'held', split),
  'clients that disconnect from a mutation': (setting) => leaveWaiting(setting, 'held', pay),
  'clients that disconnect in a streamed response': (setting) => leaveWaiting(setting, 'half', long),
  'a ledger that breaks off': async (setting) => {
    for (const manner of ['reset', 'closed-midway', 'reset-midway'] as const) {
      setting.ledger.manner = () => manner;
      await inTurns(count, atATime, (index) => {
        const { headers, id } = nextClient();
        const variables = { id, first: 100, after: id };
        return post(setting, { query: index % 2 === 0 ? split : long, variables }, headers);
      });
    }
    setting.ledger.manner = () => 'whole';
  },
  WebSockets: (setting) =>
    inTurns(count, atATime, async (index) => {
      for (const way of ['answered', 'completed', 'refused', 'in half a message', 'before its greeting'] as const)
        await comeAndGoOverWebSocket(setting, index % 2 === 0 ? lane : split, way);
    }),
};

test('twenty operations of every kind, with every end, leave no object behind', { timeout: 600_000 }, async () => {
  await using ledger = await startFaultyLedger();
  // A short timeout that nothing clears would expire before it is looked for.
  const patience = { REQUEST_TIMEOUT_MS: '600000', MUTATION_TIMEOUT_MS: '600000' };
  await using gateway = await createTestGateway({
    LEDGER_GRAPHQL_URL: ledger.url,
    SCHEMA_POLL_MS: '0',
    TRUSTED_PROXIES: '127.0.0.1',
    ...patience,
  });
  const setting = { gateway, ledger, port: Number(new URL(gateway.url).port) };
  const countResources = () => {
    const kinds = process.getActiveResourcesInfo();
    return ['TCPSocketWrap', 'Timeout'].map((kind) => kinds.filter((each) => each === kind).length);
  };
  await untilNothingIsLeft(count, async () => {
    for (const take of Object.values(courses)) await take(setting);
    await until(
      () => countResources().every((active) => active === 0),
      () => `no connection and no timer; there are ${countResources()}`,
    );
    // Log lines kept by the test do not belong to the gateway.
    gateway.log.length = 0;
  });
});

const refusal = gatewayError('SPONSOR_REJECTED', 'no');
const lostAnswer = gatewayError(
  'EXECUTION_OUTCOME_UNKNOWN',
  'lost',
  {},
  { originalError: new InconclusiveResponse('?') },
);

/** How the sponsor answers a call of `reserveGas`. */
const reserveEnds = [null, null, null, null, refusal, lostAnswer];
/** How it answers a call of `executeTx`; `null`: its answer is lost, and the client times out. */
const executeEnds: readonly (SponsorVerdict | null)[] = [
  { event: 'executed', succeeded: true, gasUsed: 7, effects: { effects: null, rawEffects: {} } },
  { event: 'refused', error: refusal },
  { event: 'unsent', error: refusal },
  { event: 'lost', error: lostAnswer, isOver: true },
  null,
];

test('sponsorships of many callers, with every end, leave nothing behind two days later', async () => {
  let nowMs = Date.UTC(2026, 0, 31, 12);
  let callers = 0;
  const store = createMemoryStore();
  const world = { store, isStoreNeeded: true, audit() {}, fault() {}, now: () => nowMs };
  const reservations = createReservations({ ...world, leases: null, maxOpenReservations: null, answerMs: 1_000 });
  const found = new Set<string>();
  const ledger = {
    canFind: () => true,
    find: async (digest: string) => (found.has(digest) ? { gasUsed: 5 } : null),
    isDead: async () => false,
  };
  const pace = toExecutionPace(1_000);
  const executions = createExecutions({ ...world, ledger, clock: () => nowMs, pace }, { turnMs: 2 ** 31 - 1 });
  const lookUp = async (times: number, everyMs: number) => {
    for (let time = 0; time < times; time += 1) {
      nowMs += everyMs;
      executions.turn();
      await nextTurn();
    }
  };

  const sponsor = async (index: number) => {
    callers += 1;
    const holder = `caller ${callers}`;
    const reservationId = String(callers);
    const idempotencyKey = index % 2 === 0 ? null : `key ${callers}`;
    const error = reserveEnds[index % reserveEnds.length];
    const reserve = () =>
      reservations.reserve({
        ...{ holder, gasBudget: 10, reserveDurationSecs: 60, idempotencyKey, requestId: 'r' },
        ...{ visitor: holder, sender: null },
        spender: { visitor: holder, policy: toTestPolicy({ gas: { perDay: 100 } }, holder) },
        cancellation: createCancellation(),
        async send() {
          await nextTurn();
          if (error) throw error;
          return { rawReservationId: reservationId, sponsorAddress: '0x1', gasCoins: [] };
        },
      });
    // A call with a key has a twin.
    const calls = await Promise.allSettled(idempotencyKey === null ? [reserve()] : [reserve(), reserve()]);
    expect(calls.map(({ status }) => status)).toEqual(calls.map(() => (error ? 'rejected' : 'fulfilled')));
    if (error) return;
    const verdict = executeEnds[Math.floor(index / 2) % executeEnds.length];
    const cancellation = createCancellation();
    const digest = `digest ${callers}`;
    let report = (_: SponsorVerdict) => {};
    const ended = executions.execute(
      {
        subject: {
          ...{ requestId: 'r', caller: holder, leaseId: reservationId, reservationId, digest, idempotencyKey },
          ...{ visitor: holder, sender: null, senderHolds: [] },
          ...{ bodyHash: digest, amount: 10, budget: 10, expiresAtMs: nowMs + 60_000, mustBeKnown: true },
        },
        check: () => null,
        needsReservation: false,
        dispatch: (_, tell) => {
          report = tell;
        },
      },
      cancellation,
    );
    const outcome = ended.catch(() => {});
    await nextTurn();
    report(verdict ?? { event: 'lost', error: lostAnswer, isOver: true });
    if (verdict?.event === 'lost') {
      found.add(digest);
      await lookUp(2, 1_000);
      found.delete(digest);
    } else if (!verdict) cancellation.cancel('timeout');
    await outcome;
  };

  await untilNothingIsLeft(count, async () => {
    for (let index = 0; index < count; index += 1) await sponsor(index);
    expect(process.getActiveResourcesInfo()).not.toContain('Timeout');
    // Executions that stay unknown are looked up for ten minutes.
    await lookUp(40, 30_000);
    nowMs += 2 * dayMs;
    // Each step drops some expired records, and each claim some ended lookups.
    expect(await store.claimOverdue({ most: 1_000, nowMs })).toEqual([]);
    for (let step = 0; step < 10; step += 1) await allowanceOf(store, { key: 'another', perDay: 1 }, nowMs);
  });
  await executions.close();
});
