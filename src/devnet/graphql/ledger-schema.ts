import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  type GraphQLTypeResolver,
  isAbstractType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import type { GraphqlContext } from './graphql-context.ts';
import { resolvers } from './resolvers/resolvers.ts';
import { passThrough } from './scalars.ts';

type FieldResolvers = Readonly<Record<string, unknown>>;

/** The ledger's graph with its resolvers. Throws when a resolver has no field to go with. */
export function createLedgerSchema(): GraphQLSchema {
  const sdl = readFileSync(new URL('../../../schema/ledger.graphql', import.meta.url), 'utf8');
  const schema = buildSchema(sdl);
  for (const type of Object.values(schema.getTypeMap())) {
    if (isScalarType(type) && !isSpecifiedScalarType(type)) passThrough(type);
  }
  for (const [typeName, fields] of Object.entries(resolvers as Readonly<Record<string, FieldResolvers>>)) {
    attach(schema, typeName, fields);
  }
  return schema;
}

function attach(schema: GraphQLSchema, typeName: string, resolverOf: FieldResolvers): void {
  const type = schema.getType(typeName);
  if (isAbstractType(type)) {
    type.resolveType = resolverOf.__resolveType as GraphQLTypeResolver<unknown, GraphqlContext>;
    return;
  }
  if (!isObjectType(type)) throw new TypeError(`The schema has no object type ${typeName}`);
  const fields = type.getFields();
  for (const [fieldName, resolve] of Object.entries(resolverOf)) {
    const field = fields[fieldName];
    if (!field) throw new TypeError(`The schema has no field ${typeName}.${fieldName}`);
    field.resolve = resolve as GraphQLFieldResolver<unknown, GraphqlContext>;
  }
}
