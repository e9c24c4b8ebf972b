import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { fragmentsOf, isSchemaOnly } from '../../../../../src/devnet/graphql/documents/fragments.ts';
import { measureInput } from '../../../../../src/devnet/graphql/documents/measure-input.ts';
import { measureOutput } from '../../../../../src/devnet/graphql/documents/measure-output.ts';
import {
  findTransactionArguments,
  inlinedBytes,
  transactionBytes,
} from '../../../../../src/devnet/graphql/documents/transaction-payload.ts';
import { defaultGraphqlLimits as limits } from '../../../../../src/devnet/graphql/graphql-limits.ts';

function measure(text: string, variables: Record<string, unknown> = {}, overrides: Partial<typeof limits> = {}) {
  const document = parse(text);
  const fragments = fragmentsOf(document);
  const bounds = { ...limits, ...overrides };
  const input = measureInput(document, fragments, bounds);
  const output = measureOutput(document, fragments, variables, bounds);
  return [input.nodes, output.nodes, input.depth] as const;
}

describe('a document costs', () => {
  test.each([
    ['{ transactionBlocks(first: 20) { pageInfo { hasPreviousPage } } }', 3, 3, 3],
    ['{ transactionBlocks { edges { node { digest } } } }', 4, 42, 4],
    ['{ checkpoints { nodes { transactionBlocks { edges { txns: node { digest } } } } } }', 6, 842, 6],
    [
      '{ checkpoints { nodes { a: transactionBlocks { edges { txns: node { digest } } } b: transactionBlocks(first: 1) { edges { txns: node { digest } } } } } }',
      10,
      922,
      6,
    ],
    [
      '{ checkpoints { nodes { a: transactionBlocks { edges { txns: node { digest } } } b: transactionBlocks(first: 0) { edges { txns: node { digest } } } } } }',
      10,
      882,
      6,
    ],
    ['{ transactionBlocks(first: 1) { edges { node { digest } } } }', 4, 4, 4],
    ['{ transactionBlocks(last: 1) { edges { node { digest } } } }', 4, 4, 4],
    ['{ transactionBlocks(first: 20, last: 30) { edges { node { digest } } } }', 4, 62, 4],
    ['{ transactionBlocks(first: 36893488147419103000) { edges { node { digest } } } }', 4, 42, 4],
    ['{ transactionBlocks(first: -3) { edges { node { digest } } } }', 4, 42, 4],
    ['{ epoch { referenceGasPrice } }', 2, 2, 2],
  ])('%s: %i nodes in, %i out, %i deep', (text, inputNodes, outputNodes, depth) => {
    expect(measure(text)).toEqual([inputNodes, outputNodes, depth]);
  });

  test('a node and its body for each spread, in input; nothing of its own in output', () => {
    const text =
      '{ ...page ... on Query { transactionBlocks { nodes { digest } } } } fragment page on Query { transactionBlocks { nodes { digest } } }';
    expect(measure(text)).toEqual([8, 44, 4]);
  });

  test('both nodes and edges if both are selected', () => {
    expect(measure('{ events(first: 2) { nodes { bcs } edges { cursor node { bcs } } } }')).toEqual([7, 11, 4]);
  });

  test('a page behind an alias, and none where an alias only looks like one', () => {
    expect(measure('{ events(first: 3) { list: nodes { bcs } } }')[1]).toBe(5);
    expect(measure('{ checkpoint(first: 3) { nodes: digest } }')[1]).toBe(2);
  });

  test('the values of its variables, if they are numbers', () => {
    const text = 'query ($n: Int = 7) { events(first: $n) { nodes { bcs } } }';
    expect(measure(text, { n: 3 })[1]).toBe(5);
    expect(measure(text, {})[1]).toBe(22);
    for (const n of [null, '3', -1, 1.5, 2 ** 64]) expect(measure(text, { n })[1]).toBe(22);
  });

  test('one budget for all operations', () => {
    expect(measure('query a { chainIdentifier } query b { checkpoint { digest } }')).toEqual([3, 3, 2]);
  });
});

describe('a document exceeds', () => {
  test('nodes at the first selection beyond the limit', () => {
    const document = parse('{ a { b } c }');
    const { refusal } = measureInput(document, new Map(), { maxQueryDepth: 5, maxQueryNodes: 2 });
    expect(refusal).toMatchObject({ message: 'Query has over 2 nodes', locations: [{ line: 1, column: 7 }] });
    expect(measureInput(document, new Map(), { maxQueryDepth: 5, maxQueryNodes: 3 }).refusal).toBeUndefined();
  });

  test('depth at the first selection of the level, before its nodes', () => {
    const document = parse('{ a b { c d } }');
    const { refusal } = measureInput(document, new Map(), { maxQueryDepth: 1, maxQueryNodes: 2 });
    expect(refusal).toMatchObject({ message: 'Query nesting is over 1', locations: [{ line: 1, column: 9 }] });
  });

  test('output if a size or a product overflows', () => {
    const over = (text: string, maxOutputNodes = Number.MAX_SAFE_INTEGER) =>
      measureOutput(parse(text), new Map(), {}, { ...limits, maxOutputNodes }).refusal?.message;
    expect(over('{ events(first: 4294967296) { nodes { bcs } } }')).toMatch(/^Estimated output nodes exceeds /);
    expect(over('{ a(first: 65536) { nodes { b(first: 65536) { nodes { c } } } } }')).toMatch(/^Estimated/);
    expect(over('{ a(first: 65536) { nodes { b(first: 65535) { nodes { c } } } } }')).toBeUndefined();
    expect(over('{ a(first: 2) { nodes { c } } }', 4)).toBeUndefined();
    expect(over('{ a(first: 2) { nodes { c } } }', 3)).toBe('Estimated output nodes exceeds 3');
  });
});

describe('introspection alone', () => {
  test.each([
    ['{ __schema { queryType { name } } }', true],
    ['query x { s: __schema { queryType { name } } }', true],
    ['{ __schema { queryType { name } } __typename }', false],
    ['{ __type(name: "A") { name } }', false],
    ['{ ...a } fragment a on Query { __schema { queryType { name } } }', false],
    ['query a { __schema { queryType { name } } } query b { __typename }', false],
  ])('%s: %s', (text, expected) => {
    expect(isSchemaOnly(parse(text))).toBe(expected);
  });
});

describe('transaction payload', () => {
  const found = (text: string) => {
    const document = parse(text);
    return findTransactionArguments(document, fragmentsOf(document));
  };

  test('is text with its quotes, lists with their commas, and nothing of objects', () => {
    const text = 'mutation { executeTransactionBlock(txBytes: "abc", signatures: ["x", "yz"]) { errors } }';
    expect(inlinedBytes(found(text))).toBe(5 + (2 + 1 + 3 + 4));
    expect(inlinedBytes(found('{ dryRunTransactionBlock(txBytes: "abc", txMeta: { sender: "0x1" }) { error } }'))).toBe(
      5,
    );
  });

  test('counts a variable once, however often it is used', () => {
    const text =
      'query ($t: String!) { a: dryRunTransactionBlock(txBytes: $t) { error } b: dryRunTransactionBlock(txBytes: $t) { error } }';
    expect(inlinedBytes(found(text))).toBe(0);
    expect(transactionBytes(found(text), { t: 'abcd', other: 'x'.repeat(100) })).toBe(6);
    expect(transactionBytes(found(text), {})).toBe(0);
  });

  test('is found through fragments, only at the root', () => {
    const text =
      '{ ...a ... on Query { dryRunTransactionBlock(txBytes: "ab") { error } } checkpoint { dryRunTransactionBlock(txBytes: "far too deep") } } fragment a on Query { dryRunTransactionBlock(txBytes: "a") { error } ...a }';
    expect(inlinedBytes(found(text))).toBe(3 + 4);
  });
});
