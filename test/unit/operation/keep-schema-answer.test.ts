import { buildSchema, type ExecutionResult, execute, getOperationAST, parse } from 'graphql';
import { expect, test } from 'vitest';
import { createKeepSchemaAnswer } from '../../../src/operation/execute-here.ts';
import type { OperationContext } from '../../../src/upstream/operation-context.ts';

/** How often an answer is made for a document that is asked for again and again. */
function createAsk(schema = buildSchema('type Query { a: Int }')) {
  const made: string[] = [];
  const keepSchemaAnswer = createKeepSchemaAnswer();
  return {
    made,
    toAsk: (text: string) => {
      const document = parse(text);
      const operation = getOperationAST(document);
      if (!operation) throw new Error('no operation');
      const ask = keepSchemaAnswer(document, operation, (variableValues) => {
        made.push(text);
        return execute({ schema, document, variableValues }) as ExecutionResult;
      });
      return (variables = {}) => ask(variables, {} as OperationContext);
    },
  };
}

test('the schema response is reused without parsing it again', () => {
  const { made, toAsk } = createAsk();
  const ask = toAsk('{ __schema { queryType { name } } }');
  expect([ask(), ask(), ask()]).toEqual(Array(3).fill({ data: { __schema: { queryType: { name: 'Query' } } } }));
  expect(made).toHaveLength(1);
});

test('a response that contains more than the schema, or depends on variables, is computed each time', () => {
  const { made, toAsk } = createAsk();
  for (const text of [
    '{ a __schema { queryType { name } } }',
    'query ($b: Boolean!) { __schema { queryType @include(if: $b) { name } } }',
  ]) {
    const ask = toAsk(text);
    made.length = 0;
    expect(ask({ b: true })).toMatchObject({ data: { __schema: { queryType: { name: 'Query' } } } });
    ask({ b: false });
    expect(made).toHaveLength(2);
  }
});

test('a few responses are kept for each schema', () => {
  const { made, toAsk } = createAsk();
  const asks = Array.from({ length: 5 }, (_, index) => toAsk(`{ a${index}: __schema { queryType { name } } }`));
  for (const ask of asks) ask();
  asks[4]?.();
  expect(made).toHaveLength(5);
  asks[0]?.();
  expect(made).toHaveLength(6);
  const other = createAsk();
  other.toAsk('{ __schema { queryType { name } } }')();
  asks[4]?.();
  expect(made).toHaveLength(6);
});
