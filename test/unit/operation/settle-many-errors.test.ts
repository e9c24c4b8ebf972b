import { buildSchema, type FieldNode, GraphQLError, Kind, type OperationDefinitionNode, parse } from 'graphql';
import { expect, test } from 'vitest';
import { toGraphqlErrors } from '../../../src/ledger/answers/ledger-answer.ts';
import { settleErrors } from '../../../src/operation/settle-errors.ts';

const schema = buildSchema('type Query { items: [Item] } type Item { name: String }');
const operation = parse('{ items { name } }').definitions[0] as OperationDefinitionNode;
const answered = { schema, operation, fragments: new Map(), variables: {} };
const [items] = operation.selectionSet.selections as [FieldNode];
const [name] = items.selectionSet?.selections ?? [];

test('an error that has a location is not copied', () => {
  const nodes = name?.kind === Kind.FIELD ? [name] : [];
  const errors = Array.from(
    { length: 3 },
    (_, index) => new GraphQLError('no', { nodes, path: ['items', index, 'name'] }),
  );
  const settled = settleErrors({ data: { items: [] }, errors: errors.toReversed() }, answered, true);
  expect(settled.errors?.every((error, index) => error === errors[index])).toBe(true);
});

test('an error without a location gets one', () => {
  const errors = [new GraphQLError('no', { path: ['items', 0, 'name'] })];
  const [settled] = settleErrors({ data: { items: [null] }, errors }, answered, true).errors ?? [];
  expect(settled?.locations).toEqual([{ line: 1, column: 11 }]);
});

test('the text is scanned once for all errors of a response, and not for errors without a location', () => {
  let read = 0;
  const readText = () => {
    read += 1;
    return '{\n items { name } }';
  };
  const entry = { message: 'no', path: ['items'], locations: [{ line: 2, column: 2 }] };
  const errors = toGraphqlErrors(Array(1_000).fill(entry), readText);
  expect(errors.every(({ locations }) => locations?.[0]?.line === 2 && locations[0].column === 2)).toBe(true);
  expect(read).toBe(1);
  toGraphqlErrors([{ message: 'no' }], readText);
  expect(read).toBe(1);
});
