import fc from 'fast-check';
import { buildSchema, getVariableValues, Kind, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createFitsVariables } from '../../../src/engine/coerce-variables.ts';

const schema = buildSchema(`
  type Query { a(b: Int): Int }
  scalar Address
  enum Color { RED GREEN }
  input Range { from: Int = 1 to: Int! }
  input Filter { not: Filter all: [Filter!] color: Color range: Range name: String flag: Boolean! = true }
  input One @oneOf { id: ID name: String }
`);
const address = schema.getType('Address');
if (address && 'parseValue' in address) {
  address.parseValue = (value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith('0x')) throw new TypeError('not an address');
    return value;
  };
}

const operationOf = (declarations: string) => {
  const [definition] = parse(`query (${declarations}) { a }`).definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error('an operation');
  return definition;
};

const judge = (declarations: string, variables: Record<string, unknown>) => {
  const operation = operationOf(declarations);
  return {
    fits: createFitsVariables(schema, operation)(variables),
    errors: getVariableValues(schema, operation.variableDefinitions ?? [], variables).errors?.length ?? 0,
  };
};

describe('variables that fit', () => {
  it.each([
    ['$n: Int', {}],
    ['$n: Int', { n: null }],
    ['$n: Int! = 5', {}],
    ['$n: Int!', { n: 3, other: 'passed on' }],
    ['$n: [Int!]!', { n: [] }],
    ['$a: Address!', { a: '0x1' }],
    ['$c: Color', { c: 'RED' }],
    ['$f: Filter', { f: { not: { all: [{ range: { to: 2 } }] }, color: null } }],
    ['$o: One!', { o: { id: '1' } }],
  ])('%s with %j', (declarations, variables) => {
    expect(judge(declarations, variables)).toEqual({ fits: true, errors: 0 });
  });
});

describe('variables that do not', () => {
  it.each([
    ['$n: Int!', {}],
    ['$n: Int!', { n: null }],
    ['$n: Int! = 5', { n: null }],
    ['$n: Int', { n: '1' }],
    ['$n: Int', { n: 2 ** 31 }],
    ['$n: [Int!]', { n: [1, null] }],
    ['$a: Address', { a: 'x' }],
    ['$c: Color', { c: 'BLUE' }],
    ['$f: Filter', { f: { range: {} } }],
    ['$f: Filter', { f: { unknown: 1 } }],
    ['$f: Filter', { f: { flag: null } }],
    ['$o: One', { o: {} }],
    ['$o: One', { o: { id: null } }],
    ['$o: One', { o: { id: '1', name: 'a' } }],
  ])('%s with %j', (declarations, variables) => {
    const { fits, errors } = judge(declarations, variables);
    expect(fits).toBe(false);
    expect(errors).toBeGreaterThan(0);
  });

  it('as they are fit if coercion accepts them', () => {
    expect(judge('$n: [Int]', { n: 1 })).toEqual({ fits: true, errors: 0 });
  });
});

it('never passes what the reference implementation refuses', () => {
  const names = fc.constantFrom('not', 'all', 'color', 'range', 'name', 'flag', 'from', 'to', 'id', 'x', '__proto__');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom(null, 1, 0.5, -1, 2 ** 40, '', 'RED', '0x1', true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(names, tie('value'), { maxKeys: 3 }),
    ),
  }));
  const types = [
    'Int',
    'Int!',
    'String',
    'ID!',
    'Boolean',
    'Float',
    'Address',
    'Color!',
    'Filter',
    'Range!',
    'One',
  ].flatMap((type) => [type, `[${type}]`, `[[${type}]!]!`]);
  let fitting = 0;
  fc.assert(
    fc.property(fc.constantFrom(...types), fc.option(value, { nil: undefined }), (type, sent) => {
      const { fits, errors } = judge(`$v: ${type}`, sent === undefined ? {} : { v: sent });
      if (fits) fitting += 1;
      expect(fits && errors > 0).toBe(false);
    }),
    { numRuns: 4_000, seed: 1 },
  );
  expect(fitting).toBeGreaterThan(400);
}, 60_000);
