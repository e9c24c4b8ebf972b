import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Devnet } from '../../../src/devnet/start-devnet.ts';
import { overEventStream, overWebSocket } from '../../support/live-clients.ts';
import { quickPolls, startTickedDevnet } from '../../support/live-network.ts';
import { type RpcCall, startScriptedRpc } from '../../support/scripted-rpc.ts';
import { createTestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

let devnet: Devnet;
let events: { readonly name: string; readonly timestampMs: number }[] = [];
let refusal = '';

const digest = (name: string) =>
  `8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR1`.replace(/.{4}/, `8${name.padEnd(3, '1').slice(0, 3)}`);
const idOf = (name: string) => `${digest(name)}:0`;

/** A node that refuses whatever names an event that it does not have. */
function answer({ params: [filter, cursor, limit, descending] }: RpcCall): string {
  const isKnown = (txDigest: string) => events.some(({ name }) => digest(name) === txDigest);
  const named = cursor?.txDigest ?? filter.Transaction;
  if (named !== undefined && !isKnown(named))
    return `null,"error":{"code":-32603,"message":${JSON.stringify(refusal)}}`;
  const matching = events.filter(({ name }) => filter.Transaction === undefined || digest(name) === filter.Transaction);
  const all = descending ? matching.toReversed() : matching;
  const from = cursor === null ? 0 : all.findIndex(({ name }) => digest(name) === cursor.txDigest) + 1;
  const data = all.slice(from, from + limit).map(({ name, timestampMs }) => ({
    id: { txDigest: digest(name), eventSeq: '0' },
    packageId: '0x2',
    transactionModule: 'm',
    sender: '0x5',
    type: '0x2::m::E',
    parsedJson: {},
    bcs: '',
    timestampMs: String(timestampMs),
  }));
  return JSON.stringify({ data, nextCursor: data.at(-1)?.id ?? null, hasNextPage: from + data.length < all.length });
}

beforeAll(async () => {
  devnet = await startTickedDevnet();
});
afterAll(() => devnet?.close());

const page = `query ($filter: EventQueryFilter, $after: String) {
  queryEvents(filter: $filter, after: $after, first: 1) { pageInfo { endCursor hasNextPage } nodes { id } }
}`;
const live = `subscription ($filter: EventStreamFilter, $after: String) { liveEvents(filter: $filter, after: $after) {
  __typename ... on LiveEventItem { cursor event { id } } ... on LiveGap { after before reason }
} }`;
const kindsOf = (client: {
  readonly results: readonly { readonly data?: { liveEvents?: { __typename: string } } }[];
}) => client.results.map(({ data }) => data?.liveEvents?.__typename);

it.each([
  // The texts of iotaledger/iota, and one that no profile knows.
  ['transaction 17 has been pruned (min available: 90)', 'STALE_CURSOR'],
  ['requested events not available', 'STALE_CURSOR'],
  ['something went wrong', 'UPSTREAM_BAD_RESPONSE'],
])('pruned events of a node that says %j are told as such', { timeout: 120_000 }, async (text, code) => {
  refusal = text;
  events = ['Aa', 'Bb', 'Cc'].map((name, index) => ({ name, timestampMs: 1_000 * (index + 1) }));
  await using rpc = await startScriptedRpc(answer);
  await using gateway = await createTestGateway({
    LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
    LEDGER_RPC_URL: rpc.url,
    LIVE_SOURCE: 'poll',
    ...quickPolls,
  });
  const { data } = await gateway.query(page, {});
  const after = data.queryEvents.pageInfo.endCursor;
  const address = `${gateway.url}/graphql`;
  const opened = overWebSocket(address, live);
  const before = rpc.calls.length;
  await until(() => rpc.calls.length > before + 2, 'a reader');
  // Everything is pruned at once; later something happens.
  events = [];
  const { errors } = await gateway.query(page, { after });
  expect(errors).toMatchObject([{ extensions: { code, retry: code === 'STALE_CURSOR' ? 'never' : 'backoff' } }]);
  const ofOne = await gateway.query(page, { filter: { transaction: digest('Aa') } });
  if (code === 'STALE_CURSOR')
    expect(ofOne.data.queryEvents).toMatchObject({ nodes: [], pageInfo: { hasNextPage: false } });
  const resumed = overEventStream(address, live, { after });
  await until(() => opened.results.length > 0 && resumed.results.length > 0, 'both gaps', 60_000);
  events.push({ name: 'Dd', timestampMs: 9_000 });
  await until(() => opened.ids.length > 0 && resumed.ids.length > 0, 'what follows', 60_000);
  for (const client of [opened, resumed]) {
    expect(kindsOf(client)).toEqual(['LiveGap', 'LiveEventItem']);
    expect(client.ids).toEqual([idOf('Dd')]);
  }
  expect(resumed.results[0]?.data.liveEvents.after).not.toBeNull();
  await Promise.all([opened, resumed].map((client) => client.leave()));
});
