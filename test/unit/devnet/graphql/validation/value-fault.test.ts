import { buildSchema, type GraphQLInputType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { valueFault } from '../../../../../src/devnet/graphql/validation/value-fault.ts';

const schema = buildSchema(`
  scalar Address
  enum Color { RED }
  input Key { id: Address!, color: Color, size: Int, inner: Key }
  type Query { a(int: Int, must: Int!, text: String, flag: Boolean, float: Float, list: [Int!], key: Key, color: Color, own: Address): Int }
`);
const typeOf = (name: string) =>
  schema
    .getQueryType()!
    .getFields()
    .a!.args.find((arg) => arg.name === name)!.type as GraphQLInputType;

describe('a value', () => {
  test.each([
    ['int', 3],
    ['int', null],
    ['int', undefined],
    ['int', 2 ** 31 - 1],
    ['text', 'a'],
    ['flag', false],
    ['float', 1.5],
    ['list', [1, 2]],
    ['list', 1],
    ['key', { id: '0x1', color: 'RED', inner: { id: 1 } }],
    ['color', 'RED'],
    ['own', { anything: true }],
  ])('of %s may be %j', (name, value) => {
    expect(valueFault(typeOf(name), value, name)).toBeUndefined();
  });

  test.each([
    ['int', -1, '"int", expected type "Int"'],
    ['int', 2 ** 31, '"int", expected type "Int"'],
    ['int', '1', '"int", expected type "Int"'],
    ['must', null, '"must", expected type "Int!"'],
    ['text', 1, '"text", expected type "String"'],
    ['flag', 'true', '"flag", expected type "Boolean"'],
    ['float', '1', '"float", expected type "Float"'],
    ['list', [1, null], '"list.1", expected type "Int!"'],
    ['key', 'x', '"key", expected type "Key"'],
    ['key', {}, '"key", field "id" of type "Key" is required but not provided'],
    ['key', { id: 1, colour: 1 }, '"key", unknown field "colour" of type "Key"'],
    ['key', { id: 1, inner: { id: 1, size: 'x' } }, '"key.inner.size", expected type "Int"'],
    ['color', 'BLUE', '"color", enumeration type "Color" does not contain the value "BLUE"'],
  ])('of %s may not be %j', (name, value, fault) => {
    expect(valueFault(typeOf(name), value, name)).toBe(fault);
  });
});
