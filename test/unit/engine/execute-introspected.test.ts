import {
  buildSchema,
  type ExecutionResult,
  execute,
  getIntrospectionQuery,
  getOperationAST,
  parse,
  validate,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { fragmentsOf } from '../../../src/documents/selections.ts';
import { createExecuteIntrospected, createExecuteStitched } from '../../../src/engine/execute-stitched.ts';
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

/** The answer, how often graphql-js was asked for all of it, and what it alone says. */
async function ask(text: string, variables: Readonly<Record<string, unknown>> = {}, schema = small) {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (!operation || validate(schema, document).length > 0) throw new Error(`not a valid operation: ${text}`);
  const rootValue = { a: 1, fails: () => Promise.reject(new Error('broken')) };
  let whole = 0;
  const introspected = createExecuteIntrospected({
    schema,
    operation,
    fragments: fragmentsOf(document),
    executeWhole: () => {
      whole += 1;
      return execute({ schema, document, rootValue, variableValues: variables }) as ExecutionResult;
    },
    toExecute: (part) => (given, context) => createExecuteStitched(schema, part, null)(given, context, rootValue),
  });
  const answer = await introspected?.(variables, {} as OperationContext);
  const expected = await execute({ schema, document, rootValue, variableValues: variables });
  return { answer: JSON.stringify(answer), expected: JSON.stringify(expected), whole };
}

describe('a query with introspection fields is answered as by graphql-js', () => {
  test.each(ledgerSchemas.map(({ name, schema }) => [name, schema] as const))('of %s, whole', async (_, schema) => {
    const { answer, expected, whole } = await ask(everything, {}, schema);
    expect(answer === expected).toBe(true);
    expect(whole).toBe(0);
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
    const { answer, expected, whole } = await ask(text);
    expect(answer).toBe(expected);
    expect(whole).toBe(0);
  });

  test.each([
    ['query ($of: String!) { __type(name: $of) { name } }', { of: 'Good' }],
    ['query ($is: Boolean!) { __schema @include(if: $is) { queryType { name } } a }', { is: false }],
    ['query ($is: Boolean!) { __schema { queryType { name @skip(if: $is) kind } } }', { is: true }],
    ['query ($d: Boolean) { __type(name: "Kind") { enumValues(includeDeprecated: $d) { name } } }', { d: true }],
    ['query ($is: Boolean!) { __schema @skip(if: $is) { queryType { name } } }', { is: true }],
  ])('%s', async (text, variables) => {
    const { answer, expected } = await ask(text, variables);
    expect(answer).toBe(expected);
  });

  test('a null instead of a name is left to graphql-js', async () => {
    const { answer, expected, whole } = await ask('query ($of: String = "x") { __type(name: $of) { name } }', {
      of: null,
    });
    expect(answer).toBe(expected);
    expect(whole).toBe(1);
  });
});

test('other operations are left alone', () => {
  const operation = getOperationAST(parse('{ a }'));
  if (!operation) throw new Error('no operation');
  const never = () => {
    throw new Error('nothing is executed');
  };
  const options = { schema: small, operation, fragments: new Map(), executeWhole: never, toExecute: never };
  expect(createExecuteIntrospected(options)).toBeNull();
});
