import {
  buildSchema,
  execute,
  type GraphQLSchema,
  getIntrospectionQuery,
  getOperationAST,
  parse,
  validate,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { fragmentsOf } from '../../../src/documents/selections.ts';
import { createExecuteOwn } from '../../../src/operation/execute-own.ts';
import type { OperationContext } from '../../../src/upstream/operation-context.ts';
import { ledgerSchemas } from '../../support/ledger-schemas.ts';

const small = buildSchema(`
  "Where everything begins"
  type Query { a: Int fails: Int! things(kind: Kind = GOOD, at: [In!] @deprecated(reason: "slow")): [Thing!]! }
  interface Thing { id: ID! old: Int @deprecated }
  type Good implements Thing { id: ID! old: Int @deprecated }
  union Any = Good
  enum Kind { GOOD BAD @deprecated }
  input In @oneOf { a: Int b: String }
  scalar Url @specifiedBy(url: "https://url.spec.whatwg.org/")
  directive @mark(of: String = "x") repeatable on FIELD | OBJECT
`);
const everything = getIntrospectionQuery({
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});

const fields = small.getQueryType()?.getFields();
if (fields?.a && fields.fails) {
  fields.a.resolve = () => 1;
  fields.fails.resolve = () => Promise.reject(new Error('broken'));
}

/** Our answer, and what graphql-js says. */
async function ask(text: string, variables: Readonly<Record<string, unknown>> = {}, schema: GraphQLSchema = small) {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (!operation || validate(schema, document).length > 0) throw new Error(`not a valid operation: ${text}`);
  const context = { cancellation: { bytesRead: 0 } } as OperationContext;
  const fragments = fragmentsOf(document);
  const run = createExecuteOwn({ schema, ownSchema: schema, operation, fragments, joins: null });
  const answer = await run(variables, context);
  const expected = await execute({ schema, document, variableValues: variables });
  return { answer: JSON.stringify(answer), expected: JSON.stringify(expected) };
}

describe('a query with introspection fields is answered as by graphql-js', () => {
  test.each(ledgerSchemas.map(({ name, schema }) => [name, schema] as const))('of %s, whole', async (_, schema) => {
    const { answer, expected } = await ask(everything, {}, schema);
    expect(answer === expected).toBe(true);
  });

  test.each([
    ['every option', everything],
    ['no option', getIntrospectionQuery({ descriptions: false })],
    ['a type', '{ __type(name: "Query") { ...T } } fragment T on __Type { kind name fields { name isDeprecated } }'],
    ['a type that there is not', '{ __type(name: "Nothing") { name } }'],
    [
      'several types',
      '{ x: __type(name: "In") { isOneOf inputFields { name } } y: __type(name: "Url") { specifiedByURL } }',
    ],
    ['names of types', '{ __schema { __typename types { __typename kind } directives { locations isRepeatable } } }'],
    [
      'one field in pieces',
      '{ __schema { queryType { name } } ... on Query { __schema { queryType { kind } types { name } } } }',
    ],
    [
      'deprecated fields',
      '{ __type(name: "Good") { all: fields(includeDeprecated: true) { name deprecationReason } fields { name } } }',
    ],
    ['possible types', '{ __type(name: "Thing") { possibleTypes { name interfaces { name } } ofType { name } } }'],
    [
      'an alias that promises have',
      '{ __type(name: "Kind") { then: enumValues(includeDeprecated: true) { then: name } } }',
    ],
    ['its own name', '{ __typename __schema { queryType { name } } }'],
    ['something else before it', '{ a __schema { queryType { name } } }'],
    [
      'something else around it',
      '{ b: a ... on Query { s: __schema { queryType { name } } a } ...F } fragment F on Query { c: a t: __type(name: "In") { name } }',
    ],
    ['something that fails', '{ fails __schema { queryType { name } } }'],
  ])('%s', async (_, text) => {
    const { answer, expected } = await ask(text);
    expect(answer).toEqual(expected);
  });

  test.each([
    ['query ($of: String!) { __type(name: $of) { name } }', { of: 'Good' }],
    ['query ($is: Boolean!) { __schema @include(if: $is) { queryType { name } } a }', { is: false }],
    ['query ($is: Boolean!) { __schema { queryType { name @skip(if: $is) kind } } }', { is: true }],
    ['query ($d: Boolean) { __type(name: "Kind") { enumValues(includeDeprecated: $d) { name } } }', { d: true }],
    ['query ($is: Boolean!) { __schema @skip(if: $is) { queryType { name } } }', { is: true }],
  ])('%s', async (text, variables) => {
    const { answer, expected } = await ask(text, variables);
    expect(answer).toEqual(expected);
  });

  test('without a name for a type, with the same error', async () => {
    const text = 'query ($of: String = "x") { __type(name: $of) { name } __typename }';
    const { answer, expected } = await ask(text, { of: null });
    expect(answer).toEqual(expected);
  });
});
