import {
  buildSchema,
  type ExecutionResult,
  type IntrospectionQuery,
  introspectionFromSchema,
  print,
  validateSchema,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { parseConfig } from '../../../src/config/parse-config.ts';
import type { LedgerSource } from '../../../src/graph/schema-cache.ts';
import { startSchemaKeeper } from '../../../src/graph/schema-keeper.ts';
import { SchemaCollisionError } from '../../../src/graph/schema-refused-error.ts';
import { buildValidParts } from '../../../src/graph/valid-parts.ts';
import { silentLedgerService } from '../../../src/ledger/ledger-service.ts';
import { createOwnSchema } from '../../support/own-schema.ts';

const sdl = `
  interface Node { id: ID! owner: Owner }
  type Owner implements Node { id: ID! owner: Owner kind: Kind! }
  type Coin implements Node { id: ID! owner: Owner value(unit: Unit = { digits: 2 }): Int }
  union Thing = Owner | Coin
  enum Kind { USER OBJECT }
  input Unit { digits: Int!, of: Unit }
  scalar BigInt
  directive @tag(name: String) on FIELD
  type Query { chainIdentifier: String! things(kind: Kind): [Thing!] coin(id: ID!): Coin total: BigInt }
`;
const whole = introspectionFromSchema(buildSchema(sdl));
// biome-ignore lint/suspicious/noExplicitAny: changed at will
type Json = Record<string, any>;
const copy = (): Json => structuredClone(whole) as unknown as Json;
const typeOf = (schema: Json, name: string): Json => schema.__schema.types.find((type: Json) => type.name === name);
const named = (name: string, kind = 'SCALAR') => ({ kind, name, ofType: null });

/** Schemas that make graphql-js reject every request, whether it uses the faulty part or not. */
const broken: readonly (readonly [string, (schema: Json) => void])[] = [
  ['an object without fields', (s) => (typeOf(s, 'Owner').fields = [])],
  ['an empty enum', (s) => (typeOf(s, 'Kind').enumValues = [])],
  ['a name that is reserved', (s) => (typeOf(s, 'Coin').fields[2].name = '__value')],
  ['a type with a reserved name', (s) => (typeOf(s, 'BigInt').name = '__BigInt')],
  ['a name that is none', (s) => (typeOf(s, 'Coin').fields[2].name = 'a b')],
  ['a type that is missing', (s) => (typeOf(s, 'Coin').fields[1].type = named('Missing', 'OBJECT'))],
  ['an input as output', (s) => (typeOf(s, 'Coin').fields[2].type = named('Unit', 'INPUT_OBJECT'))],
  ['an output as input', (s) => (typeOf(s, 'Unit').inputFields[0].type = named('Coin', 'OBJECT'))],
  [
    'an input that contains itself',
    (s) =>
      (typeOf(s, 'Unit').inputFields[1].type = { kind: 'NON_NULL', name: null, ofType: named('Unit', 'INPUT_OBJECT') }),
  ],
  ['an interface that is not implemented', (s) => typeOf(s, 'Coin').fields.splice(1, 1)],
  ['an interface that is none', (s) => typeOf(s, 'Coin').interfaces.push(named('Owner', 'OBJECT'))],
  ['a union of nothing', (s) => (typeOf(s, 'Thing').possibleTypes = [])],
  ['a union of scalars', (s) => typeOf(s, 'Thing').possibleTypes.push(named('BigInt'))],
  ['a reserved value', (s) => (typeOf(s, 'Kind').enumValues[0].name = 'true')],
  ['an unknown kind', (s) => (typeOf(s, 'Owner').kind = 'CLASS')],
  ['a default that cannot be read', (s) => (typeOf(s, 'Coin').fields[2].args[0].defaultValue = '{ digits: ')],
  ['members that are no list', (s) => (typeOf(s, 'Owner').fields = null)],
  [
    'a directive with a reserved name',
    (s) => (s.__schema.directives.find((each: Json) => each.name === 'tag').name = '__tag'),
  ],
  [
    'a directive on an unknown type',
    (s) => (s.__schema.directives.find((each: Json) => each.name === 'tag').args[0].type = named('Missing')),
  ],
  ['a root type that is missing', (s) => (s.__schema.mutationType = { name: 'Missing' })],
];

const service = { data: { serviceConfig: {} } };

async function start(first: () => ExecutionResult, cached: LedgerSource | null = null) {
  let answer = first;
  const said: string[] = [];
  const keeper = await startSchemaKeeper({
    prepareOn: () => () => ({}),
    ownSchema: createOwnSchema(),
    execute: async ({ document }) =>
      typeof document === 'string' || !print(document).includes('__schema') ? service : answer(),
    names: networkProfiles.ledger.joins,
    config: parseConfig({ env: {}, readFile: () => '' }),
    cache: cached && { read: async () => cached, write: async () => {} },
    pollMs: 0,
    events: {
      replaced: ({ origin }) => said.push(`replaced from ${origin}`),
      refused: (_, isServed) => said.push(isServed ? 'partly served' : 'refused'),
      unavailable: (error) => said.push(String(error)),
    },
  });
  return {
    said,
    keeper,
    serves(text: string) {
      const prepared = keeper.current.documents.prepare(text);
      return prepared.kind === 'readable' && prepared.errors.length === 0;
    },
    async poll(next: () => ExecutionResult) {
      answer = next;
      await keeper.refresh();
    },
    [Symbol.dispose]: () => keeper.stop(),
  };
}

const give = (introspection: unknown) => (): ExecutionResult => ({ data: introspection as IntrospectionQuery & Json });
const own = '{ gateway { version } }';

describe('a schema with', () => {
  test.each(broken)('%s is served without it at the start, from the ledger and from the cache', async (_, breakIt) => {
    const schema = copy();
    breakIt(schema);
    const introspection = schema as unknown as IntrospectionQuery;
    const cached: LedgerSource = { introspection, service: silentLedgerService, origin: 'cache' };
    for (const started of [await start(give(schema)), await start(down, cached)]) {
      using served = started;
      expect(served.serves(own)).toBe(true);
      expect(served.serves('{ chainIdentifier }')).toBe(true);
      expect(validateSchema(served.keeper.current.schema)).toEqual([]);
      expect(served.said.filter((text) => text !== 'partly served')).not.toContain('refused');
    }
  });

  test.each(broken)(
    '%s is served without it by a gateway that started while the ledger was away',
    async (_, breakIt) => {
      const schema = copy();
      breakIt(schema);
      using served = await start(down);
      await served.poll(give(schema));
      expect(served.serves(own)).toBe(true);
      expect(served.serves('{ chainIdentifier }')).toBe(true);
      expect(served.keeper.current.origin).toBe('ledger');
      expect(served.said).not.toContain('refused');
    },
  );

  test('a new fault that follows one served in part is rejected, and one with the same faults is served', async () => {
    const schema = copy();
    typeOf(schema, 'Kind').enumValues = [];
    using served = await start(down);
    await served.poll(give(schema));
    expect(served.said.slice(1)).toEqual(['replaced from ledger', 'partly served']);
    const { current } = served.keeper;
    const next = structuredClone(schema);
    typeOf(next, 'Query').fields.push({ name: 'extra', args: [], type: named('Int') });
    const worse = structuredClone(next);
    typeOf(worse, 'Thing').possibleTypes = [];
    await served.poll(give(worse));
    expect(served.said.slice(3)).toEqual(['refused']);
    expect(served.keeper.current).toBe(current);
    await served.poll(give(next));
    expect(served.said.slice(4)).toEqual(['replaced from ledger', 'partly served']);
    expect(served.serves('{ extra }')).toBe(true);
  });

  test('faults in parts that are left out names each of them', () => {
    const schema = copy();
    typeOf(schema, 'Kind').enumValues = [];
    expect(buildValidParts(schema as unknown as IntrospectionQuery).faults).toEqual([
      'type Kind: it has no values',
      'Owner.kind: its type Kind cannot be served',
      'Query.things: its argument kind: its type Kind cannot be served',
    ]);
  });
});

const down = (): ExecutionResult => {
  throw new Error('down');
};

/** Changes that a ledger may make; the last two collide with the gateway's own names. */
const changes: readonly ((schema: Json, pick: (count: number) => number) => void)[] = [
  ...broken.map(([, breakIt]) => breakIt),
  (s, pick) => s.__schema.types.splice(pick(s.__schema.types.length), 1),
  (s, pick) => {
    const type = s.__schema.types[pick(s.__schema.types.length)];
    type?.fields?.splice(pick(type.fields.length), 1);
  },
  (s) =>
    s.__schema.types.push({
      kind: 'OBJECT',
      name: 'Extra',
      fields: [{ name: 'id', args: [], type: named('ID') }],
      interfaces: [],
    }),
  (s) => typeOf(s, 'Query')?.fields?.push({ name: 'extra', args: [], type: named('Int') }),
  (s) =>
    s.__schema.types.push({
      kind: 'OBJECT',
      name: 'GasReservation',
      fields: [{ name: 'id', args: [], type: named('ID') }],
      interfaces: [],
    }),
  (s) => typeOf(s, 'Query')?.fields?.push({ name: 'sponsor', args: [], type: named('Int') }),
];

function changed(seed: number): Json {
  let state = seed * 2_654_435_761;
  const pick = (count: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * count);
  };
  const schema = copy();
  for (let wanted = 1 + pick(3); wanted > 0; wanted -= 1) {
    try {
      changes[pick(changes.length)]?.(schema, pick);
    } catch {
      // An earlier change took away what this one changes.
    }
  }
  return schema;
}

test('after 200 changed schemas, what was served goes on, and nothing is in force that cannot serve', async () => {
  using served = await start(give(whole));
  const seen = { replaced: 0, refused: 0 };
  for (let seed = 1; seed <= 200; seed += 1) {
    served.said.length = 0;
    const before = served.keeper.current;
    await served.poll(give(changed(seed)));
    const { current, faults } = served.keeper;
    expect([seed, validateSchema(current.schema)]).toEqual([seed, []]);
    expect([seed, current.faults, served.serves(own)]).toEqual([seed, [], true]);
    if (current === before && faults.length > 0) {
      expect([seed, served.said]).toEqual([seed, ['refused']]);
      seen.refused += 1;
    } else seen.replaced += 1;
    await served.poll(give(whole));
    expect([seed, served.keeper.faults, served.serves('{ coin(id: "1") { value } }')]).toEqual([seed, [], true]);
  }
  expect(seen.replaced).toBeGreaterThan(10);
  expect(seen.refused).toBeGreaterThan(100);
});

test('with 200 changed schemas at the start, from the ledger and from the cache, the gateway serves what is valid', async () => {
  let parts = 0;
  for (let seed = 1; seed <= 200; seed += 1) {
    const introspection = changed(seed) as unknown as IntrospectionQuery;
    const cached: LedgerSource = { introspection, service: silentLedgerService, origin: 'cache' };
    for (const starting of [() => start(give(introspection)), () => start(down, cached)]) {
      let started: Awaited<ReturnType<typeof start>>;
      try {
        started = await starting();
      } catch (error) {
        // A collision at the start ends the process, which names it.
        expect([seed, error]).toEqual([seed, expect.any(SchemaCollisionError)]);
        continue;
      }
      using served = started;
      const { current, faults } = served.keeper;
      expect([seed, validateSchema(current.schema), served.serves(own)]).toEqual([seed, [], true]);
      if (current.origin === 'none') expect([seed, faults.length]).not.toEqual([seed, 0]);
      if (current.faults.length > 0) parts += 1;
    }
  }
  expect(parts).toBeGreaterThan(100);
});
