import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery, type IntrospectionQuery, parse } from 'graphql';
import { gatewayError } from '../../errors/gateway-error.ts';
import type { LedgerExecutor } from './ledger-executor.ts';

/**
 * What to ask a ledger about its schema, most complete first. Without `inputValueDeprecation` deprecated arguments and
 * input fields vanish and real queries fail; without `oneOf` such inputs become ordinary ones. An older server knows
 * neither and refuses the query, so it is asked again for less.
 */
const introspections = [
  {
    oneOf: true,
    inputValueDeprecation: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
  },
  { inputValueDeprecation: true, specifiedByUrl: true, directiveIsRepeatable: true },
  {},
].map((options) => parse(getIntrospectionQuery(options)));

/** The ledger's introspection result; rejects when the ledger cannot be reached or allows no introspection. */
export async function fetchLedgerIntrospection(execute: LedgerExecutor): Promise<IntrospectionQuery> {
  let refusal = 'no answer';
  for (const document of introspections) {
    const { data, errors } = await execute({ document });
    if (data?.__schema) return data as unknown as IntrospectionQuery;
    refusal = errors?.[0]?.message ?? refusal;
  }
  throw gatewayError('UPSTREAM_BAD_RESPONSE', `The ledger did not answer introspection: ${refusal}`, {
    upstream: 'ledger',
  });
}

/** Builds the executable-less schema of an introspection result. */
export function buildLedgerSchema(introspection: IntrospectionQuery): GraphQLSchema {
  return buildClientSchema(withoutFederation(introspection));
}

const federationFields = new Set(['_service', '_entities']);
const federationTypes = new Set(['_Service', '_Entity', '_Any']);

/**
 * A ledger that is a subgraph of some federation describes itself by `_service`. Seen through this graph that would be a
 * description of the wrong one, and whoever composes this graph would believe it.
 */
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
