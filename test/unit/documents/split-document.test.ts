import { getOperationAST, parse, print } from 'graphql';
import { describe, expect, it } from 'vitest';
import { takePart, variablesOf } from '../../../src/documents/plan-operation.ts';
import { fragmentsOf } from '../../../src/documents/selections.ts';

const document = parse(
  'query Q($a: Int, $b: Int = 2, $c: Int) { theirs(x: $a) { y(z: $b) } ...Ours } fragment Ours on Query { ours(x: $c) }',
);
const operation = getOperationAST(document);
if (!operation) throw new Error('no operation');
const part = takePart(operation, fragmentsOf(document), ({ name }) => name.value === 'theirs');

describe('a part of an operation', () => {
  it('declares only the variables that it uses', () => {
    expect(print(part.document).replaceAll(/\s+/g, ' ')).toBe(
      'query Q($a: Int, $b: Int = 2) { theirs(x: $a) { y(z: $b) } }',
    );
  });

  it('keeps the directives of the fragments that it expands, and their variables', () => {
    const text = 'query ($x: Boolean!, $y: Boolean!) { ...F @include(if: $x) ... @skip(if: $y) { theirs ours } }';
    const mixed = parse(`${text} fragment F on Query { ours theirs }`);
    const asked = getOperationAST(mixed);
    if (!asked) throw new Error('no operation');
    const taken = takePart(asked, fragmentsOf(mixed), ({ name }) => name.value === 'theirs');
    expect(print(taken.document).replaceAll(/\s+/g, ' ')).toBe(
      'query ($x: Boolean!, $y: Boolean!) { ... @include(if: $x) { theirs } ... @skip(if: $y) { theirs } }',
    );
  });

  it('receives only variables that were sent: absent ones stay absent', () => {
    expect(Object.entries(variablesOf(part, {}))).toEqual([]);
    expect(Object.entries(variablesOf(part, { b: null, c: 3, d: 4 }))).toEqual([['b', null]]);
    expect(Object.entries(variablesOf(part, { a: 1, b: 2, c: 3 }))).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
  });

  it('has no variable named as an inherited property of objects', () => {
    const odd = parse('query ($constructor: Int, $toString: Int) { theirs(x: $constructor, y: $toString) }');
    const found = getOperationAST(odd);
    if (!found) throw new Error('no operation');
    const own = takePart(found, new Map(), () => true);
    expect(Object.entries(variablesOf(own, {}))).toEqual([]);
  });

  it('receives a variable called __proto__ like any other', () => {
    const odd = parse('query ($__proto__: Int) { theirs(x: $__proto__) }');
    const found = getOperationAST(odd);
    if (!found) throw new Error('no operation');
    const own = takePart(found, new Map(), () => true);
    const sent = variablesOf(own, JSON.parse('{"__proto__":{"x":1}}'));
    expect(JSON.stringify(sent)).toBe('{"__proto__":{"x":1}}');
    expect('x' in sent).toBe(false);
  });
});
