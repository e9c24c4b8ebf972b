import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { checkText, shippedLimits } from '../../src/documents/cost/limits.ts';
import { measureDocument } from '../../src/documents/cost/measure-document.ts';
import type { Usage, Variables } from '../../src/documents/cost/usage.ts';
import { priceDocument } from '../../src/documents/prepared-document.ts';
import { checkLimits } from '../support/check-limits.ts';
import { referenceCount } from '../support/reference-counter.ts';

interface CountingRule {
  /** A stable id of the case. */
  readonly id: string;
  readonly says: string;
  readonly text: string;
  readonly variables?: Variables;
  readonly usage: Partial<Usage>;
}

const counts = (inputNodes: number, outputNodes: number, depth: number): Partial<Usage> => ({
  inputNodes,
  outputNodes,
  depth,
});

/** Documents whose usage a real ledger reported. */
const recorded: readonly CountingRule[] = [
  {
    id: 'R1',
    says: 'a connection whose rows are not selected is no connection',
    text: '{ transactionBlocks(first: 20) { pageInfo { hasPreviousPage } } }',
    usage: counts(3, 3, 3),
  },
  {
    id: 'R2',
    says: 'a page that names no size has twenty rows',
    text: '{ transactionBlocks { edges { node { digest } } } }',
    usage: counts(4, 42, 4),
  },
  {
    id: 'R3',
    says: 'pages in pages multiply, and an alias changes nothing',
    text: '{ checkpoints { nodes { transactionBlocks { edges { txns: node { digest } } } } } }',
    usage: counts(6, 842, 6),
  },
  {
    id: 'R4',
    says: 'a sibling page of one row adds its own',
    text: `{ checkpoints { nodes {
      transactionBlocks { edges { txns: node { digest } } }
      one: transactionBlocks(first: 1) { edges { txns: node { digest } } }
    } } }`,
    usage: counts(10, 922, 6),
  },
  {
    id: 'R5',
    says: 'a sibling page of no rows costs itself and its `edges`',
    text: `{ checkpoints { nodes {
      transactionBlocks { edges { txns: node { digest } } }
      none: transactionBlocks(first: 0) { edges { txns: node { digest } } }
    } } }`,
    usage: counts(10, 882, 6),
  },
  {
    id: 'R6a',
    says: '`first` is the size of a page',
    text: '{ transactionBlocks(first: 1) { edges { node { digest } } } }',
    usage: counts(4, 4, 4),
  },
  {
    id: 'R6b',
    says: '`last` is the size of a page',
    text: '{ transactionBlocks(last: 1) { edges { node { digest } } } }',
    usage: counts(4, 4, 4),
  },
  {
    id: 'R7',
    says: 'a spread and an inline fragment are nodes and levels of input, and nothing of output',
    text: `{ ...Blocks ... on Query { transactionBlocks { nodes { digest } } } }
      fragment Blocks on Query { transactionBlocks { nodes { digest } } }`,
    usage: { ...counts(8, 44, 4), fragments: 1 },
  },
  {
    id: 'R8',
    says: 'of `first` and `last` the larger is the size',
    text: '{ transactionBlocks(first: 20, last: 30) { edges { node { digest } } } }',
    usage: counts(4, 62, 4),
  },
  {
    id: 'R9',
    says: 'a size over 64 bits is none',
    text: '{ transactionBlocks(first: 36893488147419103000) { edges { node { digest } } } }',
    usage: counts(4, 42, 4),
  },
  {
    id: 'R10',
    says: 'payload is the text, byte by byte',
    text: 'query { epoch { referenceGasPrice } }',
    usage: { ...counts(2, 2, 2), variables: 0, fragments: 0, queryPayload: 37 },
  },
];

/** Further rules of the six counts. */
const ruled: readonly CountingRule[] = [
  {
    id: 'I1',
    says: 'the same field twice is two nodes',
    text: '{ epoch { epochId } epoch { epochId } }',
    usage: counts(4, 4, 2),
  },
  {
    id: 'I2',
    says: '__typename is a node',
    text: '{ __typename epoch { __typename } }',
    usage: counts(3, 3, 2),
  },
  {
    id: 'I3',
    says: '@skip and @include are not looked at',
    text: '{ epoch @skip(if: true) { epochId @include(if: false) } }',
    usage: counts(2, 2, 2),
  },
  {
    id: 'I4',
    says: 'a spread is a node, and brings the whole fragment each time',
    text: '{ ...E ...E } fragment E on Query { epoch { epochId } }',
    usage: counts(6, 4, 3),
  },
  {
    id: 'I5',
    says: 'operations share the budgets: nodes add up, depth is the greatest',
    text: 'query A { epoch { epochId } } query B { chainIdentifier }',
    usage: counts(3, 3, 2),
  },
  {
    id: 'O1',
    says: 'both `nodes` and `edges` are charged',
    text: '{ events(first: 5) { nodes { json } edges { cursor } } }',
    usage: counts(5, 13, 3),
  },
  {
    id: 'O2',
    says: 'what is beside the rows is not repeated',
    text: '{ events(first: 5) { nodes { json } pageInfo { hasNextPage endCursor } } }',
    usage: counts(6, 10, 3),
  },
  {
    id: 'O3',
    says: 'rows are found through fragments, not in child fields',
    text: '{ events(first: 5) { ... { ...R } } a(first: 7) { b { nodes { c } } } } fragment R on E { nodes { json } }',
    usage: counts(9, 7 + 23, 5),
  },
  {
    id: 'O4',
    says: 'rows go by the real name',
    text: '{ events(first: 5) { edges: pageInfo { hasNextPage } } }',
    usage: counts(3, 3, 3),
  },
  {
    id: 'O5',
    says: 'a list that is no connection is not multiplied',
    text: '{ transactionBlocksByDigests(digests: ["a", "b"]) { digest } }',
    usage: counts(2, 2, 2),
  },
  {
    id: 'P1',
    says: 'a variable counts by the number that was sent',
    text: 'query ($n: Int) { events(first: $n) { nodes { json } } }',
    variables: { n: 5 },
    usage: { ...counts(3, 7, 3), variables: 1 },
  },
  {
    id: 'P2',
    says: 'a declared default is not looked at',
    text: 'query ($n: Int = 5) { events(first: $n) { nodes { json } } }',
    usage: { ...counts(3, 22, 3), variables: 0 },
  },
  {
    id: 'P3',
    says: 'null is no size',
    text: 'query ($n: Int) { events(first: $n) { nodes { json } } }',
    variables: { n: null },
    usage: { ...counts(3, 22, 3), variables: 1 },
  },
  {
    id: 'P4',
    says: 'a negative number is no size',
    text: '{ events(first: -5) { nodes { json } } }',
    usage: counts(3, 22, 3),
  },
  {
    id: 'P5',
    says: 'a number with a fraction is no size',
    text: 'query ($n: Int) { events(first: $n) { nodes { json } } }',
    variables: { n: 5.5 },
    usage: counts(3, 22, 3),
  },
  {
    id: 'P6',
    says: 'the largest page of the ledger is no bound of a size',
    text: '{ events(first: 1000) { nodes { json } } }',
    usage: counts(3, 1002, 3),
  },
  {
    id: 'P7',
    says: 'a size over 32 bits cannot be counted',
    text: '{ events(first: 4294967296) { nodes { json } } }',
    usage: { outputNodes: Number.MAX_SAFE_INTEGER },
  },
  {
    id: 'U1',
    says: 'variables are those that were sent, fragments those that are defined',
    text: '{ epoch { epochId } } fragment A on Query { epoch { epochId } }',
    variables: { a: 1, b: 2 },
    usage: { ...counts(2, 2, 2), variables: 2, fragments: 1 },
  },
];

describe.each([
  ['as a real ledger counted', recorded],
  ['as it is ruled', ruled],
] as const)('usage, %s', (_, rules) => {
  test.each(rules)('$id: $says', ({ text, variables = {}, usage }) => {
    const measured = measureDocument(parse(text), Buffer.byteLength(text));
    expect(priceDocument(measured, variables, shippedLimits)).toMatchObject(usage);
  });

  test.each(rules)('$id: the reference counter agrees', ({ text, variables = {}, usage }) => {
    expect(referenceCount(parse(text), text, variables, shippedLimits).usage).toMatchObject(usage);
  });
});

interface MessageRule {
  readonly id: string;
  readonly breach: string;
  readonly text: string;
  readonly message: RegExp | string;
  readonly locations: { line: number; column: number }[] | undefined;
}

const deep = (levels: number) => `${'{ a '.repeat(levels)}${'}'.repeat(levels)}`;

const messages: readonly MessageRule[] = [
  {
    id: 'M1',
    breach: 'text over both allowances',
    text: `{ a } #${'x'.repeat(180_000)}`,
    message: /^Overall request too large: 180007 bytes\. Requests are limited to 174763 bytes or fewer on transaction/,
    locations: undefined,
  },
  {
    id: 'M2',
    breach: 'recursion',
    text: deep(34),
    message: 'The recursion depth of the query cannot be greater than `32`',
    locations: undefined,
  },
  {
    id: 'M3',
    breach: 'directive',
    text: '{ a @deprecated }',
    message: 'Directive `@deprecated` is not supported. Supported directives are `@include`, `@skip`',
    locations: [{ line: 1, column: 5 }],
  },
  {
    id: 'M4',
    breach: 'missing fragment',
    text: '{ a { ...X } }',
    message: 'Fragment X referred to but not found in document',
    locations: [{ line: 1, column: 7 }],
  },
  {
    id: 'M5',
    breach: 'depth',
    text: deep(21),
    message: 'Query nesting is over 20',
    locations: [{ line: 1, column: 83 }],
  },
  {
    id: 'M6',
    breach: 'nodes',
    text: `{ ${'a '.repeat(300)}b }`,
    message: 'Query has over 300 nodes',
    locations: [{ line: 1, column: 603 }],
  },
  {
    id: 'M7',
    breach: 'transaction payload',
    text: `mutation { executeTransactionBlock(txBytes: "${'A'.repeat(174_762)}") { errors } }`,
    message: /^Transaction payload too large\. Requests are limited to 174763 bytes or fewer on transaction payloads/,
    locations: undefined,
  },
  {
    id: 'M8',
    breach: 'query text',
    text: `{ a } #${'x'.repeat(5_000)}`,
    message:
      /^Query part too large: 5007 bytes\. .* the rest of the request \(the query part\) must be 5000 bytes or fewer\.$/,
    locations: undefined,
  },
  {
    id: 'M9',
    breach: 'output',
    text: '{ a(first: 99999) { nodes { b } } }',
    message: 'Estimated output nodes exceeds 100000',
    locations: undefined,
  },
];

describe('refusals', () => {
  test.each(messages)(
    '$id: $breach has the ledger’s message and location, and a code',
    ({ text, message, locations }) => {
      const refusal =
        checkText(text, shippedLimits) ??
        checkLimits(measureDocument(parse(text), Buffer.byteLength(text)), {}, shippedLimits);
      expect(refusal?.error.message).toMatch(message);
      if (typeof message === 'string') expect(refusal?.error.message).toBe(message);
      expect(refusal?.error.locations).toEqual(locations);
      expect(refusal?.error.extensions.code).toBe('BAD_USER_INPUT');
    },
  );

  test('a document at the limit is served', () => {
    for (const text of [
      `mutation { executeTransactionBlock(txBytes: "${'A'.repeat(174_761)}") { errors } }`,
      `{ a } #${'x'.repeat(4_993)}`,
      '{ a(first: 99998) { nodes { b } } }',
      `{ ${'a '.repeat(300)} }`,
      deep(20),
    ]) {
      const measured = measureDocument(parse(text), Buffer.byteLength(text));
      expect(checkText(text, shippedLimits) ?? checkLimits(measured, {}, shippedLimits)).toBeNull();
    }
  });
});
