import {
  buildSchema,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  validate,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import {
  groupJoinLookups,
  type JoinLookup,
  toJoinDocument,
  toJoinSelection,
} from '../../../../src/subschemas/ledger/join-document.ts';

const schema = buildSchema(`
  type Query { object(address: String!, version: Int): Object }
  type Object { digest: String owner: Owner others(first: Int): [Object!]! }
  union Owner = Shared | Address
  type Shared { since: Int }
  type Address { address: String }
`);

function selectionOf(text: string, name = 'J0') {
  const document = parse(text);
  const operation = document.definitions.find(
    (each) => each.kind === Kind.OPERATION_DEFINITION,
  ) as OperationDefinitionNode;
  const fragments = Object.fromEntries(
    document.definitions
      .filter((each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION)
      .map((each) => [each.name.value, each]),
  );
  const fields = operation.selectionSet.selections as FieldNode[];
  return toJoinSelection(name, fields, schema.getType('Object') as GraphQLObjectType, schema, fragments, operation);
}

const lookups = (count: number, selection = selectionOf('{ object { digest } }')): JoinLookup[] =>
  Array.from({ length: count }, (_, index) => ({
    field: 'object',
    args: { address: `0x${index}`, version: index },
    selection,
  }));

const roomy = { maxQueryNodes: 300, maxQueryPayloadSize: 5_000 };

describe('a join document', () => {
  it('asks for every key under an alias of its own and writes the selection once', () => {
    expect(print(toJoinDocument(lookups(2)))).toBe(
      print(
        parse(`{
          k0: object(address: "0x0", version: 0) { ...J0 }
          k1: object(address: "0x1", version: 1) { ...J0 }
        }
        fragment J0 on Object { digest }`),
      ),
    );
  });

  it('carries the fragments and variables the selection uses, and no others', () => {
    const selection = selectionOf(
      `query ($size: Int!, $unused: Int) { object { others(first: $size) { ...A } } }
       fragment A on Object { ...B } fragment B on Object { digest } fragment C on Object { digest }`,
    );
    const document = toJoinDocument(lookups(1, selection));
    expect(validate(schema, document)).toEqual([]);
    expect(document.definitions.map((each) => ('name' in each ? each.name?.value : undefined))).toEqual([
      undefined,
      'J0',
      'A',
      'B',
    ]);
    expect(selection.variables.map((each) => each.variable.name.value)).toEqual(['size']);
  });

  it('adds __typename where a type is abstract, which is how the outer schema tells its members apart', () => {
    const { fragment } = selectionOf('{ object { owner { ... on Shared { since } } digest } }');
    expect(print(fragment)).toBe(
      print(parse('fragment J0 on Object { owner { __typename ... on Shared { since } } digest }')),
    );
  });

  it('counts nodes as the ledger does: every field, inline fragment and spread, a fragment at each spread', () => {
    expect(selectionOf('{ object { digest } }').nodes).toBe(1);
    expect(selectionOf('{ object { ...A ...A } } fragment A on Object { digest others { digest } }').nodes).toBe(8);
    expect(selectionOf('{ object { owner { ... on Shared { since } } } }').nodes).toBe(4);
  });
});

describe('grouping lookups', () => {
  it('keeps them in one request while the ledger would take it', () => {
    expect(groupJoinLookups(lookups(20), roomy).map((group) => group.length)).toEqual([20]);
  });

  it('splits at the node bound exactly', () => {
    // A lookup costs its field, its spread and one node of selection.
    expect(groupJoinLookups(lookups(100), { ...roomy, maxQueryPayloadSize: 1e6 }).map((group) => group.length)).toEqual(
      [100],
    );
    expect(groupJoinLookups(lookups(101), { ...roomy, maxQueryPayloadSize: 1e6 }).map((group) => group.length)).toEqual(
      [100, 1],
    );
  });

  it('never writes a body over the byte bound when it has a choice', () => {
    const groups = groupJoinLookups(lookups(99), { ...roomy, maxQueryPayloadSize: 900 }, 30);
    expect(groups.flat()).toHaveLength(99);
    expect(groups.length).toBeGreaterThan(4);
    for (const group of groups) {
      const body = JSON.stringify({ query: print(toJoinDocument(group)).replace(/\s+/g, ' ') });
      expect(body.length).toBeLessThan(1_100);
    }
  });

  it('lets a lookup that is too large alone go alone, for the ledger to refuse', () => {
    expect(
      groupJoinLookups(lookups(2), { maxQueryNodes: 1, maxQueryPayloadSize: 10 }).map((group) => group.length),
    ).toEqual([1, 1]);
  });
});
