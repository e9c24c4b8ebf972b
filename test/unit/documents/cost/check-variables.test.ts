import { buildSchema, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { networkProfiles } from '../../../../src/config/network-profile.ts';
import { shippedLimits } from '../../../../src/documents/cost/limits.ts';
import { measureDocument } from '../../../../src/documents/cost/measure-document.ts';
import type { Variables } from '../../../../src/documents/cost/usage.ts';
import { createDocumentStore } from '../../../../src/documents/document-store.ts';
import { admitDocument, priceDocument, queryPart } from '../../../../src/documents/prepared-document.ts';
import { ledgersOnly } from '../../../support/documents.ts';

const overflow = Number.MAX_SAFE_INTEGER;

function price(text: string, variables: Variables = {}, defaultPageSize = 20) {
  const measured = measureDocument(parse(text), Buffer.byteLength(text));
  return priceDocument(measured, variables, { ...shippedLimits, defaultPageSize });
}

const output = (text: string, variables?: Variables) => price(text, variables).outputNodes;
/** Items of a page with these arguments: one node a row, beside the connection and its `nodes`. */
const items = (given: string, variables?: Variables) => {
  const count = output(`query { c${given && `(${given})`} { nodes { a } } }`, variables);
  return count === overflow ? 'overflow' : count - 2;
};

describe('the size of a page', () => {
  test.each<[string, number | 'overflow']>([
    ['', 20],
    ['first: 3', 3],
    ['last: 3', 3],
    ['first: 3, last: 7', 7],
    ['first: 7, last: 3', 7],
    ['first: 0', 0],
    ['first: 0, last: 0', 0],
    ['first: -1', 20],
    ['first: -1, last: 5', 5],
    ['first: -0', 20],
    ['first: 51', 51],
    ['first: null', 20],
    ['first: "3"', 20],
    ['first: 3.0', 20],
    ['first: THREE', 20],
    ['first: [3]', 20],
    ['first: {n: 3}', 20],
    ['limit: 3', 20],
    ['first: 3, first: 5', 3],
    ['first: 4294967295', 4_294_967_295],
    ['first: 4294967296', 'overflow'],
    ['first: 9007199254740993', 'overflow'],
    ['first: 18446744073709551615', 'overflow'],
    ['first: 18446744073709551616', 20],
    ['first: 99999999999999999999', 20],
    ['first: 100000000000000000000000', 20],
    ['first: 18446744073709551616, last: 2', 2],
    ['first: 4294967296, last: 2', 'overflow'],
  ])('by the literals (%s) is %s', (given, expected) => {
    expect(items(given)).toBe(expected);
  });

  test.each<[unknown, number | 'overflow']>([
    [3, 3],
    [0, 0],
    [-0, 20],
    [-1, 20],
    [1.5, 20],
    [1e2, 100],
    [null, 20],
    [undefined, 20],
    ['3', 20],
    [true, 20],
    [[3], 20],
    [{ n: 3 }, 20],
    [3n, 20],
    [Number.NaN, 20],
    [Number.POSITIVE_INFINITY, 20],
    [2 ** 32 - 1, 2 ** 32 - 1],
    [2 ** 32, 'overflow'],
    [2 ** 63, 'overflow'],
    [2 ** 64, 20],
    [1e300, 20],
  ])('by a variable sent as %s is %s', (sent, expected) => {
    expect(items('first: $n', { n: sent })).toBe(expected);
    expect(items('last: $n', { n: sent })).toBe(expected);
  });

  test('is the default if its variable is not sent, even if the operation declares another default', () => {
    expect(output('query ($n: Int = 3) { c(first: $n) { nodes { a } } }')).toBe(22);
    expect(output('query ($n: Int = 3) { c(first: $n) { nodes { a } } }', { n: null })).toBe(22);
  });

  test('is the larger of a literal and a variable, and of two variables', () => {
    expect(items('first: $n, last: 5', { n: 3 })).toBe(5);
    expect(items('first: $n, last: 5', { n: 8 })).toBe(8);
    expect(items('first: $n, last: 5', {})).toBe(5);
    expect(items('first: $n, last: $m', { n: 3, m: 9 })).toBe(9);
    expect(items('first: $n, last: $m', { n: 3 })).toBe(3);
  });

  test('may be a default of any size', () => {
    expect(price('{ c { nodes { a } } }', {}, 7).outputNodes).toBe(9);
  });

  test('too large to count is ignored if the field is no connection', () => {
    expect(output('{ c(first: 4294967296) { a } }')).toBe(2);
  });

  test('too large to count overflows even if the surrounding page is empty', () => {
    expect(output('{ c(first: 0) { nodes { d(first: 4294967296) { nodes } } } }')).toBe(overflow);
  });
});

describe('products of page sizes', () => {
  const rows = (...sizes: number[]) =>
    `{ ${sizes.map((size) => `c(first: ${size}) { nodes {`).join(' ')} a ${'}}'.repeat(sizes.length)} }`;

  test('multiply the fields below', () => {
    // 1 + 1, then 3 times 1 + 1, then 3 × 5 times a.
    expect(output(rows(3, 5))).toBe(2 + 3 * 2 + 15);
  });

  test('overflow above 32 bits', () => {
    expect(output('{ c(first: 65536) { nodes { c(first: 65535) { nodes } } } }')).toBe(2 + 2 * 65_536);
    expect(output('{ c(first: 65536) { nodes { c(first: 65536) { nodes } } } }')).toBe(overflow);
  });

  test('overflow even if an outer page is empty', () => {
    expect(output(rows(65_536, 65_536, 0))).toBe(overflow);
    expect(output(rows(65_536, 0, 65_536))).toBe(2 + 2 * 65_536);
    expect(output(rows(0, 65_536, 65_536))).toBe(2);
  });

  test('overflow through fragments', () => {
    const text = '{ c(first: 65536) { ...R } } fragment R on C { nodes { c(first: $n) { ... { edges } } } }';
    expect(output(text, { n: 65_535 })).toBe(2 + 2 * 65_536);
    expect(output(text, { n: 65_536 })).toBe(overflow);
  });

  test('do not affect the next request', () => {
    const measured = measureDocument(parse('{ c(first: $n) { nodes { a } } }'), 0);
    const priceWith = (n: number) => priceDocument(measured, { n }, shippedLimits).outputNodes;
    expect([50, 2, 2 ** 40, 2, 0].map(priceWith)).toEqual([52, 4, overflow, 4, 2]);
  });
});

describe('fields repeated by a page', () => {
  test.each<[string, string, number]>([
    ['nodes', '{ c { nodes { a b } } }', 2 + 40],
    ['edges', '{ c { edges { node { a } cursor } } }', 2 + 60],
    ['both, each charged', '{ c { nodes { a } edges { node { a } } } }', 3 + 20 + 40],
    ['not its siblings', '{ c { nodes { a } pageInfo { hasNextPage } } }', 4 + 20],
    ['by the real name, not by the alias', '{ c { nodes: items { a } } }', 3],
    ['under any alias', '{ c { x: nodes { a } } }', 2 + 20],
    ['through an inline fragment', '{ c { ... on C { nodes { a } } } }', 2 + 20],
    ['through a spread', '{ c { ...R } } fragment R on C { nodes { a } }', 2 + 20],
    [
      'through fragments in fragments',
      '{ c { ...R } } fragment R on C { ... { ...S } } fragment S on C { nodes { a } }',
      22,
    ],
    ['not what is in a child field', '{ c(first: 5) { d { nodes { a } } } }', 3 + 20],
    ['not at the top of an operation', '{ nodes { a } edges { a } }', 4],
    ['not in a field beside the connection', '{ c { d { nodes } } nodes { a } }', 5],
    ['though it is skipped', '{ c { nodes @skip(if: true) { a } } }', 2 + 20],
    ['also its __typename', '{ __typename c { __typename nodes { __typename } } }', 4 + 20],
    [
      'by its own arguments when it is a connection itself',
      '{ c(first: 2) { nodes(first: 3) { edges { a } } } }',
      2 + 2 + 6,
    ],
    ['as often as it is selected', '{ c { nodes { a } nodes { a } } }', 3 + 40],
  ])('%s', (_, text, expected) => {
    expect(output(text)).toBe(expected);
  });

  test('inside a fragment depend on where the fragment is spread', () => {
    const text = '{ c(first: 2) { ...R } d(first: 5) { ...R } ...R } fragment R on C { nodes { a } x }';
    // c + nodes + x + 2a, d + nodes + x + 5a, nodes + x + a
    expect(output(text)).toBe(3 + 2 + 3 + 5 + 3);
  });

  test('count once in a list that is no connection', () => {
    expect(output('{ transactionBlocksByDigests(digests: ["a", "b"]) { digest } }')).toBe(2);
  });
});

describe('the other numbers', () => {
  test('selections: each field, inline fragment and spread counts one, and each spread adds its fragment', () => {
    const text = '{ a a x: a ... { b } ...F ...F } fragment F on T { c { __typename } }';
    expect(price(text)).toMatchObject({ inputNodes: 5 + 2 + 4, depth: 3, fragments: 1 });
  });

  test('depth is the maximum over all operations, nodes are the sum over all, executed or not', () => {
    const text = 'query A { a { b } } query B { c(first: 3) { nodes { d } } } mutation M { e }';
    expect(price(text)).toMatchObject({ inputNodes: 6, outputNodes: 2 + 5 + 1, depth: 3 });
  });

  test('variables: those that were sent', () => {
    expect(price('query ($a: Int, $b: Int) { x(a: $a) }').variables).toBe(0);
    expect(price('{ x }', { a: null, b: 1, c: {} }).variables).toBe(3);
  });

  test('fragments: those that are defined', () => {
    expect(price('{ a } fragment F on T { a } fragment G on T { a }').fragments).toBe(2);
  });

  test('payload is the bytes of the text', () => {
    expect(price('{ a(x: "é€😀") }').queryPayload).toBe(12 + 9);
  });

  test.each<[Variables | undefined, string | undefined]>([
    [undefined, undefined],
    [{ a: 'é' }, undefined],
    [undefined, 'A"é'],
    [{ a: 1, b: [null] }, 'A'],
  ])('where a network limits the body, payload is the bytes of the body: %j, %j', (variables, operationName) => {
    const query = 'query A { a }';
    const { limits: rules } = networkProfiles.sui;
    const counting = { rules, schema: null, bodyBytes: JSON.stringify({ query }).length };
    const measured = measureDocument(parse(query), query.length, counting);
    expect(queryPart(measured, variables ?? {}, operationName ?? null, rules)).toBe(
      Buffer.byteLength(JSON.stringify({ query, variables, operationName })),
    );
  });

  test('a document without operations costs nothing', () => {
    expect(price('fragment F on T { a }')).toEqual({
      inputNodes: 0,
      outputNodes: 0,
      depth: 0,
      variables: 0,
      fragments: 1,
      queryPayload: 21,
    });
  });
});

test('a request is priced once: its variables are printed as JSON at most once', () => {
  const { limits: rules } = networkProfiles.sui;
  const limits = { ...shippedLimits, rules };
  const store = createDocumentStore({
    schema: buildSchema('type Query { a(x: Int): Int }'),
    limits,
    rules: [],
    hidesSuggestions: false,
    ownership: ledgersOnly,
    prepareOperation: () => null,
  });
  const prepared = store.prepare('query ($x: Int) { a(x: $x) }');
  let reads = 0;
  const variables = Object.defineProperty({}, 'x', {
    enumerable: true,
    get: () => {
      reads += 1;
      return 1;
    },
  });
  expect(admitDocument(prepared, variables, limits)).toMatchObject({ errors: [], usage: { variables: 1 } });
  expect(reads).toBe(1);
});
