import { graphqlSync, introspectionFromSchema, isObjectType, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { parseConfig } from '../../../src/config/parse-config.ts';
import { buildGeneration } from '../../../src/graph/generation.ts';
import { silentLedgerService } from '../../../src/ledger/ledger-service.ts';
import { ledgerSchemas } from '../../support/ledger-schemas.ts';
import { createOwnSchema } from '../../support/own-schema.ts';

function build({ schema, profile }: (typeof ledgerSchemas)[number], env: Record<string, string>) {
  return buildGeneration(
    {
      introspection: introspectionFromSchema(schema, { oneOf: true }),
      service: silentLedgerService,
      origin: 'ledger',
    },
    {
      prepareOn: () => () => null,
      ownSchema: createOwnSchema(),
      execute: () => Promise.reject(new Error('building a schema makes no upstream call')),
      names: networkProfiles[profile].joins,
      config: parseConfig({ env, readFile: () => '' }),
    },
  );
}

/** The line that begins a type, by the name of the type. */
const headOf = (sdl: string, type: string) => sdl.match(new RegExp(`^type ${type}\\b.*$`, 'm'))?.[0] ?? '';

describe.each(ledgerSchemas)('the subgraph over $name', (network) => {
  const { schema, subgraphSdl } = build(network, { FEDERATION: 'true' });
  const sdl = subgraphSdl ?? '';
  const transaction = network.schema.getType('TransactionBlock') ? 'TransactionBlock' : 'Transaction';

  test('has a key on every entity, and only there', () => {
    const keys = [...sdl.matchAll(/^type (\w+).*@key\(fields: "(\w+)"(.*)\)/gm)].map(
      ([, type, key, rest]) => `${type}.${key}${rest}`,
    );
    expect(keys.sort()).toEqual(
      [
        'Address.address',
        'Checkpoint.sequenceNumber',
        'CoinMetadata.address',
        'Epoch.epochId',
        'GasReservation.reservationId',
        'MovePackage.address',
        'Object.address',
        'RpcEvent.id, resolvable: false',
        `${transaction}.digest`,
      ].sort(),
    );
    expect(headOf(sdl, 'PageInfo')).toBe('type PageInfo @shareable {');
  });

  test('declares what it uses, and leaves the protocol out', () => {
    const { definitions } = parse(sdl);
    const names = definitions.flatMap((definition) => ('name' in definition ? (definition.name?.value ?? []) : []));
    expect(names).toContain('oneOf');
    expect(names.filter((name) => name.startsWith('_'))).toEqual([]);
    expect(sdl).not.toMatch(/_service|_entities/);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => isObjectType(schema.getType(name)))).toHaveLength(
      Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && !type.name.startsWith('_')).length,
    );
  });

  test('hides fields that lead back to the root', () => {
    const hidden = [...sdl.matchAll(/^ {2}(\w+).*@inaccessible$/gm)].map(([, name]) => name);
    expect(hidden).toEqual(network.name === 'Sui' ? ['node', 'query'] : []);
  });

  test('can be read from the graph, unless introspection is off', () => {
    expect(graphqlSync({ schema, source: '{ _service { sdl } }' }).data).toEqual({ _service: { sdl } });
    const silent = build(network, { FEDERATION: 'true', INTROSPECTION: 'false' });
    expect(silent.schema.getQueryType()?.getFields()).not.toHaveProperty('_service');
    expect(silent.subgraphSdl).toBe(sdl);
  });

  test('is not made by default', () => {
    const plain = build(network, {});
    expect(plain.subgraphSdl).toBeNull();
    expect(Object.keys(plain.schema.getTypeMap()).filter((name) => /^_[^_]/.test(name))).toEqual([]);
  });
});
