import { GraphQLSchema } from 'graphql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ChangingLedger, startChangingLedger } from '../support/changing-ledger.ts';
import { countLiveObjects } from '../support/count-live-objects.ts';
import { type ScriptedSponsor, startScriptedSponsor } from '../support/scripted-sponsor.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

let ledger: ChangingLedger;
let sponsor: ScriptedSponsor;
let gateway: TestGateway;

beforeEach(async () => {
  ledger = await startChangingLedger();
  sponsor = await startScriptedSponsor();
  sponsor.answer('/', { body: '"OK"' });
  gateway = await createTestGateway({
    LEDGER_GRAPHQL_URL: ledger.url,
    SPONSOR_URL: sponsor.origin,
    SPONSOR_TOKEN: 'secret',
    SPONSOR_ALLOW_ANONYMOUS: 'true',
    CORS_ORIGINS: 'https://dapp.example',
    SCHEMA_POLL_MS: '20',
    LOG_LEVEL: 'warn',
  });
});

afterEach(async () => {
  await gateway.close();
  await ledger[Symbol.asyncDispose]();
  await sponsor[Symbol.asyncDispose]();
});

/** Changes the ledger's schema and waits until the gateway serves it. */
async function swapTo(generation: number): Promise<void> {
  ledger.change(generation);
  await until(
    async () => {
      const { data } = await gateway.query('{ __type(name: "Epoch") { fields { name } } }');
      return data.__type.fields.some(({ name }: { name: string }) => name === `generation${generation}`);
    },
    `schema ${generation} is in force`,
    60_000,
  );
}

const rejections = () => gateway.log.filter(({ msg }) => /new schema is rejected/.test(String(msg))).length;

/** Adds a root field that the gateway has too, and waits until the gateway rejects that schema. */
async function collide(generation: number): Promise<void> {
  const before = rejections();
  ledger.change(generation, 'sponsor: Int');
  await until(() => rejections() > before, `schema ${generation} is rejected`);
  const { data } = await gateway.query('{ __type(name: "Epoch") { fields { name } } }');
  expect(data.__type.fields).not.toContainEqual({ name: `generation${generation}` });
}

/** Sends operations over every transport until stopped; resolves with unexpected responses. */
function startLoad(clients: number): { stop(): Promise<{ requests: number; wrong: string[] }> } {
  let isOver = false;
  let requests = 0;
  const wrong: string[] = [];
  const ways: readonly ((number: number) => Promise<[answer: unknown, right: unknown]>)[] = [
    async (id) => {
      const { data, errors } = await gateway.query('query ($id: Int) { epoch(id: $id) { epochId } }', { id });
      return [{ data, errors }, { data: { epoch: { epochId: id } } }];
    },
    async (id) => {
      const { data, errors } = await gateway.query(`{ e${id}: epoch(id: ${id}) { epochId } }`);
      return [{ data, errors }, { data: { [`e${id}`]: { epochId: id } } }];
    },
    async (id) => {
      const query = 'query ($id: Int) { epoch(id: $id) { epochId } sponsor { health } gateway { networkProfile } }';
      const { data, errors } = await gateway.query(query, { id });
      const right = { epoch: { epochId: id }, sponsor: { health: 'OK' }, gateway: { networkProfile: 'ledger' } };
      return [{ data, errors }, { data: right }];
    },
    async () => {
      const { data, errors } = await gateway.query('{ gateway { networkProfile } }');
      return [{ data, errors }, { data: { gateway: { networkProfile: 'ledger' } } }];
    },
  ];
  const client = async () => {
    while (!isOver) {
      const number = requests;
      requests += 1;
      const [answer, right] = await ways[number % ways.length]!(number);
      if (JSON.stringify(answer) !== JSON.stringify(right)) wrong.push(JSON.stringify(answer));
    }
  };
  const all = Promise.all(Array.from({ length: clients }, client));
  return {
    async stop() {
      isOver = true;
      await all;
      return { requests, wrong };
    },
  };
}

test('ten generations under load: additions appear, colliding schemas are rejected, no request fails', async () => {
  const load = startLoad(4);
  for (let generation = 1; generation <= 10; generation += 1) {
    if (generation % 5 === 0) await collide(generation);
    await swapTo(generation);
  }
  const { requests, wrong } = await load.stop();
  expect(wrong).toEqual([]);
  expect(requests).toBeGreaterThan(40);
  const changes = gateway.log.filter(({ msg }) => msg === 'a new schema is in force');
  expect(changes).toHaveLength(10);
  // The field that two types lose is a breaking change.
  const safe = expect.arrayContaining(['safe: Epoch.generation10 was added.']);
  expect(changes.at(-1)).toMatchObject({ breaking: 2, dangerous: 0, safe: 2, changes: safe });
  const errors = gateway.log.filter(({ level }) => level === 'error');
  expect(errors).toHaveLength(rejections());
  expect(errors[0]).toMatchObject({
    faults: ['query field sponsor: the gateway has its own, and the ledger has one too'],
  });
});

const emptyType = (types: { name: string; fields?: unknown[] }[]) => {
  types.push({ ...types.find(({ name }) => name === 'Object'), name: 'Unused', fields: [] });
};

test('a schema that is not valid is rejected and named, and no request fails', async () => {
  await swapTo(1);
  const load = startLoad(2);
  const before = rejections();
  ledger.spoil(2, emptyType);
  await until(() => rejections() > before, 'the schema is rejected');
  const faults = ['type Unused: it has no fields'];
  expect(gateway.log).toContainEqual(expect.objectContaining({ level: 'error', faults }));
  expect(await (await fetch(`${gateway.url}/health/ready`)).json()).toMatchObject({
    status: 'ready',
    rejectedSchema: faults,
  });
  const { data } = await gateway.query('{ gateway { capabilities { name available reason } } }');
  expect(data.gateway.capabilities).toContainEqual({ name: 'ledgerSchema', available: false, reason: faults[0] });
  await swapTo(3);
  expect(await (await fetch(`${gateway.url}/health/ready`)).json()).not.toHaveProperty('rejectedSchema');
  expect((await load.stop()).wrong).toEqual([]);
});

test('a schema that is not valid at the start is served without its invalid parts', async () => {
  ledger.spoil(1, emptyType);
  await using started = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url });
  expect((await started.query('{ epoch { epochId generation1 } }')).data).toEqual({
    epoch: { epochId: 7, generation1: 1 },
  });
  expect(started.log).toContainEqual(
    expect.objectContaining({ msg: "parts of the ledger's schema are not valid; the others are served" }),
  );
});

test('earlier and rejected generations are garbage collected', async () => {
  /** Nothing is sent while objects are counted: this takes seconds on a busy machine, in which idle connections expire. */
  const swapUnderLoad = async (from: number, to: number) => {
    const load = startLoad(4);
    for (let generation = from; generation <= to; generation += 1) {
      if (generation % 5 === 0) await collide(generation);
      await swapTo(generation);
    }
    await load.stop();
    // Yoga keeps the schema of its last operation.
    await gateway.query('query ($id: Int) { epoch(id: $id) { epochId } gateway { networkProfile } }', { id: 1 });
  };
  await swapUnderLoad(1, 5);
  const schemasBefore = countLiveObjects(GraphQLSchema);
  // Expired connections close in the next turns, so nothing may be sent over them.
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  await swapUnderLoad(6, 12);
  // Collected when the engine finds the time. Each count takes a second or more.
  const counts = { timeout: 90_000, interval: 1_000 };
  await expect.poll(() => countLiveObjects(GraphQLSchema), counts).toBeLessThanOrEqual(schemasBefore);
});

test('an operation in flight finishes on the schema it began with, under every plan', async () => {
  await swapTo(1);
  const text = (alias: string, rest = '') => `query ($id: Int) { ${alias}: epoch(id: $id) { generation1 } ${rest} }`;
  const ways = [text('forwarded'), text('mixed', 'gateway { networkProfile }'), '{ unseen: epoch { generation1 } }'];
  for (const query of ways.slice(0, 2)) await gateway.query(query);

  ledger.holds = (query) => query.includes('generation1');
  const answers = ways.map((query, id) => gateway.query(query, query.includes('$id') ? { id } : undefined));
  await until(() => ledger.held === ways.length, 'all of them wait for the ledger');
  await swapTo(2);
  ledger.release();
  const own = { gateway: { networkProfile: 'ledger' } };
  expect((await Promise.all(answers)).map(({ data, errors }) => ({ data, errors }))).toEqual([
    { data: { forwarded: { generation1: 1 } } },
    { data: { mixed: { generation1: 1 }, ...own } },
    { data: { unseen: { generation1: 1 } } },
  ]);

  // New operations use the schema in force. Those of the ledger's fields alone, the ledger itself validates.
  const { data, errors } = await gateway.query(ways[1] ?? '');
  expect(data).toBeUndefined();
  expect(errors?.[0]).toMatchObject({
    message: 'Cannot query field "generation1" on type "Epoch". Did you mean "generation2"?',
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });
});

test('a join whose root field is gone leaves the graph and breaks nothing else', async () => {
  const coin = { objectId: `0x${'1'.repeat(64)}`, version: 3, digest: '1'.repeat(44) };
  const result = { sponsor_address: `0x${'2'.repeat(64)}`, reservation_id: 1, gas_coins: [coin] };
  sponsor.answer('/v1/reserve_gas', { body: JSON.stringify({ result, error: null }) });
  const reserve = (selection: string) =>
    gateway.query(`mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { gasCoins { ${selection} } } }`);
  const join = async () => {
    const { data } = await gateway.query('{ gateway { capabilities { name available reason } } }');
    return data.gateway.capabilities.find(({ name }: { name: string }) => name === 'join:ReservedGasCoin.object');
  };
  const load = startLoad(2);

  ledger.change(0, 'first: Object');
  await until(async () => !(await join()).available, 'the join has left the graph');
  const reason = 'The ledger has no root field object.';
  expect((await join()).reason).toBe(reason);
  expect(gateway.log).toContainEqual(
    expect.objectContaining({
      lostJoins: ['ReservedGasCoin', 'SponsoredObjectRef'].map((type) => `join:${type}.object: ${reason}`),
    }),
  );
  expect((await reserve('objectId')).data).toEqual({ reserveGas: { gasCoins: [{ objectId: coin.objectId }] } });
  expect((await reserve('object { address }')).errors?.[0]).toMatchObject({
    message: expect.stringContaining('Cannot query field "object" on type "ReservedGasCoin".'),
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });

  ledger.change(0);
  await until(async () => (await join()).available, 'the join is back');
  expect((await reserve('object { address }')).data).toEqual({
    reserveGas: { gasCoins: [{ object: { address: coin.objectId } }] },
  });
  expect((await load.stop()).wrong).toEqual([]);
});

test('a join in flight uses the schema its operation began with', async () => {
  await swapTo(1);
  const coin = { objectId: `0x${'1'.repeat(64)}`, version: 3, digest: '1'.repeat(44) };
  const result = { sponsor_address: `0x${'2'.repeat(64)}`, reservation_id: 1, gas_coins: [coin] };
  let send = (_body: string) => {};
  sponsor.answer('/v1/reserve_gas', new Promise((resolve) => (send = (body) => resolve({ body }))));
  const asked = sponsor.nextRequest();
  const answer = gateway.query(`mutation {
    reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { gasCoins { object { address generation1 } } }
  }`);
  await asked;
  await swapTo(2);
  send(JSON.stringify({ result, error: null }));
  const { data, errors } = await answer;
  expect({ data, errors }).toEqual({
    data: { reserveGas: { gasCoins: [{ object: { address: coin.objectId, generation1: 1 } }] } },
  });
});
