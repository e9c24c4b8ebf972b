import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { measureDocument } from '../../../../src/documents/cost/measure-document.ts';
import { nested } from '../../../support/documents.ts';

const measure = (text: string) => measureDocument(parse(text), Buffer.byteLength(text));

describe('the exemption of documents that select only the schema', () => {
  test.each([
    ['{ __schema { types { name } } }'],
    ['query IntrospectionQuery { __schema { types { ...F } } } fragment F on __Type { name }'],
    ['{ x: __schema { types { name } } }'],
    ['{ __schema @skip(if: false) { types { name } } }'],
  ])('applies to %s', (text) => {
    expect(measure(text).isExempt).toBe(true);
  });

  test.each([
    ['an alias of that name', '{ __schema: events { nodes { json } } }'],
    ['a fragment of that name', '{ ...__schema } fragment __schema on Query { __schema { types { name } } }'],
    ['an inline fragment', '{ ... { __schema { types { name } } } }'],
    ['a second selection', '{ __schema { types { name } } __typename }'],
    ['the same selection twice', '{ __schema { types { name } } __schema { types { name } } }'],
    ['a second operation', 'query A { __schema { types { name } } } query B { __schema { types { name } } }'],
    ['__type', '{ __type(name: "Query") { name } }'],
    ['__typename', '{ __typename }'],
    ['no operation', 'fragment F on Query { __schema { types { name } } }'],
  ])('does not apply to %s', (_, text) => {
    expect(measure(text).isExempt).toBe(false);
  });
});

describe('nesting', () => {
  test.each([
    ['{ a }', 0],
    ['{ a { b } }', 1],
    ['{ a { ... { b } } }', 2],
    ['{ a { ...F } } fragment F on T { b { c } }', 3],
    ['{ a(x: 1) }', 0],
    ['{ a(x: [], y: {}) }', 1],
    ['{ a(x: {}) }', 1],
    ['{ a(x: {k: [{k: 1}]}) }', 3],
    ['{ a } fragment F on T { b { c { d } } }', 2],
    ['query ($v: X = [[1]] @skip(if: [[[]]])) { a }', 3],
    [nested(34), 33],
  ])('of %s', (text, expected) => {
    expect(measure(text).nesting).toBe(expected);
  });
});

describe('the first unsupported directive', () => {
  const first = (text: string) => {
    const directive = measure(text).unsupportedDirective;
    return directive && `${directive.name.value} at ${directive.loc?.start}`;
  };

  test.each([
    ['{ a @skip(if: true) @include(if: false) }', null],
    ['{ a @skip(if: true) @x @y }', 'x at 20'],
    ['{ ... @x { a } }', 'x at 6'],
    ['{ ...F @x } fragment F on T { a }', 'x at 7'],
    ['query @x { a }', 'x at 6'],
    ['query ($v: Int @x) @y { a }', 'x at 15'],
    ['{ a } fragment F on T @x { a }', 'x at 22'],
    ['fragment F on T { a @x } query @y { a }', 'x at 20'],
    ['{ a { b @x } c @y }', 'x at 8'],
    ['{ a @Skip(if: true) }', 'Skip at 4'],
  ])('of %s is %s', (text, expected) => {
    expect(first(text)).toBe(expected);
  });
});

describe('the first unknown fragment', () => {
  const first = (text: string) => {
    const spread = measure(text).unknownFragment;
    return spread && `${spread.name.value} at ${spread.loc?.start}`;
  };

  test.each([
    ['{ ...F } fragment F on T { a }', null],
    ['{ ...X }', 'X at 2'],
    ['{ a { ...X } ...Y }', 'Y at 13'],
    ['{ a { ...F } b { ...X } } fragment F on T { ...Y }', 'X at 17'],
    ['query A { a { ...X } } query B { ...Y }', 'X at 14'],
    ['{ a } fragment F on T { ...X }', null],
    ['{ ...F ...F } fragment F on T { a { ...F2 } } fragment F2 on T { ...X ...Y }', 'X at 65'],
  ])('is found level by level in %s', (text, expected) => {
    expect(first(text)).toBe(expected);
  });

  test('is found at the same location as by the ledger, even in fragment cycles', () => {
    expect(first('{ ...F } fragment F on T { a { ...F ...X } }')).toBe('X at 36');
  });
});

describe('transaction payload', () => {
  const payload = (text: string) => measure(text).transaction;

  test.each<[string, number, string[]]>([
    ['mutation { executeTx(txBytes: "AAAA", userSig: "BB") { digest } }', 6 + 4, []],
    ['{ dryRunTransactionBlock(txBytes: "AAAA") { error } }', 6, []],
    ['mutation { executeTransactionBlock(txBytes: "A", signatures: ["BB", "C"]) { error } }', 3 + 3 + 4 + 3, []],
    ['mutation { executeTransaction(transactionDataBcs: "AAAA", signatures: ["BB"]) { errors } }', 6 + 2 + 4, []],
    ['mutation ($t: Base64!) { executeTransaction(transactionDataBcs: $t) { errors } }', 0, ['t']],
    ['query ($t: JSON!) { simulateTransaction(transaction: $t) { error } }', 0, ['t']],
    ['mutation { x: executeTx(txBytes: "AAAA") { digest } }', 6, []],
    ['mutation { executeTx: reserveGas(gasBudget: "AAAA") { id } }', 0, []],
    ['{ a { executeTx(txBytes: "AAAA") } }', 0, []],
    ['mutation { ... { ...F } } fragment F on M { executeTx(txBytes: "AAAA") }', 6, []],
    ['mutation { executeTx(txBytes: "é€") }', 2 + 5, []],
    ['mutation { executeTx(txBytes: "\\u0041\\n") }', 2 + 2, []],
    ['mutation { executeTx(txBytes: """AB""") }', 2 + 2, []],
    ['mutation { executeTx(x: []) }', 2, []],
    ['mutation { executeTx(x: [[], []]) }', 3 + 4, []],
    ['mutation { executeTx(x: [1, null, true, E, {k: "A"}]) }', 6, []],
    ['mutation { executeTx(x: {k: "AAAA", v: $v}, y: 5) }', 0, []],
    ['mutation { executeTx(x: $a, y: [$b, $a]) executeTx(x: $b) }', 3, ['a', 'b']],
    ['mutation { reserveGas(x: $a) }', 0, []],
  ])('of %s', (text, literalBytes, variables) => {
    expect(payload(text)).toMatchObject({ literalBytes, inlinedBytes: literalBytes });
    expect([...payload(text).variables].sort()).toEqual(variables);
  });

  test('counts a fragment at each use, and its text once', () => {
    const text = 'mutation A { ...F ...F } query B { ...F } fragment F on M { executeTx(txBytes: "AAAA") }';
    expect(payload(text)).toMatchObject({ literalBytes: 18, inlinedBytes: 6 });
  });
});
