import {
  buildClientSchema,
  type DocumentNode,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionOptions,
  type IntrospectionQuery,
  parse,
} from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';
import type { LedgerExecutor } from './ledger-executor.ts';

const usualOptions: IntrospectionOptions = {
  inputValueDeprecation: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
};

interface Introspection {
  readonly document: DocumentNode;
  /** Words of the previous query that this one leaves out. A ledger that does not know one of them names it in its error. */
  readonly words: readonly string[];
}

/**
 * Introspection queries, most complete first. Without `inputValueDeprecation`, deprecated arguments and input fields are
 * missing and real queries fail; without `oneOf`, such inputs become ordinary ones. Older servers reject both, so the gateway
 * falls back to simpler queries.
 */
const introspections: readonly Introspection[] = [
  {
    document: toQuery({ ...usualOptions, oneOf: true, schemaDescription: true }),
    words: ['isOneOf', 'description'],
  },
  {
    document: toQuery(usualOptions),
    words: ['includeDeprecated', 'isDeprecated', 'deprecationReason', 'specifiedByURL', 'isRepeatable'],
  },
  { document: toQuery({}), words: [] },
];

function toQuery(options: IntrospectionOptions): DocumentNode {
  return parse(getIntrospectionQuery(options));
}

/** The code of servers that do not name the unknown word. */
const refusedByValidation = 'GRAPHQL_VALIDATION_FAILED';

/**
 * The ledger's introspection result; rejects if the ledger is unavailable or does not allow introspection. Other errors do not
 * lead to a simpler query, because the poorer schema would come into force.
 */
export async function fetchLedgerIntrospection(execute: LedgerExecutor): Promise<IntrospectionQuery> {
  let refusal = 'no answer';
  for (const { document, words } of introspections) {
    const { data, errors = [] } = await execute({ document });
    if (data?.__schema && errors.length === 0) return data as unknown as IntrospectionQuery;
    refusal = errors[0]?.message ?? refusal;
    const isRefused = errors.some(
      ({ message, extensions }) =>
        extensions.code === refusedByValidation || words.some((word) => message.includes(word)),
    );
    if (!isRefused) break;
  }
  throw gatewayError('UPSTREAM_BAD_RESPONSE', `The ledger did not answer introspection: ${refusal}`, {
    upstream: 'ledger',
  });
}

/** Builds a schema without resolvers from an introspection result. */
export function buildLedgerSchema(introspection: IntrospectionQuery): GraphQLSchema {
  return buildClientSchema(withoutFederation(introspection));
}

const federationFields = new Set(['_service', '_entities']);
const federationTypes = new Set(['_Service', '_Entity', '_Any']);

/** Drops `_service` of a federation subgraph: it describes the ledger alone, and would mislead tools that compose graphs. */
export function withoutFederation(introspection: IntrospectionQuery): IntrospectionQuery {
  const { __schema: schema } = introspection;
  const types = schema.types
    .filter(({ name }) => !federationTypes.has(name))
    .map((type) =>
      type.name === schema.queryType.name && type.kind === 'OBJECT'
        ? { ...type, fields: type.fields.filter(({ name }) => !federationFields.has(name)) }
        : type,
    );
  return { ...introspection, __schema: { ...schema, types } };
}

/** Computes a value once per schema; `null` before there is a schema. */
export function createPerSchema<Found>(
  schema: () => GraphQLSchema | null,
  find: (schema: GraphQLSchema) => Found,
): () => Found | null {
  let last: { readonly schema: GraphQLSchema; readonly found: Found } | null = null;
  return () => {
    const current = schema();
    if (current && last?.schema !== current) last = { schema: current, found: find(current) };
    return current && last ? last.found : null;
  };
}
