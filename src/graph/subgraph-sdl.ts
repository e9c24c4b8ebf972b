import {
  extendSchema,
  GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  parse,
  printType,
} from 'graphql';
import { entitiesField, type LedgerEntity, ownEntities, serviceField } from './joins/entities.ts';

/** Newer versions are rejected by some composition libraries, and add nothing that this schema uses. */
const link =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@inaccessible"])';

/** graphql-js has no function that prints this, and composition requires it. */
const oneOf = 'directive @oneOf on INPUT_OBJECT';

/** The root field from which composition tools read the subgraph. */
const serviceTypeDefs = `
  extend type Query { "The schema of this graph as a Federation 2 subgraph, for composition tools." ${serviceField}: _Service! }
  "This graph as a Federation 2 subgraph."
  type _Service { "The schema with the directives of Federation 2." sdl: String! }
`;

/** Adds the root field to our part of the graph. */
export function addService(ownSchema: GraphQLSchema, readSdl: () => string | null): GraphQLSchema {
  const schema = extendSchema(ownSchema, parse(serviceTypeDefs));
  const field = schema.getQueryType()?.getFields()[serviceField];
  if (field) field.resolve = () => ({ sdl: readSdl() });
  return schema;
}

/** Types of the subgraph protocol, which are not part of a subgraph's own schema. */
const protocolTypes = new Set(['_Any', '_Entity', '_Service']);

/** The schema as a Federation 2 subgraph. Introspection loses directives, so they are added here by type name. */
export function printSubgraph(schema: GraphQLSchema, entities: readonly LedgerEntity[]): string {
  const keys = new Map([
    ...entities.map(({ type, key }) => [type, `@key(fields: "${key}")`] as const),
    ['GasReservation', `@key(fields: "${ownEntities.GasReservation}")`],
    // Finding an event by its id would take a JSON-RPC call for each transaction.
    ['RpcEvent', `@key(fields: "${ownEntities.RpcEvent}", resolvable: false)`],
    ['PageInfo', '@shareable'],
  ]);
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type) && !protocolTypes.has(type.name),
  );
  const query = schema.getQueryType();
  const texts = types.map((type) => {
    const text = printType(type === query ? withoutProtocol(query) : type);
    const directive = keys.get(type.name);
    const marked = directive
      ? text.replace(new RegExp(`^type ${type.name}\\b[^{]*(?= \\{)`, 'm'), `$& ${directive}`)
      : text;
    return isObjectType(type) || isInterfaceType(type) ? hideFields(marked, hiddenFields(type, schema)) : marked;
  });
  const hasOneOf = types.some((type) => isInputObjectType(type) && type.isOneOf);
  return [link, ...(hasOneOf ? [oneOf] : []), ...texts].join('\n\n');
}

function withoutProtocol(query: GraphQLObjectType): GraphQLObjectType {
  const { fields, ...config } = query.toConfig();
  const { [entitiesField]: _entities, [serviceField]: _service, ...own } = fields;
  return new GraphQLObjectType({ ...config, fields: own });
}

/**
 * Fields whose meaning differs between one subgraph and the supergraph: those that lead back to the root, and the global
 * `node`.
 */
function hiddenFields(type: Pick<GraphQLObjectType, 'getFields'>, schema: GraphQLSchema): readonly string[] {
  const query = schema.getQueryType();
  return Object.values(type.getFields())
    .filter((field) => {
      const returns = getNamedType(field.type);
      return returns === query || (type === query && field.name === 'node' && isInterfaceType(returns));
    })
    .map(({ name }) => name);
}

/** Marks fields of a printed type. A field with arguments may take several lines, and ends at its type. */
function hideFields(text: string, names: readonly string[]): string {
  return names.reduce(
    (marked, name) =>
      marked.replace(new RegExp(`^  ${name}(?:\\((?:.*\\)|[^]*?^  \\))|): [\\w[\\]!]+`, 'm'), '$& @inaccessible'),
    text,
  );
}
