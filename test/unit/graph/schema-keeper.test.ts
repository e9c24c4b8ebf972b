import { buildSchema, type ExecutionResult, introspectionFromSchema, print } from 'graphql';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { parseConfig } from '../../../src/config/parse-config.ts';
import { shippedLimits } from '../../../src/documents/cost/limits.ts';
import type { LedgerSource, SchemaCache } from '../../../src/graph/schema-cache.ts';
import { type SchemaKeeper, startSchemaKeeper } from '../../../src/graph/schema-keeper.ts';
import { silentLedgerService } from '../../../src/ledger/ledger-service.ts';
import { createOwnSchema } from '../../support/own-schema.ts';

const typeDefs = (fields: string) =>
  `type Query { serviceConfig: ServiceConfig! ${fields} } type ServiceConfig { maxQueryNodes: Int! }`;
const introspect = (fields: string) => introspectionFromSchema(buildSchema(typeDefs(fields)));
const plain = 'chainIdentifier: String! epoch: Int';

type Answer = () => ExecutionResult | Promise<ExecutionResult>;
const down: Answer = () => {
  throw new Error('down');
};
const schemaOf =
  (fields: string): Answer =>
  () => ({ data: { ...introspect(fields) } });
const nodes =
  (maxQueryNodes: number): Answer =>
  () => ({ data: { serviceConfig: { maxQueryNodes } } });

/** A ledger whose answers a test decides, and how often it was looked at. */
const ledger = { schema: schemaOf(plain), service: nodes(100), looks: 0 };
/** What the keeper said, in words. */
let said: string[] = [];
let keeper: SchemaKeeper | undefined;

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(ledger, { schema: schemaOf(plain), service: nodes(100), looks: 0 });
  said = [];
});
afterEach(() => {
  keeper?.stop();
  vi.useRealTimers();
});

async function start({ pollMs = 0, cache = null }: { pollMs?: number; cache?: SchemaCache | null } = {}) {
  const ownSchema = createOwnSchema();
  const reads = vi.spyOn(ownSchema, 'getTypeMap');
  const started = await startSchemaKeeper({
    prepareOn: () => () => null,
    ownSchema,
    execute: async ({ document }) => {
      if (typeof document === 'string') throw new Error('never asked so');
      if (!print(document).includes('__schema')) return ledger.service();
      ledger.looks += 1;
      return ledger.schema();
    },
    names: networkProfiles.ledger.joins,
    config: parseConfig({ env: {}, readFile: () => '' }),
    cache,
    pollMs,
    events: {
      replaced: ({ origin }) => said.push(`replaced from ${origin}`),
      refused: ({ faults }, isServed) => said.push(`${isServed ? 'partly served' : 'refused'}: ${faults}`),
      unavailable: (error) => said.push(String(error)),
    },
  });
  keeper = started;
  reads.mockClear();
  return {
    keeper: started,
    /** Whether our schema was put beside another since the last time this was asked. */
    hasBuilt: () => {
      const { length } = reads.mock.calls;
      reads.mockClear();
      return length > 0;
    },
    maxQueryNodes: () => started.current.limits.maxQueryNodes,
  };
}

/** A cache in memory. */
function createCache(source: LedgerSource | null = null) {
  const written: LedgerSource[] = [];
  return {
    written,
    read: async () => source,
    write: async (next: LedgerSource) => {
      written.push(next);
    },
  };
}

/** An answer that is kept back until it is released. */
function holdBack() {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { release, held };
}

describe('looking at the schema in force', () => {
  it.each([
    ['said as before', plain],
    ['said in another order', 'epoch: Int chainIdentifier: String!'],
  ])('builds nothing when it is %s', async (_, fields) => {
    const { keeper, hasBuilt } = await start({ pollMs: 1_000 });
    const before = keeper.current;
    ledger.schema = schemaOf(fields);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(ledger.looks).toBe(4);
    expect(hasBuilt()).toBe(false);
    expect(keeper.current).toBe(before);
    expect(said).toEqual(['replaced from ledger']);
  });

  it('replaces it when the schema or the limits are others, and keeps that', async () => {
    const cache = createCache();
    const { keeper, hasBuilt, maxQueryNodes } = await start({ cache });
    ledger.schema = schemaOf(`${plain} brandNew: Int`);
    await keeper.refresh();
    expect(hasBuilt()).toBe(true);
    expect(keeper.current.schema.getQueryType()?.getFields()).toHaveProperty('brandNew');
    ledger.service = nodes(50);
    await keeper.refresh();
    expect(maxQueryNodes()).toBe(50);
    expect(cache.written.map(({ service }) => service.limits.maxQueryNodes)).toEqual([100, 100, 50]);
  });

  it('keeps it once, however often it is looked at', async () => {
    const cache = createCache();
    const { keeper } = await start({ cache });
    for (let look = 0; look < 3; look += 1) await keeper.refresh();
    expect([ledger.looks, cache.written.length]).toEqual([4, 1]);
  });

  it('says of one that collides each time that it is refused, building it once', async () => {
    const { keeper, hasBuilt } = await start();
    const before = keeper.current;
    ledger.schema = schemaOf(`${plain} sponsor: Int`);
    await keeper.refresh();
    expect(hasBuilt()).toBe(true);
    await keeper.refresh();
    expect(hasBuilt()).toBe(false);
    expect(keeper.current).toBe(before);
    const refusal = 'refused: query field sponsor: the gateway has its own, and the ledger has one too';
    expect(said).toEqual(['replaced from ledger', refusal, refusal]);
    ledger.schema = schemaOf(plain);
    await keeper.refresh();
    expect(keeper.current).toBe(before);
  });

  it('keeps what was prepared by the schema of the last run, once the ledger has the same', async () => {
    const service = { ...silentLedgerService, limits: { ...shippedLimits, maxQueryNodes: 100 } };
    ledger.schema = down;
    const cache = createCache({ introspection: introspect(plain), service, origin: 'cache' });
    const { keeper, hasBuilt } = await start({ cache });
    const { origin, documents } = keeper.current;
    expect(origin).toBe('cache');
    ledger.schema = schemaOf(plain);
    await vi.advanceTimersByTimeAsync(250);
    expect(keeper.current).toMatchObject({ origin: 'ledger' });
    expect(keeper.current.documents).toBe(documents);
    expect(hasBuilt()).toBe(false);
    expect(cache.written).toEqual([]);
  });

  it('begins without one that was kept and cannot be read', async () => {
    ledger.schema = down;
    const broken = { introspection: {}, service: silentLedgerService, origin: 'cache' } as unknown as LedgerSource;
    const { keeper } = await start({ cache: createCache(broken) });
    expect(keeper.current.origin).toBe('none');
    ledger.schema = schemaOf(plain);
    await keeper.refresh();
    expect(keeper.current.origin).toBe('ledger');
  });
});

describe('asking for a look', () => {
  it('while one is under way is followed by one more, however many ask, and all wait for that', async () => {
    const { keeper } = await start();
    const { release, held } = holdBack();
    ledger.schema = () => held.then(schemaOf(plain));
    const first = keeper.refresh();
    const served: number[] = [];
    for (const number of [1, 2, 3]) void keeper.refresh().then(() => served.push(number));
    expect(ledger.looks).toBe(2);
    release();
    await first;
    ledger.schema = schemaOf(`${plain} brandNew: Int`);
    expect(served).toEqual([]);
    // Whoever asks before it begins is served by it too.
    void keeper.refresh().then(() => served.push(4));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ledger.looks).toBe(3);
    expect(served).toEqual([1, 2, 3, 4]);
    expect(keeper.current.schema.getQueryType()?.getFields()).toHaveProperty('brandNew');
    await vi.advanceTimersByTimeAsync(600_000);
    expect(ledger.looks).toBe(3);
  });

  it('of a keeper that is stopped is answered without one', async () => {
    const { keeper } = await start();
    const { release, held } = holdBack();
    ledger.schema = () => held.then(schemaOf(plain));
    const first = keeper.refresh();
    const second = keeper.refresh();
    keeper.stop();
    await second;
    await keeper.refresh();
    release();
    await first;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(ledger.looks).toBe(2);
  });
});

describe('a keeper that is stopped during a look', () => {
  it.each<[string, Answer]>([
    ['finds the same', schemaOf(plain)],
    ['finds another', schemaOf(`${plain} brandNew: Int`)],
    ['fails', down],
  ])('that %s begins no other and leaves no timer', async (_, answer) => {
    const { keeper } = await start({ pollMs: 1_000 });
    const { release, held } = holdBack();
    ledger.schema = () => held.then(answer);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ledger.looks).toBe(2);
    keeper.stop();
    release();
    await vi.advanceTimersByTimeAsync(600_000);
    expect([ledger.looks, vi.getTimerCount()]).toEqual([2, 0]);
    expect(said).toEqual(['replaced from ledger']);
  });

  it('replaces nothing that others are closing, and keeps nothing', async () => {
    const cache = createCache();
    const { keeper } = await start({ cache });
    const before = keeper.current;
    const { release, held } = holdBack();
    ledger.schema = () => held.then(schemaOf(`${plain} brandNew: Int`));
    const asked = keeper.refresh();
    keeper.stop();
    release();
    await asked;
    expect(keeper.current).toBe(before);
    expect(said).toEqual(['replaced from ledger']);
    expect(cache.written).toHaveLength(1);
  });
});

describe('a ledger that does not say which limits it has', () => {
  it('leaves those in force that it said before, with all that was prepared, and is asked again soon', async () => {
    const { keeper, maxQueryNodes } = await start();
    const before = keeper.current;
    ledger.service = down;
    await keeper.refresh();
    expect(keeper.current).toBe(before);
    expect(said).toEqual(['replaced from ledger', 'The ledger did not answer for its limits: down']);
    ledger.service = nodes(50);
    await vi.advanceTimersByTimeAsync(250);
    expect(maxQueryNodes()).toBe(50);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(ledger.looks).toBe(3);
  });

  it('has a new schema taken with the limits it said before', async () => {
    const { keeper, maxQueryNodes } = await start();
    ledger.schema = schemaOf(`${plain} brandNew: Int`);
    ledger.service = down;
    await keeper.refresh();
    expect(keeper.current.schema.getQueryType()?.getFields()).toHaveProperty('brandNew');
    expect(maxQueryNodes()).toBe(100);
  });

  it('at first is taken for one as shipped, which is not kept, until it says', async () => {
    const cache = createCache();
    ledger.service = down;
    const { keeper, maxQueryNodes } = await start({ cache });
    expect([keeper.current.origin, maxQueryNodes()]).toEqual(['ledger', shippedLimits.maxQueryNodes]);
    expect(cache.written).toEqual([]);
    ledger.service = nodes(50);
    await vi.advanceTimersByTimeAsync(250);
    expect(maxQueryNodes()).toBe(50);
    expect(cache.written.map(({ service }) => service.limits.maxQueryNodes)).toEqual([50]);
  });

  it('at first is held to what it said in the run before', async () => {
    const service = { ...silentLedgerService, limits: { ...shippedLimits, maxQueryNodes: 70 } };
    ledger.service = down;
    const { maxQueryNodes } = await start({
      cache: createCache({ introspection: introspect('a: Int'), service, origin: 'cache' }),
    });
    expect(maxQueryNodes()).toBe(70);
  });

  it('is asked less and less, at last as often as the schema is polled', async () => {
    ledger.service = down;
    await start({ pollMs: 2_000 });
    const looks: number[] = [];
    for (const waitMs of [250, 500, 1_000, 2_000, 2_000, 1_999]) {
      await vi.advanceTimersByTimeAsync(waitMs);
      looks.push(ledger.looks);
    }
    expect(looks).toEqual([2, 3, 4, 5, 6, 6]);
  });
});

it('a ledger that is away is asked again, from soon to every ten seconds, and then only when it is time', async () => {
  ledger.schema = down;
  const { keeper } = await start({ pollMs: 60_000 });
  expect(keeper.current.origin).toBe('none');
  await vi.advanceTimersByTimeAsync(250 + 500 + 1_000 + 2_000 + 4_000 + 8_000 + 10_000);
  expect(ledger.looks).toBe(8);
  ledger.schema = schemaOf(plain);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([ledger.looks, keeper.current.origin]).toEqual([9, 'ledger']);
  await vi.advanceTimersByTimeAsync(59_999);
  expect(ledger.looks).toBe(9);
  await vi.advanceTimersByTimeAsync(1);
  expect(ledger.looks).toBe(10);
});

it('a ledger that comes back with a schema that is rejected is asked less and less, too', async () => {
  ledger.schema = down;
  const { keeper } = await start({ pollMs: 60_000 });
  ledger.schema = schemaOf(`${plain} sponsor: Int`);
  await vi.advanceTimersByTimeAsync(250 + 500 + 1_000 + 2_000 + 4_000 + 8_000 + 10_000);
  expect([ledger.looks, keeper.current.origin]).toEqual([8, 'none']);
  ledger.schema = schemaOf(plain);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([ledger.looks, keeper.current.origin]).toEqual([9, 'ledger']);
});

it('a ledger that is away again is asked as soon as it was the first time', async () => {
  const { keeper } = await start({ pollMs: 60_000 });
  for (const _time of ['first', 'second']) {
    ledger.schema = down;
    await vi.advanceTimersByTimeAsync(60_000);
    const before = ledger.looks;
    await vi.advanceTimersByTimeAsync(250 + 500 + 1_000 + 2_000);
    expect(ledger.looks - before).toBe(4);
    ledger.schema = schemaOf(plain);
    await keeper.refresh();
  }
});
