import { buildSchema, type OperationTypeNode, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { networkProfiles } from '../../../../src/config/network-profile.ts';
import { complexityRules } from '../../../../src/documents/cost/complexity.ts';
import { measureDocument } from '../../../../src/documents/cost/measure-document.ts';
import type { Variables } from '../../../../src/documents/cost/usage.ts';
import { iotaSchema } from '../../../support/networks/iota-network.ts';
import { plausibleDocument } from '../../../support/plausible-documents.ts';
import { referenceComplexity } from '../../../support/reference-counter.ts';

const { limits: rules } = networkProfiles.iota;
const isOwn = (_: OperationTypeNode, name: string): boolean => name === 'checkpoint';

function complexityOf(text: string, variables: Variables = {}, isNotLedgers: typeof isOwn = () => false) {
  const document = parse(text);
  expect(validate(iotaSchema, document)).toEqual([]);
  const counting = { rules, schema: iotaSchema, bodyBytes: 0, isOwn: isNotLedgers };
  const { complexity } = measureDocument(document, text.length, counting);
  if (!complexity) throw new Error('IOTA has the limit');
  return complexity(variables, rules.complexity?.pageSize ?? 0);
}

describe('the complexity of', () => {
  test.each<[string, Variables, number]>([
    ['{ chainIdentifier epoch { epochId referenceGasPrice } }', {}, 1 + 3],
    ['{ events { nodes { json } } }', {}, 20 * 2],
    ['{ events(last: 50) { nodes { sender { address } timestamp } pageInfo { hasNextPage } } }', {}, 50 * (2 + 2)],
    ['{ events(first: 50) { nodes { transactionBlock { digest } } } }', {}, 50 * (1 + 20)],
    [
      '{ events(first: 50) { nodes { transactionBlock { effects { events(first: 9) { nodes { json } } } } } } }',
      {},
      50 * (1 + 20 * (1 + 9 * 2)),
    ],
    ['query ($n: Int) { events(first: $n) { nodes { json } } }', { n: 7 }, 7 * 2],
    ['query ($n: Int) { events(first: $n) { nodes { json } } }', {}, 20 * 2],
    ['query ($n: Int = 3) { events(last: $n) { nodes { json } } }', {}, 3 * 2],
    ['{ checkpoints(first: 50) { nodes { digest transactionBlocks(first: 2) { nodes { bcs } } } } }', {}, 2 + 2 * 1],
    [
      '{ ...E a: epoch { ...F } b: epoch { ...F } } fragment E on Query { events(first: 2) { nodes { json } } } fragment F on Epoch { epochId }',
      {},
      4 + 2 + 2,
    ],
    ['query A { chainIdentifier } query B { events(first: 2) { nodes { json } } }', {}, 1 + 4],
    ['{ chainIdentifier @skip(if: true) __typename }', {}, 2],
  ])('%s %j: %i', (text, variables, complexity) => {
    expect(complexityOf(text, variables)).toBe(complexity);
    expect(referenceComplexity(iotaSchema, parse(text), variables)).toBe(complexity);
  });

  test('generated documents is what an independent counter says', () => {
    let large = 0;
    for (let seed = 0; seed < 200; seed += 1) {
      const { text, variables } = plausibleDocument(iotaSchema, seed);
      const complexity = complexityOf(text, variables);
      expect([text, complexity]).toEqual([text, referenceComplexity(iotaSchema, parse(text), variables)]);
      if (complexity > 6_000) large += 1;
    }
    expect(large).toBeGreaterThan(5);
  });

  test('fields of the gateway is nothing, also in fragments', () => {
    const text =
      '{ chainIdentifier checkpoint { epoch { epochId } } ...F } fragment F on Query { b: checkpoint { digest } }';
    expect(complexityOf(text, {}, isOwn)).toBe(1);
  });
});

test('a ledger from before the limit has none', () => {
  expect(complexityRules(rules, buildSchema('type Query { event: Event } type Event { json: Int }'))).toBeNull();
  expect(complexityRules(networkProfiles.sui.limits, iotaSchema)).toBeNull();
});
