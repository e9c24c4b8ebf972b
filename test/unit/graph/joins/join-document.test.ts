import {
  buildSchema,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  stripIgnoredCharacters,
  validate,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import {
  createToJoinLookup,
  groupJoinLookups,
  type JoinLookup,
  toJoinDocument,
  toJoinSelection,
} from '../../../../src/graph/joins/join-document.ts';

const schema = buildSchema(`
  type Query { object(address: String!, version: Int): Object }
  type Object { digest: String owner: Owner others(first: Int): [Object!]! }
  union Owner = Shared | Address
  type Shared { since: Int }
  type Address { address: String }
`);

function selectionOf(text: string, { name = 'J0' } = {}) {
  const document = parse(text);
  const operation = document.definitions.find(
    (each) => each.kind === Kind.OPERATION_DEFINITION,
  ) as OperationDefinitionNode;
  const fragments = new Map(
    document.definitions
      .filter((each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION)
      .map((each) => [each.name.value, each]),
  );
  const fields = operation.selectionSet.selections as FieldNode[];
  const type = schema.getType('Object') as GraphQLObjectType;
  return toJoinSelection(name, fields, type, { operation, fragments });
}

const lookups = (count: number, selection = selectionOf('{ object { digest } }')): JoinLookup[] => {
  const toLookup = createToJoinLookup({ field: 'object', id: 'address', version: 'version', selection });
  return Array.from({ length: count }, (_, index) => toLookup({ id: `0x${index}`, version: String(index) }));
};

const roomy = { maxQueryNodes: 300, maxQueryPayloadSize: 5_000 };

describe('a join document', () => {
  it('asks for every key under an alias of its own and writes the selection once', () => {
    const text = toJoinDocument(lookups(2));
    expect(text).toBe(
      '{k0:object(address:"0x0" version:0){...J0}k1:object(address:"0x1" version:1){...J0}}fragment J0 on Object{digest}',
    );
    expect(stripIgnoredCharacters(text)).toBe(text);
    expect(validate(schema, parse(text))).toEqual([]);
  });

  it('carries the fragments and variables the selection uses, and no others', () => {
    const selection = selectionOf(
      `query ($size: Int!, $unused: Int) { object { others(first: $size) { ...A } } }
       fragment A on Object { ...B } fragment B on Object { digest } fragment C on Object { digest }`,
    );
    const document = parse(toJoinDocument(lookups(1, selection)));
    expect(validate(schema, document)).toEqual([]);
    expect(document.definitions.map((each) => ('name' in each ? each.name?.value : undefined))).toEqual([
      undefined,
      'J0',
      'A',
      'B',
    ]);
    expect([...selection.variables.entries()]).toEqual([['size', '$size:Int!']]);
  });

  it('says of two selections whether they are the same, whatever their fragments are called', () => {
    const [one, same, other] = [
      selectionOf('{ object { digest others { ...A } } } fragment A on Object { digest }'),
      selectionOf('{ x: object { digest others { ...A } } } fragment A on Object { digest }', { name: 'J1' }),
      selectionOf('{ object { digest } }'),
    ];
    expect(one.body).toBe(same.body);
    expect(one.body).not.toBe(other.body);
  });

  it('counts nodes as the ledger does: every field, inline fragment and spread, a fragment at each spread', () => {
    expect(selectionOf('{ object { digest } }').nodes).toBe(1);
    expect(selectionOf('{ object { ...A ...A } } fragment A on Object { digest others { digest } }').nodes).toBe(8);
    expect(selectionOf('{ object { owner { ... on Shared { since } } } }').nodes).toBe(3);
  });
});

describe('a lookup', () => {
  const toLookup = createToJoinLookup({
    field: 'object',
    id: 'address',
    selection: selectionOf('{ object { digest } }'),
  });

  it.each([
    ['0x2'],
    ['8yhMaY3oBcX4d6tXb1jYqvJ1p5oCWdFqD1Gk2sJ5o3Zx'],
    ['a"b'],
    ['back\\slash'],
    ['"){x}'],
    ['new\nline\u0000'],
    ['ü😀'],
    [''],
  ])('says its key so that the ledger reads %j', (id) => {
    const { text } = toLookup({ id });
    const document = parse(`{${text}} fragment J0 on Object { digest }`);
    const [field] = (document.definitions[0] as OperationDefinitionNode).selectionSet.selections as FieldNode[];
    expect(field?.arguments?.map(({ name, value }) => [name.value, 'value' in value && value.value])).toEqual([
      ['address', id],
    ]);
  });

  it.each([['0x2'], ['a"b'], ['ü😀'], ['new\nline']])('knows its bytes in a body: %j', (id) => {
    const { text, bytes } = toLookup({ id });
    expect(bytes).toBe(Buffer.byteLength(JSON.stringify(text)) - 2);
  });

  it('leaves out a version that there is not, or that the ledger has no argument for', () => {
    expect(toLookup({ id: '0x2', version: '3' }).text).toBe('object(address:"0x2"){...J0}');
    const versioned = createToJoinLookup({
      field: 'object',
      id: 'address',
      version: 'version',
      selection: selectionOf('{ object { digest } }'),
    });
    expect(versioned({ id: '0x2', version: undefined }).text).toBe('object(address:"0x2"){...J0}');
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
      const body = JSON.stringify({ query: toJoinDocument(group), variables: {} });
      expect(body.length + 30).toBeLessThanOrEqual(900);
    }
  });

  it.each([
    ['by turns', (index: number) => index % 2],
    ['one after the other', (index: number) => Number(index >= 30)],
  ])('never does with two selections %s, each written once in a body', (_, which) => {
    const text = 'query ($n: Int) { object { owner { ... on Address { address } } others(first: $n) { digest } } }';
    const selections = [selectionOf('{ object { digest } }'), selectionOf(text, { name: 'J1' })];
    const made = selections.map((selection) => lookups(60, selection));
    const mixed = Array.from({ length: 60 }, (_, index) => made[which(index)]?.[index]).filter((each) => !!each);
    const groups = groupJoinLookups(mixed, { ...roomy, maxQueryPayloadSize: 900 });
    expect(groups.flat()).toEqual(mixed);
    const bodies = groups.map((group) => Buffer.byteLength(JSON.stringify({ query: toJoinDocument(group) })));
    expect(Math.max(...bodies)).toBeLessThanOrEqual(900);
    // All but the last are full: none has room for another lookup and the selection it may bring.
    for (const bytes of bodies.slice(0, -1)) expect(bytes).toBeGreaterThan(600);
    for (const group of groups) expect(toJoinDocument(group).match(/fragment J1 /g)?.length ?? 0).toBeLessThan(2);
  });

  it('lets a lookup that is too large alone go alone, for the ledger to refuse', () => {
    expect(
      groupJoinLookups(lookups(2), { maxQueryNodes: 1, maxQueryPayloadSize: 10 }).map((group) => group.length),
    ).toEqual([1, 1]);
  });
});
