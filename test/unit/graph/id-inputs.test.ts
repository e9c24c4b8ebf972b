import { readFileSync } from 'node:fs';
import { buildSchema, isInputObjectType } from 'graphql';
import { describe, expect, it, test } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { findIdInputs } from '../../../src/graph/own-schema.ts';
import { createOwnSchema } from '../../support/own-schema.ts';

const own = createOwnSchema();
const read = (path: string) => buildSchema(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'));
const names = networkProfiles.ledger.joins;

describe('the ledger’s scalars for ids of our inputs', () => {
  it.each([
    ['the contract', 'schema/ledger.graphql', 'LedgerAddress'],
    ['IOTA', 'node_modules/@iota/iota-sdk/src/graphql/generated/2025.2/schema.graphql', 'IotaAddress'],
    ['Sui 2024.4', 'node_modules/@mysten/sui/src/graphql/generated/2024.4/schema.graphql', 'SuiAddress'],
    ['Sui', 'node_modules/@mysten/sui-v2/src/graphql/generated/schema.graphql', 'SuiAddress'],
  ])('of %s are found where it takes them', (_, path, scalar) => {
    const inputs = findIdInputs(own, read(path), names);
    expect(inputs.get('EventQueryFilter.sender')).toEqual(new Set([scalar]));
    expect(inputs.get('MoveModuleFilter.package')).toEqual(new Set([scalar]));
    // All of them take digests as plain texts.
    expect(inputs.has('EventQueryFilter.transaction')).toBe(false);
    expect(inputs.has('EventQueryFilter.moveEvent')).toBe(false);
  });

  it('are told apart: of addresses, of objects, and of digests', () => {
    const ledger = buildSchema(`
      scalar Account scalar ObjectId scalar Digest
      type Query { address(address: Account!): Int object(address: ObjectId!): Int transactionBlock(digest: Digest): Int }
    `);
    const inputs = findIdInputs(own, ledger, names);
    expect(inputs.get('EventQueryFilter.sender')).toEqual(new Set(['Account', 'ObjectId']));
    expect(inputs.get('EventQueryFilter.transaction')).toEqual(new Set(['Digest']));
  });

  it('are none where the ledger has no such fields', () => {
    expect(findIdInputs(own, buildSchema('type Query { a: Int }'), names).size).toBe(0);
  });
});

test('every input that is described as an id is marked as one, and no other', () => {
  const ledger = buildSchema(
    'scalar A scalar D type Query { address(address: A): Int transactionBlock(digest: D): Int }',
  );
  const inputs = findIdInputs(own, ledger, names);
  const kindOf = (description: string) => (/hex digits|by its id|signed/.test(description) ? 'A' : 'D');
  const described = Object.values(own.getTypeMap())
    .filter(isInputObjectType)
    .flatMap((type) => Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as const))
    .filter(([, { type }]) => /^String!?$/.test(String(type)))
    .flatMap(([name, { description }]) =>
      /hex digits|base58|of a package, by its id/.test(description ?? '') ? [[name, kindOf(description ?? '')]] : [],
    );
  expect(described.length).toBeGreaterThan(12);
  expect([...inputs].map(([name, [scalar]]) => [name, scalar])).toEqual(described);
});

test('marks are no part of the graph', () => {
  expect(own.getDirectives().map(({ name }) => name)).not.toContain('address');
  expect(isInputObjectType(own.getType('EventQueryFilter'))).toBe(true);
});
