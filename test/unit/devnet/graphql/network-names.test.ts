import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  validateSchema,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { createLedgerSchema } from '../../../../src/devnet/graphql/ledger-schema.ts';
import { networkNames } from '../../../../src/devnet/graphql/network-names.ts';

const networks = {
  iota: '@iota/iota-sdk/src/graphql/generated/2025.2',
  sui: '@mysten/sui-v2/src/graphql/generated',
} as const;

describe.each(Object.entries(networks))('the simulated network as %s', (name, folder) => {
  const file = new URL(`../../../../node_modules/${folder}/schema.graphql`, import.meta.url);
  const real = buildSchema(readFileSync(file, 'utf8'));
  const simulated = createLedgerSchema(networkNames[name]);

  test('has a valid schema', () => {
    expect(validateSchema(simulated)).toEqual([]);
  });

  // The gateway reads limits and versions under the names of the ledger.
  test('has nothing that the real network lacks, but its own tools and limits', () => {
    const ours = /^(?:Query\.devnet|Devnet|ServiceConfig\.|Feature\b)/;
    expect(missing(simulated, real).filter((coordinate) => !ours.test(coordinate))).toEqual([]);
  });

  test('has enough of it', () => {
    const coordinates = coordinatesOf(simulated);
    const expected =
      name === 'iota'
        ? ['Query.transactionBlocks', 'Event.json', 'Address.stakedIotas', 'Query.epoch(id:UInt53)']
        : ['Query.transactions', 'Event.contents', 'EventFilter.module:String', 'Query.epoch(epochId:UInt53)'];
    expect(coordinates).toEqual(expect.arrayContaining(expected));
    expect(coordinates.length).toBeGreaterThan(name === 'iota' ? 600 : 300);
  });
});

/** Fields, members and arguments. Arguments and composite fields with their types: a document names these. */
function coordinatesOf(schema: GraphQLSchema): string[] {
  return Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap(membersOf);
}

function membersOf(type: GraphQLNamedType): string[] {
  const { name } = type;
  if (isEnumType(type)) return type.getValues().map((value) => `${name}.${value.name}`);
  if (isUnionType(type)) return type.getTypes().map((member) => `${name}=${member.name}`);
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map((field) => `${name}.${field.name}:${getNamedType(field.type).name}`);
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return [
    ...type.getInterfaces().map((each) => `${name}=${each.name}`),
    ...Object.values(type.getFields()).flatMap((field) => {
      const of = getNamedType(field.type);
      const isComposite = isObjectType(of) || isInterfaceType(of) || isUnionType(of);
      const toCoordinate = (argument: GraphQLArgument) =>
        `${name}.${field.name}(${argument.name}:${getNamedType(argument.type).name})`;
      return [
        `${name}.${field.name}`,
        ...(isComposite ? [`${name}.${field.name}:${of.name}`] : []),
        ...field.args.map(toCoordinate),
      ];
    }),
  ];
}

function missing(schema: GraphQLSchema, from: GraphQLSchema): string[] {
  const known = new Set(coordinatesOf(from));
  return coordinatesOf(schema).filter((coordinate) => !known.has(coordinate));
}
