import fc from 'fast-check';
import { buildSchema, getVariableValues, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createCoerceVariables, maxVariableErrors } from '../../../src/engine/coerce-variables.ts';
import { parseVariables } from '../../../src/json/exact-json.ts';
import { showValue } from '../../../src/json/show-value.ts';
import { runs } from '../../support/runs.ts';

const schema = buildSchema(`
  type Query { a(float: Float, id: ID, boolean: Boolean): Int }
  scalar Any
  enum Color { RED GREEN }
  input One @oneOf { x: Int y: String }
  input In { req: Int! opt: String = "d" list: [Int!] nested: In one: One color: Color any: Any deep: [[Int]] }
`);
const types = [
  'Int',
  'Int!',
  '[Int!]',
  '[[Int]]',
  'In',
  'In!',
  '[In!]!',
  'One',
  'Color',
  '[Color]',
  'Any',
  'String',
  'ID',
  'Float',
  'Boolean!',
];
const operationOf = (type: string, defaultValue = '') =>
  parse(`query ($v: ${type}${defaultValue}) { a }`).definitions[0] as OperationDefinitionNode;
const coerceVariables = (operation: OperationDefinitionNode, variables: Record<string, unknown>) =>
  createCoerceVariables(schema, operation, () => operation)(variables);
const messagesOf = (errors: readonly { readonly message: string }[] | undefined) =>
  errors?.map(({ message }) => message);

const leaf = fc.oneof(
  fc.constantFrom<unknown>(null, 1, 0, -1, 1.5, 2 ** 40, true, 'RED', 'BLUE', '', 'x', '1'),
  fc.string({ maxLength: 8 }),
);
const key = fc.constantFrom(
  'req',
  'opt',
  'list',
  'nested',
  'one',
  'color',
  'any',
  'deep',
  'x',
  'y',
  'unknown',
  'toString',
  'z',
);
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
})).value;

describe('the values of variables', () => {
  it('are those of graphql-js, and so are the errors, except suggestions', () => {
    fc.assert(
      fc.property(fc.constantFrom(...types), value, fc.boolean(), (type, sent, isSent) => {
        const operation = operationOf(type);
        const variables = isSent ? { v: sent } : {};
        const ours = coerceVariables(operation, variables);
        const theirs = getVariableValues(schema, operation.variableDefinitions ?? [], variables, {
          maxErrors: maxVariableErrors,
          hideSuggestions: true,
        });
        if (theirs.coerced) expect(ours).toEqual({ values: theirs.coerced });
        else {
          expect(ours.errors).toHaveLength(theirs.errors.length);
          for (const [index, { message, locations }] of theirs.errors.entries()) {
            const own = ours.errors?.[index];
            expect(own?.locations).toEqual(locations);
            // Values are shown shorter, and of what no text can be the type is told in our words.
            if (message.length < 200 && !/cannot represent/.test(message)) expect(own?.message).toBe(message);
          }
        }
      }),
      { numRuns: runs(600) },
    );
  });

  it('are their defaults if they are absent, and null if they are null', () => {
    expect(coerceVariables(operationOf('Int', ' = 3'), {})).toEqual({ values: { v: 3 } });
    expect(coerceVariables(operationOf('Int', ' = 3'), { v: null })).toEqual({ values: { v: null } });
    expect(coerceVariables(operationOf('Int', ' = null'), {})).toEqual({ values: { v: null } });
    expect(coerceVariables(operationOf('Int'), {})).toEqual({ values: {} });
  });

  it.each(['7', '-7', '9007199254740993', '123456789012345678901234567890'])(
    'keep all digits of the ID %s',
    (digits) => {
      const variables = parseVariables(`{"v":${digits}}`) as Record<string, unknown>;
      expect(coerceVariables(operationOf('ID'), variables)).toEqual({ values: { v: digits } });
    },
  );

  it.each<[string, unknown]>([
    ['sent', JSON.parse('{"__proto__":{"req":1}}')],
    ['its default', {}],
  ])('are nobody’s prototype, whatever the variable is called: %s', (_, sent) => {
    const [operation] = parse('query ($__proto__: In = { req: 1 }) { a }').definitions;
    const coerced = coerceVariables(operation as OperationDefinitionNode, sent as Record<string, unknown>);
    expect(JSON.stringify(coerced)).toBe('{"values":{"__proto__":{"req":1,"opt":"d"}}}');
    expect(coerced).not.toHaveProperty('values.req');
  });

  it('with a wrong value are reported with the name, the path and the type', () => {
    const { errors } = coerceVariables(operationOf('In'), { v: { req: 1, nested: { req: 'x' }, nope: 1 } });
    expect(messagesOf(errors)).toEqual([
      'Variable "$v" got invalid value "x" at "v.nested.req"; Int cannot represent non-integer value: "x"',
      'Variable "$v" got invalid value { req: 1, nested: { req: "x" }, nope: 1 }; Field "nope" is not defined by type "In".',
    ]);
  });
});

describe('a megabyte of wrong values', () => {
  const megabyte = 'y'.repeat(1_000_000);
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`y${index}`, 1]));
  const deep = () => {
    let inner: unknown = 1;
    for (let level = 0; level < 120; level += 1) inner = { nested: inner, nope: 1 };
    return inner;
  };
  it.each<[string, string, unknown]>([
    ['wide', 'In', wide],
    ['wide, in a list', '[In]', Array.from({ length: 20_000 }, () => ({ nope: 1 }))],
    ['wide, for an integer', 'Int', wide],
    ['wide, for a choice', 'Color', wide],
    ['deep', 'In', deep()],
    ['a long name', 'In', { req: 1, [megabyte]: 1 }],
    ['a long text for an integer', 'Int', megabyte],
    ['a long text for a choice', 'Color', megabyte],
    ['long texts for choices', '[Color]', Array.from({ length: 100 }, () => 'y'.repeat(10_000))],
    ['a long list of nothing', '[Int!]', Array.from({ length: 20_000 }, () => null)],
  ])('is told in a few words: %s', (_name, type, sent) => {
    const { errors } = coerceVariables(operationOf(type), { v: sent });
    expect(errors?.length).toBeGreaterThan(0);
    expect(errors?.length).toBeLessThanOrEqual(6);
    for (const { message } of errors ?? []) expect(message.length).toBeLessThanOrEqual(501);
  });

  it('is not read beyond the last reported error', () => {
    let reads = 0;
    const counting = (target: object) =>
      new Proxy(target, {
        get(object, name) {
          reads += 1;
          return Reflect.get(object, name);
        },
      });
    const sent = counting(Array.from({ length: 20_000 }, () => ({ nope: 1 })));
    coerceVariables(operationOf('[In]'), { v: sent });
    expect(reads).toBeLessThan(100);
  });
});

describe('a value in an error message', () => {
  it.each<[unknown, string]>([
    [{ a: [1, 'x', null], b: {} }, '{ a: [1, "x", null], b: {} }'],
    [{ a: { b: { c: { d: 1 } } } }, '{ a: { b: [Object] } }'],
    [Array.from({ length: 12 }, (_, index) => index), '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ... 2 more items]'],
    ['"', '"\\""'],
  ])('%j is written %s', (sent, text) => {
    expect(showValue(sent, 200)).toBe(text);
  });

  it('is truncated', () => {
    expect(showValue('x'.repeat(1_000), 20)).toBe(`"${'x'.repeat(19)}…`);
    expect(showValue({ a: 'x'.repeat(1_000), b: 1 }, 20)).toHaveLength(21);
  });
});

describe('a wrong value', () => {
  it.each([
    ['Int!', 'x'],
    ['Int!', undefined],
    ['Color', 'BLUE'],
    ['Any!', null],
  ])('of %s is reported without recursion', (type, value) => {
    const limit = Error.stackTraceLimit;
    const { errors = [] } = coerceVariables(operationOf(type), value === undefined ? {} : { v: value });
    expect(errors).toHaveLength(1);
    expect(errors[0]?.stack).toBeUndefined();
    expect(Error.stackTraceLimit).toBe(limit);
  });
});
