import { buildSchema, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { type Ownership, planOperation } from '../../../src/documents/plan-operation.ts';
import { toExecutableDocument } from '../../../src/documents/selections.ts';

const ownSchema = buildSchema(`
  type Query { sponsor: Sponsor queryEvents: Events gateway: String }
  type Mutation { reserveGas: Reservation }
  type Sponsor { health: String }
  type Events { nodes: [RpcEvent] }
  type RpcEvent { type: String id: ID }
  type Reservation { gasCoins: [Coin] }
  type Coin { objectId: String }
`);
const own: Record<string, readonly string[]> = {
  query: ['sponsor', 'queryEvents', 'gateway'],
  mutation: ['reserveGas'],
};

const ownership: Ownership = {
  ownSchema,
  hasUsualRootNames: true,
  ownerOf: (operation, name) => (name === 'serviceConfig' ? null : own[operation]?.includes(name) ? 'own' : 'upstream'),
};

function plan(text: string, facts: Partial<Ownership> = {}) {
  const document = parse(text);
  const executable = toExecutableDocument(document);
  const [operation] = executable.operations;
  if (!operation) throw new Error('no operation');
  return planOperation({ document, operation, fragments: executable.fragments }, { ...ownership, ...facts });
}

describe('the plan of an operation', () => {
  it.each([
    ['{ epoch { epochId } }', 'PASS_THROUGH'],
    ['{ a: epoch { epochId } ...F } fragment F on Query { object { digest } __typename }', 'PASS_THROUGH'],
    ['{ epoch @skip(if: true) { sponsor { health } } }', 'PASS_THROUGH'],
    ['mutation { executeTransactionBlock { digest } }', 'PASS_THROUGH'],
    ['{ sponsor { health } }', 'LOCAL'],
    ['{ __typename }', 'LOCAL'],
    ['{ queryEvents { nodes { type id __typename } } ... on Query { gateway } }', 'LOCAL'],
    ['mutation { reserveGas { gasCoins { objectId } } }', 'LOCAL'],
    ['{ epoch { sponsor } sponsor { health } }', 'SPLIT'],
    [
      '{ ...L ...O } fragment L on Query { epoch { ...E } } fragment E on Epoch { id } fragment O on Query { gateway }',
      'SPLIT',
    ],
    ['mutation { reserveGas { gasCoins { objectId } } executeTransactionBlock { digest } }', 'STITCHED'],
    ['{ queryEvents { nodes { transactionBlock { digest } } } }', 'STITCHED'],
    ['{ queryEvents { nodes { ...N } } } fragment N on RpcEvent { ... { transactionBlock { digest } } }', 'STITCHED'],
    ['mutation { reserveGas { gasCoins { object { digest } } } }', 'STITCHED'],
    ['{ epoch { id } queryEvents { nodes { transactionBlock { digest } } } }', 'STITCHED'],
    ['{ epoch { id } serviceConfig { maxQueryDepth } }', 'STITCHED'],
    ['{ __schema { types { name } } }', 'STITCHED'],
    ['{ epoch { id } ...F } fragment F on Query { __type(name: "Q") { name } }', 'STITCHED'],
    ['subscription { ticks }', 'PASS_THROUGH'],
  ])('%s: %s', (text, expected) => {
    expect(plan(text).plan).toBe(expected);
  });

  it('is not PASS_THROUGH if the ledger would answer a __typename differently', () => {
    expect(plan('{ epoch { id } __typename }', { hasUsualRootNames: false }).plan).toBe('STITCHED');
    expect(plan('{ epoch { id } }', { hasUsualRootNames: false }).plan).toBe('PASS_THROUGH');
  });
});

describe('an operation is forwarded unchanged', () => {
  const whole = { isWhole: true, isConditional: false, isForwarded: true };
  it.each([
    ['{ epoch { epochId } }', whole],
    ['{ ...F } fragment F on Query { epoch { epochId @skip(if: true) } }', whole],
    ['{ epoch { epochId } } fragment F on Query { object { digest } }', { isWhole: false, isForwarded: false }],
    ['query A { epoch { epochId } } query B { epoch { epochId } }', { isWhole: false, isForwarded: false }],
    ['{ epoch @skip(if: true) { epochId } }', { isWhole: true, isConditional: true, isForwarded: false }],
    ['{ ...F @skip(if: true) } fragment F on Query { epoch { id } }', { isConditional: true, isForwarded: false }],
    ['{ ...F } fragment F on Query { epoch @include(if: true) { id } }', { isConditional: true, isForwarded: false }],
    ['{ gateway }', { isWhole: true, isConditional: false, isForwarded: false }],
  ])('only if all of its document runs: %s', (text, expected) => {
    expect(plan(text)).toMatchObject(expected);
  });
});

describe('our mutations are counted by response key, whatever the plan', () => {
  const field = 'reserveGas { gasCoins { objectId } }';
  const joined = 'reserveGas { gasCoins { object { digest } } }';
  it.each([
    ['{ sponsor { health } }', 'LOCAL', 0],
    ['mutation { executeTransactionBlock { digest } }', 'PASS_THROUGH', 0],
    [`mutation { ${field} }`, 'LOCAL', 1],
    [`mutation { a: ${field} b: ${field} a: ${field} __typename }`, 'LOCAL', 2],
    [`mutation { a: ${joined} b: ${joined} }`, 'STITCHED', 2],
    [`mutation { a: ${joined} b: ${field} executeTransactionBlock { digest } }`, 'STITCHED', 2],
    [
      `mutation { ...F b: ${field} } fragment F on Mutation { ... { a: reserveGas @skip(if: true) { __typename } } }`,
      'LOCAL',
      2,
    ],
  ])('%s', (text, planned, ownMutations) => {
    expect(plan(text)).toMatchObject({ plan: planned, ownMutations });
  });
});
