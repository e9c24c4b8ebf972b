import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Devnet } from '../../../src/devnet/start-devnet.ts';
import { overEventStream, overWebSocket } from '../../support/live-clients.ts';
import { startTickedDevnet } from '../../support/live-network.ts';
import { type RpcCall, type ScriptedRpc, startScriptedRpc } from '../../support/scripted-rpc.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

/** Longer than the reader of a lone client used to run on. */
const pollMs = 700;

let devnet: Devnet;
let gateway: TestGateway;
let rpc: ScriptedRpc;
let events: {
  readonly name: string;
  readonly timestampMs: number;
  readonly eventSeq?: string;
  readonly sender?: null;
}[] = [];

const digest = (name: string) =>
  `8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR1`.replace(/.{4}/, `8${name.padEnd(3, '1').slice(0, 3)}`);
const idOf = (name: string) => `${digest(name)}:0`;

function answer({ params: [, cursor, limit, descending] }: RpcCall): string {
  if (cursor?.eventSeq === 'x') return 'null,"error":{"code":-32602,"message":"Invalid params"}';
  const all = descending ? events.toReversed() : events;
  const from = cursor === null ? 0 : all.findIndex(({ name }) => digest(name) === cursor.txDigest) + 1;
  const page = all.slice(from, from + limit);
  const data = page.map(({ name, timestampMs, eventSeq = '0', sender = '0x5' }) => ({
    id: { txDigest: digest(name), eventSeq },
    packageId: '0x2',
    transactionModule: 'm',
    sender,
    type: '0x2::m::E',
    parsedJson: {},
    bcs: '',
    timestampMs: String(timestampMs),
  }));
  const nextCursor = data.at(-1)?.id ?? null;
  return JSON.stringify({ data, nextCursor, hasNextPage: from + page.length < all.length });
}

beforeAll(async () => {
  devnet = await startTickedDevnet();
  rpc = await startScriptedRpc(answer);
  gateway = await createTestGateway({
    LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
    LEDGER_RPC_URL: rpc.url,
    LIVE_SOURCE: 'poll',
    LIVE_POLL_MIN_MS: String(pollMs),
    LIVE_POLL_MAX_MS: String(pollMs),
  });
});
afterAll(async () => {
  await gateway?.close();
  await rpc?.[Symbol.asyncDispose]();
  await devnet?.close();
});

const query =
  'subscription ($filter: EventStreamFilter, $after: String) { liveEvents(filter: $filter, after: $after) { __typename ... on LiveEventItem { cursor event { id } } ... on LiveGap { after before reason } } }';

it('an event that arrives late while the only client reconnects is delivered', async () => {
  events = [{ name: 'Pre', timestampMs: 1_000 }];
  const address = `${gateway.url}/graphql`;
  const first = overWebSocket(address, query);
  await until(() => rpc.calls.length > 1, 'a reader');
  events.push({ name: 'A', timestampMs: 2_000 }, { name: 'B', timestampMs: 3_000 });
  await until(() => first.ids.length === 2, 'both');
  await first.leave();
  events.splice(2, 0, { name: 'Lat', timestampMs: 2_500 });
  const before = rpc.calls.length;
  // The reader runs longer than two polls.
  await until(() => rpc.calls.length > before + 1, 'more looks', 4 * pollMs);
  events.push({ name: 'C', timestampMs: 4_000 });
  const again = overEventStream(address, query, { after: first.cursor });
  await until(() => again.ids.length === 2, 'the rest');
  expect(again.ids).toEqual([idOf('Lat'), idOf('C')]);
  await again.leave();
});

it('events whose times go back are delivered, and a warning is logged', async () => {
  events = [{ name: 'Pre', timestampMs: 20_000 }];
  const client = overEventStream(`${gateway.url}/graphql`, query, { filter: { sender: '0x5' } });
  const before = rpc.calls.length;
  await until(() => rpc.calls.length > before + 1, 'a reader');
  events.push(
    { name: 'A', timestampMs: 21_000 },
    { name: 'Bak', timestampMs: 10_000 },
    { name: 'C', timestampMs: 10_500 },
  );
  await until(() => client.ids.length === 3, 'all');
  expect(client.ids).toEqual(['A', 'Bak', 'C'].map(idOf));
  const warnings = gateway.log.filter(({ msg }) => String(msg).includes('keeps sending a faulty page'));
  expect(warnings).toMatchObject([{ level: 'warn', fault: 'is out of order' }]);
  await client.leave();
});

it('an event whose number is not decimal is delivered, and ends no stream, although the node rejects it as a position', async () => {
  events = [{ name: 'Pre', timestampMs: 30_000 }];
  const client = overEventStream(`${gateway.url}/graphql`, query, { filter: { moveEventType: '0x2::m::E' } });
  const before = rpc.calls.length;
  await until(() => rpc.calls.length > before + 1, 'a reader');
  // A poll begins 24 events before the newest one.
  const names = [...'abcdefghijkmnopqrstuvwxy'].map((letter) => `N${letter}1`);
  events.push({ name: 'Bad', timestampMs: 31_000, eventSeq: 'x' });
  for (const name of names) events.push({ name, timestampMs: 32_000 });
  const expected = [`${digest('Bad')}:x`, ...names.map(idOf)];
  await until(() => client.ids.length === expected.length, 'all');
  events.push({ name: 'Fin', timestampMs: 33_000 });
  await until(() => client.ids.length > expected.length, 'what follows');
  expect(client.ids).toEqual([...expected, idOf('Fin')]);
  const page = await gateway.query('{ queryEvents(filter: { sender: "0x5" }, first: 2) { nodes { id } } }');
  expect(page.data.queryEvents.nodes[1]).toEqual({ id: `${digest('Bad')}:x` });
  await client.leave();
});

it('an event of an unknown form is left out and counted, a warning is logged, and the stream goes on', async () => {
  events = [{ name: 'Pre', timestampMs: 40_000 }];
  const client = overEventStream(`${gateway.url}/graphql`, query, {
    filter: { moveModule: { package: '0x2', module: 'm' } },
  });
  const polls = () => rpc.calls.filter(({ params: [filter] }) => 'MoveModule' in filter).length;
  await until(() => polls() > 1, 'its reader');
  events.push(
    { name: 'A', timestampMs: 41_000 },
    { name: 'Unk', timestampMs: 42_000, sender: null },
    { name: 'B', timestampMs: 43_000 },
  );
  await until(() => client.ids.length === 2, 'the others');
  events.push({ name: 'Fin', timestampMs: 44_000 });
  await until(() => client.ids.length === 3, 'what follows');
  expect(client.ids).toEqual(['A', 'B', 'Fin'].map(idOf));
  const warnings = gateway.log.filter(({ fault }) => fault === 'has an item of an unknown form');
  expect(warnings).toMatchObject([{ level: 'warn', msg: expect.stringContaining('keeps sending a faulty page') }]);
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(metrics).toMatch(/^ledger_gateway_live_missed_total [1-9]/m);
  // A query cannot leave it out without telling its caller.
  const { errors } = await gateway.query('{ queryEvents(filter: { sender: "0x5" }, first: 3) { nodes { id } } }');
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  await client.leave();
});
