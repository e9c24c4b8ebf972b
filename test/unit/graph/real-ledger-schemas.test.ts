import { readFileSync } from 'node:fs';
import {
  buildSchema,
  extendSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLSchema,
  introspectionFromSchema,
  isSpecifiedScalarType,
  lexicographicSortSchema,
  parse,
  printSchema,
  printType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { parseConfig } from '../../../src/config/parse-config.ts';
import { compareSchemas } from '../../../src/graph/compare-schemas.ts';
import { findCollisions } from '../../../src/graph/find-collisions.ts';
import { buildGeneration } from '../../../src/graph/generation.ts';
import { silentLedgerService } from '../../../src/ledger/ledger-service.ts';
import { createOwnSchema } from '../../support/own-schema.ts';

const realSchemas = [
  {
    name: 'IOTA 2025.2',
    profile: networkProfiles.iota,
    file: '@iota/iota-sdk/src/graphql/generated/2025.2/schema.graphql',
  },
  {
    name: 'Sui 2024.4',
    profile: networkProfiles['sui-legacy'],
    file: '@mysten/sui/src/graphql/generated/2024.4/schema.graphql',
  },
  { name: 'Sui', profile: networkProfiles.sui, file: '@mysten/sui-v2/src/graphql/generated/schema.graphql' },
];

const printed = (schema: GraphQLSchema, name: string): string => {
  const type = schema.getType(name);
  return type ? printType(type) : `no type ${name}`;
};

const neverAsked = () => Promise.reject(new Error('building a schema asks nobody'));

describe.each(realSchemas)('the unmodified schema of $name', ({ profile, file }) => {
  const sdl = readFileSync(new URL(`../../../node_modules/${file}`, import.meta.url), 'utf8');
  // None of them deprecates an input field today; one that did must not lose it on the way.
  const ledger = extendSchema(
    buildSchema(sdl),
    parse(`
      extend input EventFilter { origin: String = "any" @deprecated(reason: "Use sender.") }
      extend type Query { "A former root." old("Unused." by: Int @deprecated(reason: "No.")): Int @deprecated(reason: "Use epoch.") }
    `),
  );
  const ownSchema = createOwnSchema();
  const options = { oneOf: true, inputValueDeprecation: true } as const;
  const generation = buildGeneration(
    { introspection: introspectionFromSchema(ledger, options), service: silentLedgerService, origin: 'ledger' },
    {
      prepareOn: () => () => null,
      ownSchema,
      execute: neverAsked,
      names: profile.joins,
      config: parseConfig({ env: {}, readFile: () => '' }),
    },
  );

  it('is stitched whole: every root field is there with its arguments, deprecations and descriptions', () => {
    for (const { kind, text } of compareSchemas(ledger, generation.schema))
      expect(`${kind}: ${text}`).toMatch(/^safe: .* was added\.$/);
    const described = ({ name, description }: GraphQLField<unknown, unknown> | GraphQLArgument) => [
      name,
      description ?? null,
    ];
    for (const operation of ['getQueryType', 'getMutationType', 'getSubscriptionType'] as const) {
      const merged = generation.schema[operation]()?.getFields() ?? {};
      for (const field of Object.values(ledger[operation]()?.getFields() ?? {})) {
        const found = merged[field.name] ?? field;
        expect([found, ...found.args].map(described)).toEqual([field, ...field.args].map(described));
      }
    }
  });

  it('keeps every type as it is: fields, defaults, deprecations, descriptions', () => {
    // Only the order of PageInfo's fields may differ: it is the one type both sides bring.
    const [merged, original] = [lexicographicSortSchema(generation.schema), lexicographicSortSchema(ledger)];
    const roots = /^(__|Query$|Mutation$|Subscription$)/;
    const types = Object.values(ledger.getTypeMap()).filter(
      (type) => !roots.test(type.name) && !isSpecifiedScalarType(type),
    );
    expect(types.length).toBeGreaterThan(150);
    for (const type of types) expect(printed(merged, type.name)).toBe(printed(original, type.name));
  });

  it('is refused when the ledger has a type or a root field of ours', () => {
    const theirs = extendSchema(ledger, parse('type RpcEvent { a: Int } extend type Query { sponsor: Int }'));
    expect(findCollisions(ownSchema, theirs)).toEqual([
      'type RpcEvent: the gateway has its own, and the ledger has one too',
      'query field sponsor: the gateway has its own, and the ledger has one too',
    ]);
  });

  it('has our own part beside it', () => {
    const text = printSchema(generation.schema);
    for (const line of ['type GasReservation ', 'reserveGas(', 'queryEvents(', 'input EventQueryFilter @oneOf'])
      expect(text).toContain(line);
  });
});
