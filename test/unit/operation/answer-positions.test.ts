import { buildSchema, getOperationAST, parse, print } from 'graphql';
import { expect, test } from 'vitest';
import { fragmentsOf } from '../../../src/documents/selections.ts';
import { compareRanks, createFindPosition } from '../../../src/operation/settle-errors.ts';

const schema = buildSchema(`
  type Query { pet: Pet pets: [Pet] count: Int }
  interface Pet { name: String }
  type Dog implements Pet { name: String bark: String }
  type Cat implements Pet { name: String meow: String }
`);
const positionsOf = (text: string, variables = {}) => {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (!operation) throw new Error('no operation');
  return createFindPosition({ schema, operation, fragments: fragmentsOf(document), variables });
};

test('a position belongs to all fields that select the same, and to no other field with its key', () => {
  const find = positionsOf(
    '{ pet { ... on Dog { noise: bark } ... on Cat { noise: meow } ... on Dog { noise: bark } } }',
  );
  expect(find(['pet', 'noise'])?.nodes.map((node) => print(node))).toEqual(['noise: bark', 'noise: bark']);
});

test('a field that a directive skips, or that is not selected, has no position', () => {
  const find = positionsOf('query ($x: Boolean!) { count @skip(if: $x) pet { name } }', { x: true });
  expect([find(['count']), find(['pet', 'age']), find([])]).toEqual([null, null, null]);
  expect(find(['pet', 'name'])?.rank).toEqual([0, 0]);
});

test('positions sort in the order of the response, and errors without a position come last', () => {
  const find = positionsOf('{ count pets { name } pet { name } }');
  const paths = [['pet', 'name'], ['pets', 10, 'name'], ['pets', 2, 'name'], ['pets'], ['count'], ['nothing']];
  const ranked = paths.map((path) => ({ path: path.join('.'), rank: find(path)?.rank ?? null }));
  expect(ranked.sort((one, other) => compareRanks(one.rank, other.rank)).map(({ path }) => path)).toEqual([
    'count',
    'pets',
    'pets.2.name',
    'pets.10.name',
    'pet.name',
    'nothing',
  ]);
});
