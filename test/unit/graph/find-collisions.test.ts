import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { findCollisions } from '../../../src/graph/find-collisions.ts';

const pageInfo = 'type PageInfo { hasNextPage: Boolean! endCursor: String }';
const own = buildSchema(
  `scalar BigInt ${pageInfo} type Gas { a: Int } type Query { gas: Gas page: PageInfo } type Mutation { pay: BigInt }`,
);

describe('names that both schemas have', () => {
  it.each([
    ['nothing in common', 'type Query { a: Int }', []],
    [
      'scalars, roots and an equal PageInfo',
      `scalar BigInt ${pageInfo} type Query { a: BigInt b: PageInfo } type Mutation { b: Int }`,
      [],
    ],
    ['roots of other names', 'schema { query: Root } type Root { a: Int }', []],
    ['an object type', 'type Gas { b: Int } type Query { a: Gas }', ['type Gas']],
    ['a type of another kind', 'enum Gas { A } type Query { a: Gas }', ['type Gas']],
    ['a scalar against an object', 'type BigInt { a: Int } type Query { a: BigInt }', ['type BigInt']],
    [
      'a PageInfo with another field',
      'type PageInfo { hasNextPage: Boolean! endCursor: String total: Int } type Query { a: PageInfo }',
      ['type PageInfo'],
    ],
    [
      'a PageInfo of other nullability',
      'type PageInfo { hasNextPage: Boolean endCursor: String } type Query { a: PageInfo }',
      ['type PageInfo'],
    ],
    ['root fields', 'type Query { gas: Int } type Mutation { pay: Int }', ['query field gas', 'mutation field pay']],
    ['a root type that is an ordinary type here', 'schema { query: Gas } type Gas { a: Int }', ['type Gas']],
  ])('%s', (_, sdl, expected) => {
    expect(findCollisions(own, buildSchema(sdl)).map((each) => each.split(':')[0])).toEqual(expected);
  });
});
