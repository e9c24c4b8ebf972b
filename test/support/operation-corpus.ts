import type { Plan } from '../../src/documents/plan-operation.ts';

/** An operation as a client sends it. */
export interface CorpusOperation {
  readonly text: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
}

export interface PlannedOperation extends CorpusOperation {
  readonly name: string;
  /** The plan that it tests. */
  readonly plan: Plan;
}

const passThrough = (name: string, text: string, rest: Omit<CorpusOperation, 'text'> = {}): PlannedOperation => ({
  name,
  plan: 'PASS_THROUGH',
  text,
  ...rest,
});
const split = (...given: Parameters<typeof passThrough>) => ({ ...passThrough(...given), plan: 'SPLIT' as const });
const own = (...given: Parameters<typeof passThrough>) => ({ ...passThrough(...given), plan: 'LOCAL' as const });
const stitched = (...given: Parameters<typeof passThrough>) => ({
  ...passThrough(...given),
  plan: 'STITCHED' as const,
});

/** Valid operations on the simulated network: every plan, and every spelling that a plan might get wrong. */
export const operationCorpus: readonly PlannedOperation[] = [
  passThrough('one field that may not be null', '{ chainIdentifier }'),
  passThrough(
    'several fields, some of which may be null',
    '{ checkpoint { digest epoch { epochId } } epoch { epochId } }',
  ),
  passThrough(
    'aliases in another order than the alphabet’s',
    '{ z: epoch(id: 1) { b: epochId a: startTimestamp } c: chainIdentifier a: epoch(id: 2) { epochId } }',
  ),
  passThrough('one field twice, its parts merged', '{ epoch(id: 1) { epochId } epoch(id: 1) { startTimestamp } }'),
  passThrough('names of root types', '{ a: __typename epoch { __typename epochId } __typename }'),
  passThrough(
    'fragments in one another',
    '{ ...Root } fragment Root on Query { events(first: 3) { ...Events } ...More } fragment More on Query { checkpoint { ...C } } fragment Events on EventConnection { nodes { json type { repr } sender { address } } pageInfo { hasNextPage } } fragment C on Checkpoint { digest sequenceNumber }',
  ),
  passThrough(
    'inline fragments without a type',
    '{ ... { epoch { ... on Epoch { epochId } } } ... on Query { chainIdentifier } }',
  ),
  passThrough(
    'variables, one of them with a default, and a page',
    'query ($n: Int = 2, $id: Int) { transactionBlocks(first: $n) { nodes { digest effects { status gasEffects { gasSummary { computationCost } } } sender { address } } } epoch(id: $id) { epochId } }',
    { variables: { id: 1 } },
  ),
  passThrough(
    'a directive at the root that leaves something out',
    'query ($no: Boolean!) { x: chainIdentifier @skip(if: $no) epoch(id: 1) { epochId startTimestamp @include(if: $no) } }',
    { variables: { no: true } },
  ),
  passThrough(
    'a directive at the root that leaves nothing',
    'query ($no: Boolean!) { chainIdentifier @include(if: $no) }',
    { variables: { no: false } },
  ),
  passThrough(
    'a fragment at the root that is left out',
    'query ($no: Boolean!) { ...F @include(if: $no) epoch { epochId } } fragment F on Query { chainIdentifier }',
    { variables: { no: false } },
  ),
  passThrough(
    'the first of two operations',
    'query A { chainIdentifier epoch { epochId } } query B { sponsor { health } }',
    { operationName: 'A' },
  ),
  passThrough(
    'one of two operations that share a fragment',
    'query A($n: Int) { events(first: $n) { ...P } } query B { transactionBlocks(last: 1) { nodes { digest } } events(last: 2) { ...P } } fragment P on EventConnection { edges { cursor node { json timestamp } } }',
    { operationName: 'B' },
  ),
  passThrough(
    'abstract types',
    '{ owner(address: "0x5") { asObject { owner { __typename ... on AddressOwner { owner { address } } ... on Shared { initialSharedVersion } } } } objects(first: 4) { nodes { owner { __typename ... on Parent { parent { address } } } version } } }',
  ),
  passThrough('an argument the ledger refuses', '{ object(address: "nonsense") { digest } epoch { epochId } }'),
  passThrough('a page the ledger refuses', '{ epoch(id: 1) { epochId checkpoints(first: 99) { nodes { digest } } } }'),
  passThrough(
    'a mutation of the ledger’s',
    'mutation ($t: String!) { executeTransactionBlock(txBytes: $t, signatures: []) { errors effects { status } } }',
    { variables: { t: 'AA==' } },
  ),
  own('our own fields', '{ sponsor { health version { raw } } queryEvents(last: 2) { nodes { type id txDigest } } }'),
  own('our own field that fails', '{ queryEvents(first: 1, last: 1) { nodes { type } } sponsor { health } }'),
  own('nothing but a typename', '{ __typename }'),
  own(
    'the second of two operations',
    'query A { chainIdentifier } query B($n: Int) { q: queryEvents(last: $n) { nodes { type } } }',
    { operationName: 'B', variables: { n: 1 } },
  ),
  own('a mutation of ours', 'mutation { reserveGas(gasBudget: 0, reserveDurationSecs: 1) { reservationId } }'),
  split('both side by side', '{ sponsor { health } chainIdentifier }'),
  split(
    'both by turns',
    '{ a: epoch(id: 1) { epochId } sponsor { health } __typename checkpoint { digest } queryEvents(last: 2) { nodes { type } } z: epoch { epochId startTimestamp } }',
  ),
  split(
    'fragments across both',
    '{ ...Mixed } fragment Mixed on Query { z: sponsor { ...S } ...Ledger } fragment S on Sponsor { version { raw } } fragment Ledger on Query { checkpoint { digest } events(first: 2) { nodes { json } } }',
  ),
  split(
    'variables of both',
    'query ($n: Int, $m: Int) { events(first: $n) { nodes { json sender { address } } } queryEvents(first: $m) { nodes { id txDigest eventSeq } } }',
    { variables: { n: 2, m: 1 } },
  ),
  split(
    'ours left out by a directive',
    'query ($no: Boolean!) { sponsor @include(if: $no) { health } epoch { epochId } }',
    { variables: { no: false } },
  ),
  split(
    'the ledger’s left out by a directive',
    'query ($no: Boolean!) { sponsor { health } ...F @include(if: $no) } fragment F on Query { chainIdentifier epoch { epochId } }',
    { variables: { no: false } },
  ),
  split(
    'ours failing beside the ledger’s',
    '{ queryEvents(first: 1, last: 1) { nodes { type } } epoch(id: 1) { epochId startTimestamp } }',
  ),
  stitched(
    'joins',
    '{ queryEvents(last: 2) { nodes { transactionBlock { digest effects { status } } senderAddress { address } } } epoch { epochId } }',
  ),
  stitched('bounds in force beside data', '{ serviceConfig { maxQueryDepth } checkpoint { digest } }'),
];
