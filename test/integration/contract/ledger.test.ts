import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../../../src/devnet/start-devnet.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

let devnet: Devnet;
let gateway: TestGateway;

beforeAll(async () => {
  devnet = await startDevnet({
    sponsorToken: 'unused',
    checkpointIntervalMs: 0,
    genesis: { checkpoints: 80 },
    availableCheckpoints: 10,
  });
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: devnet.graphqlUrl });
});

afterAll(async () => {
  await gateway?.close();
  await devnet?.close();
});

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly { message: string; path?: unknown; extensions?: unknown }[] | undefined;
}

/** The same request, sent to the ledger itself. */
async function askLedger(query: string, variables?: object): Promise<Answer> {
  const response = await fetch(devnet.graphqlUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as Answer;
}

/** The gateway adds this code where the ledger sends none: these errors all concern unreadable values. */
const givenCode = { code: 'BAD_USER_INPUT' };

/** Data, and the promised parts of each error: message, path, extensions. */
function essence({ data, errors }: Answer) {
  const told = errors?.map(({ message, path, extensions = givenCode }) => {
    const { retry: _, ...rest } = Object(extensions);
    return { message, path, extensions: rest };
  });
  return { data, errors: told };
}

const fragments = /* GraphQL */ `
  query ($n: Int!, $withKind: Boolean!, $withoutDigest: Boolean!) {
    tbs: transactionBlocks(last: $n) {
      ...Page
      nodes {
        digest @skip(if: $withoutDigest)
        kind @include(if: $withKind) {
          __typename
          ... on ProgrammableTransactionBlock { first: inputs(first: 3) { nodes { __typename ... on Pure { bytes } ... on OwnedOrImmutable { address object { ...Seen } } } } }
          ...Prologue
        }
        effects {
          objectChanges(first: 3) {
            nodes {
              id: address
              outputState {
                ...Seen
                owner {
                  __typename
                  ... on AddressOwner { owner { address asObject { version } } }
                  ... on Shared { initialSharedVersion }
                  ...Held
                }
              }
            }
          }
        }
      }
    }
    again: transactionBlocks(last: 1) { nodes { ... { ... @include(if: $withKind) { sender { ...Named } } } } }
  }
  fragment Page on TransactionBlockConnection { pageInfo { ...Ends } }
  fragment Ends on PageInfo { hasPreviousPage end: endCursor }
  fragment Held on Parent { parent { ...Seen } }
  fragment Seen on IObject { version ... on IOwner { ...Named } ... on Object { status } }
  fragment Named on IOwner { address }
  fragment Prologue on ConsensusCommitPrologueTransaction { epoch { epochId } }
`;

describe('the ledger’s response is the same through the gateway:', () => {
  it.each<[name: string, query: string, variables?: object]>([
    [
      'named, inline and nested fragments on unions and interfaces',
      fragments,
      { n: 4, withKind: true, withoutDigest: false },
    ],
    ['the same with its directives the other way', fragments, { n: 4, withKind: false, withoutDigest: true }],
    [
      'fields of one name and different arguments',
      '{ a: epoch(id: 0) { epochId } b: epoch { epochId: epochId } c: epoch(id: 999) { epochId } }',
    ],
    [
      'the same field several times, merged',
      '{ epoch { epochId } epoch { referenceGasPrice } ... on Query { epoch { startTimestamp } } }',
    ],
    [
      'an object as variable',
      'query ($id: CheckpointId) { checkpoint(id: $id) { digest } }',
      { id: { sequenceNumber: 3 } },
    ],
    [
      'a list in an object in a variable',
      'query ($f: ObjectFilter) { objects(filter: $f) { nodes { address } } }',
      { f: { objectIds: ['0x5', '0x6'] } },
    ],
    ['a null variable', 'query ($n: Int) { checkpoints(first: $n) { nodes { sequenceNumber } } }', { n: null }],
    [
      'a left-out variable with a default',
      'query ($n: Int = 2) { checkpoints(first: $n) { nodes { sequenceNumber } } }',
    ],
    [
      'a union of a dynamic field',
      '{ object(address: "0x5") { dynamicFields(first: 2) { nodes { name { json } value { __typename ... on MoveValue { json } ... on MoveObject { version contents { type { repr } } } } } } } }',
    ],
    ['first and last together', '{ chainIdentifier checkpoints(first: 1, last: 1) { nodes { digest } } }'],
    [
      'the same under other names, behind fields that cannot be null',
      '{ a: chainIdentifier b: checkpoints(last: 1) { nodes { digest } } p: checkpoints(first: 1, last: 1) { nodes { digest } } }',
    ],
    ['a page over the maximum', '{ events(first: 51) { nodes { timestamp } } }'],
    [
      'a failure below a nullable field, the rest answered',
      '{ chainIdentifier checkpoint { sequenceNumber transactionBlocks(first: 51) { nodes { digest } } } }',
    ],
    [
      'several failures with paths through lists and aliases',
      '{ page: checkpoints(last: 2) { nodes { n: sequenceNumber e: epoch { epochId bad: checkpoints(first: 60) { nodes { digest } } } } } chainIdentifier }',
    ],
    [
      'a nullable field beside one that takes all data with it',
      '{ epoch { epochId } checkpoints(first: 51) { nodes { digest } } object(address: "0x5") { version } }',
    ],
    [
      'two of them that take all data with them',
      '{ a: checkpoints(first: 51) { nodes { digest } } b: events(last: 52) { nodes { bcs } } }',
    ],
    ['a cursor that is none', '{ events(first: 1, after: "%%%") { nodes { timestamp } } chainIdentifier }'],
    [
      'one long fragment under many names, which the ledger’s bound on bytes allows',
      `{${Array.from({ length: 18 }, (_, i) => `o${i}: object(address: "0x${i}") { ...F }`).join(' ')}}
       fragment F on Object {
         theVersionOfTheObjectAtThisMoment: version theStatusOfTheObjectAtThisMoment: status
         theDigestOfTheObjectAtThisMoment: digest theTransactionThatTouchedItLast: previousTransactionBlock { ...G }
         theOwnerOfTheObject: owner { __typename ... on AddressOwner { owner { theAddressOfTheOwner: address } } }
       }
       fragment G on TransactionBlock { theDigestOfThatTransaction: digest }`,
    ],
    [
      'two event filters',
      '{ epoch { epochId } events(filter: { emittingModule: "0x2", eventType: "0x2" }) { nodes { timestamp } } }',
    ],
    [
      'two complex transaction filters',
      '{ transactionBlocks(filter: { kind: SYSTEM_TX, function: "0x2::a" }) { nodes { digest } } }',
    ],
    ['a scan limit too large', '{ transactionBlocks(scanLimit: 2000000000) { nodes { digest } } }'],
    ['a bad address', '{ object(address: "5") { version } chainIdentifier }'],
    ['a bad digest', '{ transactionBlock(digest: "l0l") { digest } chainIdentifier }'],
    ['a bad type', '{ type(type: "nope") { repr } }'],
    ['bad transaction bytes', 'mutation { executeTransactionBlock(txBytes: "AAAA", signatures: []) { errors } }'],
    ['a dry run of nonsense', '{ dryRunTransactionBlock(txBytes: "!") { error } chainIdentifier }'],
  ])('%s', async (_name, query, variables) => {
    const [own, through] = [await askLedger(query, variables), await gateway.query(query, variables)];
    expect(essence(through)).toEqual(essence(own));
    expect(through.status).toBe(200);
  });

  it('the keys of a response have the operation’s order', async () => {
    const query =
      '{ z: epoch { referenceGasPrice epochId } chainIdentifier a: checkpoint { sequenceNumber digest } m: gateway { version } }';
    const { data } = await gateway.query(query);
    expect(Object.keys(data)).toEqual(['z', 'chainIdentifier', 'a', 'm']);
    expect(Object.keys(data.z)).toEqual(['referenceGasPrice', 'epochId']);
    expect(Object.keys(data.a)).toEqual(['sequenceNumber', 'digest']);
  });
});

const pageOf = (connection: string, filter = '') => /* GraphQL */ `
  query ($first: Int, $after: String, $last: Int, $before: String) {
    page: ${connection}(first: $first, after: $after, last: $last, before: $before ${filter}) {
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      edges { cursor node { __typename } }
    }
  }`;

describe('paging through the gateway', () => {
  it.each(['checkpoints', 'transactionBlocks', 'events', 'objects', 'coins'])(
    '%s: both directions meet, every edge once',
    async (connection) => {
      const query = pageOf(connection);
      const forward: string[] = [];
      for (let after: string | null = null, more = true; more && forward.length < 40; ) {
        const { data, errors } = await gateway.query(query, { first: 7, after });
        expect(errors).toBeUndefined();
        forward.push(...data.page.edges.map((edge: { cursor: string }) => edge.cursor));
        ({ endCursor: after, hasNextPage: more } = data.page.pageInfo);
      }
      expect(forward.length).toBeGreaterThan(7);
      expect(new Set(forward).size).toBe(forward.length);
      const backward: string[] = [];
      const end = forward.at(-1);
      for (let before: string | null | undefined = end, more = true; more; ) {
        const { data } = await gateway.query(query, { last: 5, before });
        backward.unshift(...data.page.edges.map((edge: { cursor: string }) => edge.cursor));
        ({ startCursor: before, hasPreviousPage: more } = data.page.pageInfo);
      }
      expect([...backward, end]).toEqual(forward);
    },
  );

  it('cursors of different checkpoints, and a stale one, are rejected in the ledger’s words', async () => {
    const query = pageOf('objects');
    const old = await gateway.query(query, { first: 2 });
    const { startCursor: after } = old.data.page.pageInfo;
    devnet.act();
    devnet.ledger.closeCheckpoint();
    const fresh = await gateway.query(query, { first: 4 });
    const { endCursor: before } = fresh.data.page.pageInfo;

    const mixed = { first: 1, after, before };
    const refused = await gateway.query(query, mixed);
    expect(essence(refused)).toEqual(essence(await askLedger(query, mixed)));
    expect(refused.errors?.map(({ message }) => message)).toEqual([
      'The provided cursors are taken from different checkpoints and cannot be used together in the same query.',
    ]);

    for (let i = 0; i < 12; i += 1) devnet.ledger.closeCheckpoint();
    const stale = await gateway.query(query, { first: 1, after });
    expect(essence(stale)).toEqual(essence(await askLedger(query, { first: 1, after })));
    expect(stale.errors?.map(({ message }) => message)).toEqual(['Requested data is outside the available range']);
  });

  it('a stale cursor below a nullable field leaves the rest of the response', async () => {
    const query = /* GraphQL */ `query ($after: String) {
      chainIdentifier
      address(address: "0x5") { address }
      owner(address: "${devnet.ledger.events.at(-1)?.sender}") { objects: coins(first: 1, after: $after) { pageInfo { endCursor } } }
    }`;
    const first = await gateway.query(query);
    const after = first.data.owner.objects.pageInfo.endCursor;
    expect(after).toBeTypeOf('string');
    for (let i = 0; i < 12; i += 1) devnet.ledger.closeCheckpoint();
    const stale = await gateway.query(query, { after });
    expect(essence(stale)).toEqual(essence(await askLedger(query, { after })));
    expect(stale.data).toMatchObject({ chainIdentifier: expect.any(String), owner: null });
    expect(stale.errors).toHaveLength(1);
  });
});
