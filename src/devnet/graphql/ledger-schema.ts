import { readFileSync } from 'node:fs';
import {
  buildASTSchema,
  buildSchema,
  type GraphQLFieldResolver,
  GraphQLSchema,
  isAbstractType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import type { GraphqlContext } from './graphql-context.ts';
import { type FieldResolvers, type NetworkNames, renameSchema } from './network-names.ts';
import { resolvers } from './resolvers/resolvers.ts';
import { passThrough } from './scalars.ts';

/**
 * The ledger's graph with its resolvers. Throws when a resolver has no field to go with.
 * @param names of the simulated network; `null`: those of `schema/ledger.graphql`
 */
export function createLedgerSchema(names: NetworkNames | null = null): GraphQLSchema {
  const sdl = readFileSync(new URL('../../../schema/ledger.graphql', import.meta.url), 'utf8');
  const all = names ? buildASTSchema(renameSchema(sdl, names)) : buildSchema(sdl);
  // Types that no field leads to are left out.
  const schema = names ? new GraphQLSchema({ ...all.toConfig(), types: [] }) : all;
  for (const type of Object.values(schema.getTypeMap())) {
    if (isScalarType(type) && !isSpecifiedScalarType(type)) passThrough(type);
  }
  const { rename = (name: string) => name, lacks = new Set<string>() } = names ?? {};
  for (const [type, fields] of Object.entries(resolvers as FieldResolvers)) {
    const typeName = rename(type);
    if (lacks.size > 0 && !schema.getType(typeName)) continue;
    const served = Object.entries(fields).filter(([field]) => !lacks.has(`${typeName}.${rename(field)}`));
    attach(schema, typeName, Object.fromEntries(served), rename);
  }
  for (const [typeName, fields] of Object.entries(names?.resolvers ?? {})) attach(schema, typeName, fields);
  return schema;
}

function attach(
  schema: GraphQLSchema,
  typeName: string,
  resolverOf: FieldResolvers[string],
  rename = (name: string) => name,
): void {
  const type = schema.getType(typeName);
  if (isAbstractType(type)) {
    const resolveType = resolverOf.__resolveType as (source: unknown) => string;
    type.resolveType = (source) => rename(resolveType(source));
    return;
  }
  if (!isObjectType(type)) throw new TypeError(`The schema has no object type ${typeName}`);
  const fields = type.getFields();
  for (const [name, resolve] of Object.entries(resolverOf)) {
    const fieldName = rename(name);
    const field = fields[fieldName];
    if (!field) throw new TypeError(`The schema has no field ${typeName}.${fieldName}`);
    field.resolve = resolve as GraphQLFieldResolver<unknown, GraphqlContext>;
  }
}
