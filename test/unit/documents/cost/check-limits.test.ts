import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { checkDocument, type Limits, shippedLimits } from '../../../../src/documents/cost/limits.ts';
import { measureDocument } from '../../../../src/documents/cost/measure-document.ts';
import type { Variables } from '../../../../src/documents/cost/usage.ts';
import { checkLimits } from '../../../support/check-limits.ts';
import { fragmentChain, nested } from '../../../support/documents.ts';

interface Case {
  readonly variables?: Variables;
  readonly limits?: Partial<Limits>;
}

const measure = (text: string) => measureDocument(parse(text), Buffer.byteLength(text));

/** The refusal as a client and the shells see it. */
function check(text: string, { variables = {}, limits = {} }: Case = {}) {
  const refusal = checkLimits(measure(text), variables, { ...shippedLimits, ...limits });
  if (!refusal) return null;
  const { message, extensions, locations } = refusal.error;
  const at = locations?.map(({ line, column }) => `${line}:${column}`).join(' ') ?? null;
  return { message, at, hasUsage: refusal.hasUsage, ...extensions };
}

const allowances = (transaction: number, query: number) =>
  `Requests are limited to ${transaction} bytes or fewer on transaction payloads (all inputs to executeTx, ` +
  `executeTransactionBlock or dryRunTransactionBlock) and the rest of the request (the query part) must be ${query} bytes or fewer.`;

const aliases = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`).join(' ');

describe('depth', () => {
  test('at the limit is served', () => {
    expect(check(nested(20))).toBeNull();
  });

  test('above the limit is rejected at the first selection of the excess level', () => {
    expect(check(nested(21, 'x: b c'))).toEqual({
      message: 'Query nesting is over 20',
      code: 'BAD_USER_INPUT',
      retry: 'never',
      at: '1:42',
      limit: { name: 'maxQueryDepth', max: 20, actual: 21 },
      hasUsage: false,
    });
  });

  test('counts inline fragments and spreads as levels', () => {
    const limits = { maxQueryDepth: 3 };
    expect(check('{ a { ... { b } } }', { limits })).toBeNull();
    expect(check('{ a { ... { b { c } } } }', { limits })).toMatchObject({ at: '1:17', limit: { actual: 4 } });
    expect(check('{ a { ...F } } fragment F on T { b }', { limits })).toBeNull();
    expect(check('{ a { ...F } } fragment F on T { b { c } }', { limits })).toMatchObject({ at: '1:38' });
    expect(check(`{ ...F0 } ${fragmentChain(3)}`, { limits })).toMatchObject({ limit: { actual: 4 } });
  });

  test('is rejected before the nodes of the excess level, and after those of earlier levels', () => {
    const limits = { maxQueryDepth: 2, maxQueryNodes: 2 };
    expect(check('{ a { b { c } } }', { limits })?.message).toBe('Query nesting is over 2');
    expect(check('{ a { b { c } d } }', { limits })).toMatchObject({ message: 'Query has over 2 nodes', at: '1:15' });
  });

  test('of a later operation is rejected after the nodes of an earlier one', () => {
    const limits = { maxQueryDepth: 2, maxQueryNodes: 2 };
    expect(check('query A { a b c } query B { d { e { f } } }', { limits })?.message).toBe('Query has over 2 nodes');
    expect(check('query B { d { e { f } } } query A { a b c }', { limits })?.message).toBe('Query nesting is over 2');
  });
});

describe('nodes', () => {
  test('at the limit are served', () => {
    expect(check(`{ ${aliases(300)} }`)).toBeNull();
  });

  test('above the limit are rejected at the excess selection, level by level', () => {
    expect(check(`{ ${aliases(301)} }`)).toMatchObject({
      message: 'Query has over 300 nodes',
      code: 'BAD_USER_INPUT',
      retry: 'never',
      limit: { name: 'maxQueryNodes', max: 300, actual: 301 },
      hasUsage: false,
    });
    const limits = { maxQueryNodes: 3 };
    expect(check('{\na {\nb }\nc {\nd }\n}', { limits })?.at).toBe('5:1');
    expect(check('{\na {\n...F }\nc\n} fragment F on T {\nd e }', { limits })?.at).toBe('6:1');
  });

  test('are counted over all operations together', () => {
    const limits = { maxQueryNodes: 4 };
    expect(check('query A { a { b } } query B { c { d } }', { limits })).toBeNull();
    expect(check('query A { a { b } } query B { c { d } e }', { limits })).toMatchObject({
      at: '1:35',
      limit: { actual: 5 },
    });
  });

  test('count even if they are skipped', () => {
    expect(check('{ a @skip(if: true) { b } }', { limits: { maxQueryNodes: 1 } })).toMatchObject({ at: '1:23' });
  });
});

describe('output nodes', () => {
  test('at the limit are served', () => {
    expect(check('{ c(first: 98) { nodes { a } } }', { limits: { maxOutputNodes: 100 } })).toBeNull();
  });

  test('above the limit are rejected, without a location', () => {
    expect(check('{ c(first: 99) { nodes { a } } }', { limits: { maxOutputNodes: 100 } })).toEqual({
      message: 'Estimated output nodes exceeds 100',
      code: 'BAD_USER_INPUT',
      retry: 'never',
      at: null,
      limit: { name: 'maxOutputNodes', max: 100, actual: 101 },
      hasUsage: true,
    });
  });

  test('depend only on the variables of the request', () => {
    const measured = measure('query ($n: Int) { c(first: $n) { nodes { a } } }');
    const limits = { ...shippedLimits, maxOutputNodes: 10 };
    expect(checkLimits(measured, { n: 8 }, limits)).toBeNull();
    expect(checkLimits(measured, { n: 9 }, limits)).not.toBeNull();
    expect(checkLimits(measured, { n: 8 }, limits)).toBeNull();
    expect(checkLimits(measured, {}, limits)).not.toBeNull();
  });

  test('that overflow are rejected at any limit', () => {
    const limits = { maxOutputNodes: 2_147_483_647 };
    expect(check('{ c(first: 4294967296) { nodes } }', { limits })).toMatchObject({
      message: 'Estimated output nodes exceeds 2147483647',
      limit: { actual: 2 ** 53 - 1 },
    });
  });

  test('are counted over all operations together', () => {
    const limits = { maxOutputNodes: 3 };
    expect(check('query A { a b } query B { c }', { limits })).toBeNull();
    expect(check('query A { a b } query B { c d }', { limits })).toMatchObject({ limit: { actual: 4 } });
  });
});

describe('transaction payload', () => {
  const limits = { maxTransactionPayloadSize: 10, maxQueryPayloadSize: 60 };
  const query = 'mutation ($t: Base64!) { executeTx(txBytes: $t) { digest } }';

  test('at the limit is served, inline and by variable', () => {
    expect(query).toHaveLength(60);
    expect(check(query, { limits, variables: { t: 'A'.repeat(8) } })).toBeNull();
    expect(check('mutation { executeTx(txBytes: "AAAAAAAA") { digest } }', { limits })).toBeNull();
  });

  test('one byte above the limit is rejected with both allowances', () => {
    const expected = {
      message: `Transaction payload too large. ${allowances(10, 60)}`,
      code: 'BAD_USER_INPUT',
      retry: 'never',
      at: null,
      limit: { name: 'maxTransactionPayloadSize', max: 10, actual: 11 },
      hasUsage: false,
    };
    expect(check(query, { limits, variables: { t: 'A'.repeat(9) } })).toEqual(expected);
    expect(check('mutation { executeTx(txBytes: "AAAAAAAAA") { digest } }', { limits })).toEqual(expected);
  });

  test('counts a variable once, even if it is used several times', () => {
    const text = '{ dryRunTransactionBlock(txBytes: $t, x: [$t]) { e } x: dryRunTransactionBlock(txBytes: $t) { e } }';
    const wide = { ...limits, maxQueryPayloadSize: 200 };
    expect(check(text, { limits: wide, variables: { t: 'A'.repeat(6) } })).toBeNull();
    expect(check(text, { limits: wide, variables: { t: 'A'.repeat(7) } })).toMatchObject({ limit: { actual: 11 } });
  });

  test.each<[literal: string, value: unknown, bytes: number]>([
    ['""', '', 2],
    ['"é"', 'é', 4],
    ['[]', [], 2],
    ['["a"]', ['a'], 5],
    ['["a", "b"]', ['a', 'b'], 9],
    ['[["a"], [], ["b", "c"]]', [['a'], [], ['b', 'c']], 20],
    ['[1, true, null, {g: "a"}]', [1, true, null, { g: 'a' }], 5],
  ])('counts the bytes of %s as compact JSON, as a literal and as a variable', (literal, value, bytes) => {
    const refusalOf = (text: string, variables = {}) => {
      const tight = { maxTransactionPayloadSize: bytes - 1, maxQueryPayloadSize: 1_000 };
      expect(check(text, { limits: { ...tight, maxTransactionPayloadSize: bytes }, variables })).toBeNull();
      return check(text, { limits: tight, variables });
    };
    const limit = { name: 'maxTransactionPayloadSize', max: bytes - 1, actual: bytes };
    expect(refusalOf(`mutation { executeTx(txBytes: ${literal}) { digest } }`)).toMatchObject({ limit });
    expect(refusalOf(query, { t: value })).toMatchObject({ limit });
  });

  test('counts only variables that were sent, and no bytes inside objects', () => {
    const big = 'A'.repeat(100);
    expect(check(query, { limits, variables: {} })).toBeNull();
    expect(check(query, { limits, variables: { t: { bytes: big }, other: big } })).toBeNull();
    expect(check(query, { limits, variables: { t: [{ bytes: big }, 1, 2, null] } })).toBeNull();
  });
});

describe('query text', () => {
  const limits = { maxTransactionPayloadSize: 100, maxQueryPayloadSize: 20 };

  test('at the limit is served', () => {
    expect(check(`{ a }${' '.repeat(15)}`, { limits })).toBeNull();
    expect(check(`{ a }#${'é'.repeat(7)}`, { limits })).toBeNull();
  });

  test('one byte above the limit is rejected with both allowances', () => {
    const expected = {
      message: `Query part too large: 21 bytes. ${allowances(100, 20)}`,
      code: 'BAD_USER_INPUT',
      retry: 'never',
      at: null,
      limit: { name: 'maxQueryPayloadSize', max: 20, actual: 21 },
      hasUsage: false,
    };
    expect(check(`{ a }${' '.repeat(16)}`, { limits })).toEqual(expected);
    expect(check(`{ a } #${'é'.repeat(7)}`, { limits })).toEqual(expected);
  });

  test('excludes the transaction that it contains', () => {
    const text = (bytes: number) => `{executeTx(a:"${'A'.repeat(bytes)}")}`;
    expect(check(text(98), { limits })).toBeNull();
    expect(check(`${text(90)}      `, { limits })).toMatchObject({
      limit: { name: 'maxQueryPayloadSize', actual: 21 },
    });
  });

  test('includes payload inside objects, and transactions outside transaction fields', () => {
    const big = 'A'.repeat(50);
    expect(check(`{dryRunTransactionBlock(m:{g:"${big}"})}`, { limits })).toMatchObject({
      limit: { name: 'maxQueryPayloadSize' },
    });
    expect(check(`{a(txBytes:"${big}")}`, { limits })).toMatchObject({ limit: { name: 'maxQueryPayloadSize' } });
  });

  test('counts the text of a fragment once, even if it is spread twice', () => {
    const text = `{...F ...F}fragment F on M{executeTx(a:"${'A'.repeat(20)}")}`;
    const part = text.length - 22;
    expect(check(text, { limits: { maxTransactionPayloadSize: 44, maxQueryPayloadSize: part } })).toBeNull();
    expect(check(text, { limits: { maxTransactionPayloadSize: 44, maxQueryPayloadSize: part - 1 } })).not.toBeNull();
    expect(check(text, { limits: { maxTransactionPayloadSize: 43, maxQueryPayloadSize: part } })).not.toBeNull();
  });

  test('also limits the documents that are otherwise exempt', () => {
    const text = '{ __schema { types { name } } }';
    expect(check(text, { limits: { maxQueryPayloadSize: text.length } })).toBeNull();
    expect(check(text, { limits: { maxQueryPayloadSize: text.length - 1 } })).toMatchObject({
      limit: { name: 'maxQueryPayloadSize', actual: text.length },
    });
  });
});

describe('rejected before counting:', () => {
  test('nesting over 32, without a location', () => {
    const limits = { maxQueryDepth: 100 };
    expect(check(nested(33), { limits })).toBeNull();
    expect(check(nested(34), { limits })).toEqual({
      message: 'The recursion depth of the query cannot be greater than `32`',
      code: 'BAD_USER_INPUT',
      retry: 'never',
      at: null,
      hasUsage: false,
      limit: { name: 'maxNesting', max: 32, actual: 33 },
    });
  });

  test('an unsupported directive, at its location', () => {
    expect(check('query ($v: Int @deprecated) { a @skip(if: true) }')).toEqual({
      message: 'Directive `@deprecated` is not supported. Supported directives are `@include`, `@skip`',
      code: 'BAD_USER_INPUT',
      retry: 'never',
      at: '1:16',
      hasUsage: false,
    });
  });

  test('an unknown fragment, at the spread', () => {
    expect(check('{\n  a { ...Missing }\n}')).toEqual({
      message: 'Fragment Missing referred to but not found in document',
      code: 'BAD_USER_INPUT',
      retry: 'never',
      at: '2:7',
      hasUsage: false,
    });
  });
});

describe('the exempt document', () => {
  const text = (nodes: number) =>
    `{ __schema { ${'...F '.repeat(9)} ${aliases(nodes - 1_810)} } } fragment F on S { ${aliases(200)} }`;

  test('may be deep and have any cost', () => {
    const limits = { maxQueryDepth: 2, maxQueryNodes: 2, maxOutputNodes: 2 };
    expect(check('{ __schema { c(first: 99999999999) { nodes { a } } } }', { limits })).toBeNull();
  });

  test('may expand to at most 2000 selections', () => {
    const limits = { maxQueryPayloadSize: 100_000 };
    expect(measure(text(2_000)).inputNodes).toBe(2_000);
    expect(check(text(2_000), { limits })).toBeNull();
    expect(check(text(2_001), { limits })).toMatchObject({
      message: 'Query has over 2000 nodes',
      at: expect.any(String),
      limit: { name: 'maxQueryNodes', max: 2_000, actual: 2_001 },
      hasUsage: false,
    });
  });

  test('must still be parsed', () => {
    expect(check('{ __schema { types { name @x } } }')?.message).toContain('`@x`');
    expect(check('{ __schema { ...F } } fragment F on S { ...F }')?.message).toContain('recursion depth');
  });

  test('leaves unknown fields to validation', () => {
    expect(check('{ __schema { ...F } }')).toBeNull();
  });
});

describe('if several limits are exceeded,', () => {
  /** Each breaks all that come after it in the list. */
  const inOrder: readonly [string, string][] = [
    [
      'The recursion depth',
      `query @x { ${'...F '.repeat(2)} ...Missing } fragment F on T ${'{c { nodes '.repeat(17)}${'}}'.repeat(17)}`,
    ],
    ['Directive', 'query @x { ...Missing ...F } fragment F on T { c { nodes { a } } executeTx(x: "12345678901") }'],
    ['Fragment Missing', '{ c { nodes { a ...Missing } } executeTx(x: "12345678901") }'],
    ['Query nesting', '{ c { nodes { a } } executeTx(x: "12345678901") }'],
    ['Query has over', '{ c { nodes d } executeTx(x: "12345678901") }'],
    ['Transaction payload', '{ c { nodes } executeTx(x: "12345678901") }'],
    ['Query part', '{ c(first: 100) { nodes } }'],
    ['Estimated output', '{c{nodes}}'],
  ];
  const limits: Partial<Limits> = {
    maxQueryDepth: 2,
    maxQueryNodes: 3,
    maxTransactionPayloadSize: 10,
    maxQueryPayloadSize: 10,
    maxOutputNodes: 1,
  };

  test.each(inOrder)('%s… is reported first', (start, text) => {
    expect(check(text, { limits })?.message).toMatch(start);
  });
});

test('a rejection that depends only on the text needs no variables, so it can be kept', () => {
  const measured = measure('{ c(first: 100000) { nodes { a } } }');
  expect(checkDocument(measured, shippedLimits)).toBeNull();
  expect(checkLimits(measured, {}, shippedLimits)?.error.message).toBe('Estimated output nodes exceeds 100000');
});
