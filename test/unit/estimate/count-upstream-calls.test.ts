import { buildSchema, getOperationAST, getVariableValues, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/parse-config.ts';
import type { Plan } from '../../../src/documents/plan-operation.ts';
import { toExecutableDocument } from '../../../src/documents/selections.ts';
import {
  type BoundOperation,
  type CallCountingOptions,
  countUpstreamCalls,
  createOwnFieldCalls,
  type OwnFieldCalls,
} from '../../../src/estimate/count-upstream-calls.ts';
import type { JoinedObjects } from '../../../src/graph/joins/operation-joins.ts';
import { upstreamList } from '../../../src/start/upstreams.ts';
import { toNewerForm, toSponsoredTransaction } from '../../support/sponsored-transaction.ts';

const ours = /* GraphQL */ `
  type Query {
    sponsor: Sponsor!
    queryEvents(filter: Filter, first: Int, last: Int): Events
    gateway: String!
    reservation: Reservation
  }
  type Mutation { reserveGas: Reservation executeTx(txBytes: String): Reservation }
  type Subscription { liveEvents: Event }
  type Sponsor { health: String version: Version }
  type Version { raw: String }
  type Events { nodes: [Event!]! page: String }
  type Event { type: String }
  type Reservation { coins: [Coin!]! }
  type Coin { id: String }
  input Filter @oneOf { sender: String object: String }
`;
const theirs = /* GraphQL */ `
  extend type Query { chain: String epoch: Epoch }
  extend type Mutation { execute(n: Int): Epoch dryRun: Epoch }
  extend type Event { block: Epoch }
  extend type Coin { object: Epoch }
  type Epoch { id: Int event: Event }
`;

const facts: CallCountingOptions = {
  schema: buildSchema(ours + theirs),
  ownSchema: buildSchema(ours),
  isJoin: (type, field) => ['Event.block', 'Coin.object'].includes(`${type}.${field}`),
  ownFieldCalls: callsWith(['SPONSOR_URL', 'LEDGER_RPC_URL']),
  defaultPageSize: 20,
};

/** What the fields of the real upstreams take where those with these settings have an address. */
function callsWith(named: readonly string[], env: Readonly<Record<string, string>> = {}): OwnFieldCalls {
  const addresses = Object.fromEntries(named.map((name) => [name, ['http://127.0.0.1']]));
  const pages = { defaultSize: 20, maxSize: 1_000 };
  const config = parseConfig({ env, readFile: () => '' });
  const settings = { ...config.settings, EVENTS_SOURCE: 'rpc' } as const;
  const facts = { ...config, upstreams: { kind: 'remote', addresses }, pages, settings } as const;
  return createOwnFieldCalls(upstreamList.ownFields, facts);
}

function count(
  text: string,
  sent: Record<string, unknown> = {},
  changed: Partial<CallCountingOptions> = {},
  plan: Plan = 'STITCHED',
  entityRequests = 0,
) {
  const document = parse(text);
  expect(validate(facts.schema, document)).toEqual([]);
  const operation = getOperationAST(document, undefined);
  if (!operation) throw new Error('the test wants one operation');
  const { coerced, errors } = getVariableValues(facts.schema, operation.variableDefinitions ?? [], sent);
  if (errors) throw errors[0];
  const { fragments } = toExecutableDocument(document);
  // A ledger that answers 30 joins in a request.
  const countJoins: (joined: readonly JoinedObjects[]) => number = (joined) =>
    Math.ceil(joined.reduce((sum, each) => sum + each.joins.length * each.count, 0) / 30);
  const countRequests: BoundOperation['countRequests'] = (joined) =>
    joined.reduce((sum, each) => sum + countJoins(each), entityRequests);
  const bound = { operation, fragments, variables: coerced, countRequests };
  return countUpstreamCalls(bound, plan, { ...facts, ...changed });
}

describe('a query takes', () => {
  test.each([
    ['{ __typename __schema { queryType { name } } gateway }', 0],
    ['{ chain }', 1],
    ['{ chain epoch { id } other: epoch { event { type } } }', 1],
    ['{ sponsor { __typename } }', 0],
    ['{ sponsor { health } b: sponsor { again: health version { raw } } }', 2],
    ['{ queryEvents { page } }', 1],
    ['{ queryEvents(first: 0) { nodes { block { id } } } }', 0],
    ['{ queryEvents(first: 101) { nodes { block { id } } } }', 4],
    ['{ queryEvents { nodes { block { id } again: block { id } } } }', 2],
    ['{ queryEvents { nodes { type } } b: queryEvents { nodes { ... { ... on Event { block { id } } } } } }', 3],
    ['{ reservation { coins { id } } }', 0],
    ['{ reservation { coins { object { id } } } }', 1],
    ['{ queryEvents { page } queryEvents { nodes { ...E } } } fragment E on Event { block { id } }', 2],
    ['{ ...Q ...Q } fragment Q on Query { chain sponsor { health } }', 2],
    ['{ ... @skip(if: true) { chain } ... @include(if: true) { sponsor { health } } }', 1],
    ['{ queryEvents(filter: { sender: "a" }) { nodes { block @include(if: false) { id } } } }', 1],
  ])('%s: %i', (text, calls) => {
    expect(count(text)).toBe(calls);
  });

  test('what its variables allow', () => {
    const text =
      'query ($no: Boolean!, $n: Int = 0) { chain @skip(if: $no) queryEvents(last: $n) { page } sponsor { health } }';
    expect(count(text, { no: true })).toBe(1);
    expect(count(text, { no: false })).toBe(2);
    expect(count(text, { no: false, n: 60 })).toBe(4);
  });

  test('none for a page whose arguments are rejected at execution', () => {
    const text = 'query ($sender: String!) { queryEvents(filter: { sender: $sender }) { page } }';
    expect(count(text, { sender: 'a' })).toBe(1);
    const refused = 'query ($sender: String!) { queryEvents(filter: { sender: $sender }, first: 1001) { page } }';
    expect(count(refused, { sender: 'a' })).toBe(0);
  });

  test('none for an upstream without an address', () => {
    const text = '{ chain sponsor { health version { raw } } queryEvents { nodes { block { id } } } }';
    expect(count(text)).toBe(5);
    expect(count(text, {}, { ownFieldCalls: callsWith(['LEDGER_RPC_URL']) })).toBe(3);
    expect(count(text, {}, { ownFieldCalls: callsWith([]) })).toBe(1);
    expect(
      count(
        'mutation { reserveGas { coins { object { id } } } }',
        {},
        { ownFieldCalls: callsWith(['LEDGER_RPC_URL']) },
      ),
    ).toBe(0);
  });
});

test.each([
  ['{ gateway }', 0, 0],
  ['{ gateway }', 1, 1],
  ['{ gateway }', 3, 3],
  ['{ reservation { coins { object { id } } } }', 0, 1],
  ['{ reservation { coins { object { id } } } }', 1, 2],
  ['{ reservation { coins { object { id } } } }', 3, 4],
  ['{ queryEvents { nodes { block { id } } } b: queryEvents { nodes { block { id } } } sponsor { health } }', 2, 7],
])(
  'a query looks up the joins of slow root fields separately: %s with %i requests for entities: at most %i',
  (text, requests, calls) => {
    expect(count(text, {}, {}, 'STITCHED', requests)).toBe(calls);
  },
);

test('an execution takes a call more if the ledger simulates it', () => {
  const readable = toSponsoredTransaction({ sponsorAddress: `0x${'5'.repeat(64)}`, gasCoins: [], gasBudget: 1 }, 1);
  const calls = ({ txBytes }: { readonly txBytes: string }, env: Readonly<Record<string, string>>) =>
    count(
      'mutation ($tx: String) { executeTx(txBytes: $tx) { __typename } reserveGas { __typename } }',
      { tx: txBytes },
      { ownFieldCalls: callsWith(['SPONSOR_URL'], env) },
    );
  expect(calls(readable, {})).toBe(2);
  expect(calls(readable, { SPONSOR_DRY_RUN: 'failing' })).toBe(3);
  expect(calls(readable, { SPONSOR_UNREADABLE: 'dry-run' })).toBe(2);
  expect(calls(toNewerForm(readable), { SPONSOR_UNREADABLE: 'dry-run' })).toBe(3);
});

describe('a mutation takes', () => {
  test.each([
    ['mutation { execute { id } }', 1],
    ['mutation { execute { id } b: execute { id } dryRun { id } }', 3],
    ['mutation { reserveGas { coins { id } } executeTx { coins { object { id } } } execute { id } }', 4],
    ['mutation { reserveGas { coins { id } } reserveGas { coins { object { id } } } }', 2],
    ['mutation { a: reserveGas { coins { object { id } } } b: reserveGas { coins { object { id } } } }', 4],
    ['mutation { execute @skip(if: true) { id } __typename }', 0],
  ])('%s: %i', (text, calls) => {
    expect(count(text)).toBe(calls);
  });
});

describe('with a plan other than STITCHED', () => {
  test.each<readonly [Plan, string, number]>([
    ['PASS_THROUGH', '{ chain epoch { id } }', 1],
    ['PASS_THROUGH', '{ chain @skip(if: true) }', 0],
    ['PASS_THROUGH', 'mutation { a: execute { id } b: execute { id } }', 1],
    ['SPLIT', '{ chain epoch { id } sponsor { health } queryEvents(first: 51) { page } }', 4],
    ['SPLIT', '{ chain @include(if: false) gateway }', 0],
    ['LOCAL', '{ gateway sponsor { health } }', 1],
    ['LOCAL', '{ __typename }', 0],
  ])('%s of %s: %i', (plan, text, calls) => {
    expect(count(text, {}, {}, plan)).toBe(calls);
  });
});

test('a subscription has no number of calls', () => {
  expect(count('subscription { liveEvents { type } }')).toBeNull();
});
