import { readFileSync } from 'node:fs';
import { buildSchema, isObjectType, isScalarType, isSpecifiedScalarType } from 'graphql';
import { expect, test } from 'vitest';
import { cacheKeys, dataIdFromObject, graphcacheKeys, scalars } from '../../../src/client/schema.ts';

const graph = buildSchema(readFileSync(new URL('../../../schema/public.graphql', import.meta.url), 'utf8'));
const types = Object.values(graph.getTypeMap());

test('there is a TypeScript type for each scalar of the graph', () => {
  const own = types.filter((type) => isScalarType(type) && !isSpecifiedScalarType(type)).map(({ name }) => name);
  expect(own.filter((name) => !Object.hasOwn(scalars, name))).toEqual([]);
  expect(own.length).toBeGreaterThan(5);
});

test('each cache key is a scalar field without arguments', () => {
  for (const [name, key] of Object.entries(cacheKeys)) {
    const type = graph.getType(name);
    const field = isObjectType(type) ? type.getFields()[key] : undefined;
    expect([name, field?.args]).toEqual([name, []]);
  }
});

test('entities have an id of type and key, in both caches', () => {
  expect(dataIdFromObject({ __typename: 'Epoch', epochId: 4 })).toBe('Epoch:4');
  expect(dataIdFromObject({ __typename: 'RpcEvent', id: 'd:0' })).toBe('RpcEvent:d:0');
  expect(dataIdFromObject({ __typename: 'Epoch' })).toBeUndefined();
  expect(dataIdFromObject({ __typename: 'ReservedGasCoin', objectId: '0x2' })).toBeUndefined();
  expect(graphcacheKeys.Epoch?.({ epochId: 4 })).toBe('4');
  expect(graphcacheKeys.ReservedGasCoin?.({ objectId: '0x2' })).toBeNull();
});
