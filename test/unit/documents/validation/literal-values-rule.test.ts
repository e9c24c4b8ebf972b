import { buildSchema, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { toExecutableDocument } from '../../../../src/documents/selections.ts';
import { validateDocument } from '../../../../src/documents/validation/validate-document.ts';

const schema = buildSchema(`
  enum Kind { A B }
  input Filter { kind: Kind, sizes: [Int!], all: [Filter!], needed: Filter, strict: Strict }
  input Strict { size: Int! }
  input One @oneOf { a: Int, b: Int }
  type Query { list(first: Int, filter: Filter, flag: Boolean!, one: One): Int, other(first: Int): Int }
`);

function errorsOf(text: string) {
  const document = parse(text);
  return validateDocument(document, toExecutableDocument(document), { schema, rules: [], hidesSuggestions: false })
    .errors;
}

describe('a literal that does not fit its type', () => {
  it.each([
    ['{ list(flag: true, first: "x") }', 'first', 'Int cannot represent non-integer value: "x"'],
    ['{ list(flag: null) }', 'flag', 'Expected value of type "Boolean!", found null.'],
    [
      '{ list(flag: true, filter: { kind: C }) }',
      'filter.kind',
      'Value "C" does not exist in "Kind" enum. Did you mean the enum value "A" or "B"?',
    ],
    [
      '{ list(flag: true, filter: { sizes: [1, 2.5] }) }',
      'filter.sizes',
      'Int cannot represent non-integer value: 2.5',
    ],
    [
      '{ list(flag: true, filter: { all: [{ needed: { kind: A, sizes: true } }] }) }',
      'filter.all.needed.sizes',
      'Int cannot represent non-integer value: true',
    ],
    [
      '{ list(flag: true, filter: { strict: {} }) }',
      'filter.strict',
      'Field "Strict.size" of required type "Int!" was not provided.',
    ],
    [
      '{ list(flag: true, filter: { needed: { colour: 1 } }) }',
      'filter.needed',
      'Field "colour" is not defined by type "Filter".',
    ],
    ['{ list(flag: true, one: { a: 1, b: 2 }) }', 'one', 'OneOf Input Object "One" must specify exactly one key.'],
    ['{ list(flag: true) @skip(if: 1) }', 'if', 'Boolean cannot represent a non boolean value: 1'],
  ])('%s is reported with its argument', (text, argument, rule) => {
    const errors = errorsOf(text);
    expect(errors.map(({ message }) => message)).toEqual([`Argument "${argument}": ${rule}`]);
    expect(errors[0]?.extensions).toEqual({ argument });
    expect(errors[0]?.locations).toHaveLength(1);
  });

  it('is reported with its own argument if several are wrong', () => {
    const text =
      '{ other(first: "a") list(flag: 1, filter: { kind: C, sizes: "b" }, first: [3]) again: other(first: {}) }';
    expect(errorsOf(text).map(({ extensions }) => extensions.argument)).toEqual([
      'first',
      'flag',
      'filter.kind',
      'filter.sizes',
      'first',
      'first',
    ]);
  });

  it('is reported with its variable if it is the default of one', () => {
    expect(errorsOf('query ($n: Int = "a") { other(first: $n) }')).toMatchObject([
      { message: 'Variable "$n": Int cannot represent non-integer value: "a"', extensions: {} },
    ]);
  });

  it('is reported with only the beginning of a long path', () => {
    const deep = `{ list(flag: true, filter: ${'{ needed: '.repeat(40)}1${' }'.repeat(40)}) }`;
    const [error] = errorsOf(deep);
    expect(error?.extensions.argument).toBe(`filter${'.needed'.repeat(7)}`);
  });
});
