import { parse } from 'graphql';
import { describe, expect, it, test } from 'vitest';
import { networkProfiles } from '../../../../src/config/network-profile.ts';
import { type Limits, shippedLimits } from '../../../../src/documents/cost/limits.ts';
import { measureDocument } from '../../../../src/documents/cost/measure-document.ts';
import type { Variables } from '../../../../src/documents/cost/usage.ts';
import { checkVariables } from '../../../../src/documents/prepared-document.ts';
import { checkSuiLimits, suiLimits } from '../../../support/networks/sui-limits.ts';
import { suiSchema } from '../../../support/networks/sui-network.ts';
import { plausibleDocument } from '../../../support/plausible-documents.ts';

const { limits: rules } = networkProfiles.sui;
const loose = {
  maxQueryDepth: 1_000,
  maxQueryNodes: 100_000,
  maxQueryPayloadSize: 1_000_000,
  maxTransactionPayloadSize: 1_000_000,
};
type Bounds = Partial<Pick<Limits, 'maxOutputNodes' | 'maxTransactionPayloadSize'>>;

/** What the gateway and an independent counter report about a document on Sui. */
function compare(text: string, variables: Variables, bounds: Bounds) {
  const document = parse(text);
  const counting = { rules, schema: suiSchema, bodyBytes: 0 };
  const measured = measureDocument(document, text.length, counting);
  const limits: Limits = { ...shippedLimits, ...loose, ...bounds, rules, schema: suiSchema };
  const own = checkVariables(measured, variables, limits, null, text)?.error;
  const check = checkSuiLimits(
    suiSchema,
    document,
    { variables, bytes: text.length },
    { ...suiLimits, ...loose, ...bounds },
  );
  const theirs = 'error' in check ? check.error : undefined;
  return [own, theirs].map((error) => error && { ...error.toJSON(), extensions: error.extensions.code });
}

test('generated documents are rejected at the field at which Sui stops counting', () => {
  let rejected = 0;
  for (let seed = 0; seed < 200; seed += 1) {
    const { text, variables } = plausibleDocument(suiSchema, seed);
    const [own, theirs] = compare(text, variables, { maxOutputNodes: [5, 60, 700, 9_000][seed % 4] ?? 1 });
    expect([text, own]).toEqual([text, theirs]);
    if (own) rejected += 1;
  }
  expect(rejected).toBeGreaterThan(80);
});

describe('the rejection of', () => {
  const tx = 'A'.repeat(40);
  it.each<[string, string, Variables, Bounds]>([
    ['a page', '{ checkpoint { digest a: transactions(first: 51) { pageInfo { hasNextPage } } } }', {}, {}],
    [
      'a page in a second operation',
      'query A { checkpoint { digest } } query B { events(last: 60) { nodes { timestamp } } }',
      {},
      {},
    ],
    [
      'a page in the second spread',
      '{ checkpoint { ...F } } fragment F on Checkpoint { digest ...G } fragment G on Checkpoint { transactions(first: 99) { nodes { digest } } }',
      {},
      {},
    ],
    [
      'a page by type of the fragment',
      '{ node(id: "a") { ... on Checkpoint { transactions(first: 99) { nodes { digest } } } } }',
      {},
      {},
    ],
    [
      'keys',
      'query ($k: [UInt53!]!) { checkpoint { digest } multiGetEpochs(keys: $k) { epochId } }',
      { k: Array(201).fill(1) },
      {},
    ],
    ['output at the items of a page', '{ events { nodes { timestamp } } }', {}, { maxOutputNodes: 21 }],
    ['output at a field of an item', '{ events { nodes { timestamp } } }', {}, { maxOutputNodes: 22 }],
    ['output at keys', '{ multiGetEpochs(keys: [1, 2, 3]) { epochId } }', {}, { maxOutputNodes: 3 }],
    [
      'output at the second spread',
      '{ a: checkpoint { ...F } b: checkpoint { ...F } } fragment F on Checkpoint { digest timestamp }',
      {},
      { maxOutputNodes: 5 },
    ],
    [
      'payload in a first argument',
      `{ simulateTransaction(transaction: "${tx}") { error } }`,
      {},
      { maxTransactionPayloadSize: 41 },
    ],
    [
      'payload in a second argument',
      `{ verifyZkLoginSignature(bytes: "${tx}", signature: "${tx}", intentScope: TRANSACTION_DATA, author: "0x2") { success } }`,
      {},
      { maxTransactionPayloadSize: 83 },
    ],
    [
      'payload in a second use, by variables of which each counts once',
      'query ($a: JSON!, $b: JSON!) { a: simulateTransaction(transaction: $a) { error } b: simulateTransaction(transaction: $a) { error } c: simulateTransaction(transaction: $b) { error } }',
      { a: tx, b: [tx] },
      { maxTransactionPayloadSize: 85 },
    ],
    [
      'payload before a page',
      `{ events(first: 99) { nodes { timestamp } } simulateTransaction(transaction: "${tx}") { error } }`,
      {},
      { maxTransactionPayloadSize: 9 },
    ],
  ])('%s names the field', (_, text, variables, bounds) => {
    const [own, theirs] = compare(text, variables, bounds);
    expect(own).toEqual(theirs);
    expect(own?.path).toBeDefined();
    expect(own?.locations).toHaveLength(1);
  });
});

test.each([
  [[1], 3],
  [1, 2],
  ['literal', 2],
])('keys of %j count %i nodes', (keys, nodes) => {
  const text =
    keys === 'literal'
      ? '{ multiGetEpochs(keys: 1) { epochId } }'
      : 'query ($k: [UInt53!]!) { multiGetEpochs(keys: $k) { epochId } }';
  expect(compare(text, { k: keys }, { maxOutputNodes: nodes })).toEqual([undefined, undefined]);
  const [own, theirs] = compare(text, { k: keys }, { maxOutputNodes: nodes - 1 });
  expect(own).toBeDefined();
  expect(own).toEqual(theirs);
});
