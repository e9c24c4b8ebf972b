import {
  buildSchema,
  type ExecutionResult,
  GraphQLError,
  type IntrospectionQuery,
  introspectionFromSchema,
  print,
  printSchema,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { buildLedgerSchema, fetchLedgerIntrospection } from '../../../src/ledger/fetch-ledger-schema.ts';

const introspect = (sdl: string): IntrospectionQuery => introspectionFromSchema(buildSchema(sdl));

test('a schema is the one that was introspected', () => {
  const sdl = 'type Query {\n  """Which chain."""\n  chainIdentifier: String!\n}';
  expect(printSchema(buildLedgerSchema(introspect(sdl)))).toBe(sdl);
});

test('what makes a ledger a subgraph stays its own', () => {
  const schema = buildLedgerSchema(
    introspect(`
      scalar _Any
      type _Service { sdl: String }
      type Object { address: ID! }
      union _Entity = Object
      type Query { object: Object _service: _Service! _entities(representations: [_Any!]!): [_Entity]! }
    `),
  );
  expect(printSchema(schema)).toBe('type Object {\n  address: ID!\n}\n\ntype Query {\n  object: Object\n}');
});

describe('a ledger is asked for less', () => {
  const introspection = introspect('type Query { a: Int }');
  const refusal = (message: string, extensions = {}) => ({ errors: [new GraphQLError(message, { extensions })] });

  /** Answers in turn; the last one from then on. */
  async function fetch(...answers: ExecutionResult[]) {
    const asked: string[] = [];
    const outcome = await fetchLedgerIntrospection(async ({ document }) => {
      asked.push(typeof document === 'string' ? document : print(document));
      return answers[Math.min(asked.length, answers.length) - 1] as ExecutionResult;
    }).then(
      () => 'answered',
      (error: GraphQLError) => error.message,
    );
    return { outcome, asked };
  }
  const whole = { data: introspection as unknown as Record<string, unknown> };

  test.each([
    ['a field', refusal('Cannot query field "isOneOf" on type "__Type".')],
    ['a field of the schema', refusal('Unknown field "description" on type "__Schema"')],
    ['something it does not name', refusal('Invalid.', { code: 'GRAPHQL_VALIDATION_FAILED' })],
  ])('when it does not know %s', async (_, refused) => {
    const { outcome, asked } = await fetch(refused, whole);
    expect(outcome).toBe('answered');
    expect(asked.map((text) => text.includes('isOneOf'))).toEqual([true, false]);
  });

  test('twice, when it is older still', async () => {
    const unknown = refusal('Unknown argument "includeDeprecated" on field "__Field.args".');
    const { outcome, asked } = await fetch(refusal('Unknown field "isOneOf"'), unknown, whole);
    expect(outcome).toBe('answered');
    expect(asked.map((text) => text.includes('isRepeatable'))).toEqual([true, true, false]);
  });

  test.each([
    ['failed', refusal('Internal server error')],
    ['took too long', refusal('Request timed out after 5000 ms', { code: 'TIMEOUT' })],
    ['broke off in the middle', { ...whole, ...refusal('connection lost') }],
    ['has no schema in it', { data: {} }],
  ])('but not when its answer %s: the poorer schema would come into force', async (_, broken) => {
    const { outcome, asked } = await fetch(broken, whole);
    expect(outcome).toMatch(/^The ledger did not answer introspection: /);
    expect(asked).toHaveLength(1);
  });
});
