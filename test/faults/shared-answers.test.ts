import { afterEach, beforeEach, expect, test } from 'vitest';
import { slowness } from '../support/cpu-time.ts';
import { type FaultyLedger, startFaultyLedger } from '../support/faulty-ledger.ts';
import { inTurns } from '../support/in-turns.ts';
import { attacker, longestTurnOf, memoryOf, openFrom, readAll, watchingTurns } from '../support/one-address.ts';
import { toPostText } from '../support/raw-client.ts';
import { type ScriptedLedger, startScriptedLedger } from '../support/scripted-ledger.ts';
import { type ScriptedRpc, startScriptedRpc } from '../support/scripted-rpc.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';

/** One large response that many requests of one address share is in memory once, and none of them takes a long turn. */

const digest = '8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR1';
/** On an idle machine, turns have up to 45 ms. Before, 170 to 430 ms. */
const longMs = 90;

let ledger: FaultyLedger;
let joined: ScriptedLedger;
let rpc: ScriptedRpc;
let gateway: SpawnedGateway;
let before = 0;
let text: unknown = '';

beforeEach(async () => {
  text = '';
  ledger = await startFaultyLedger();
  joined = await startScriptedLedger(
    `scalar LedgerAddress
     type Query { chainIdentifier: String! address(address: LedgerAddress!): Address }
     type Mutation { touch: Address }
     type Address { address: String digest: String items: [Item!] }
     type Item { name: String version: Float owner: Address }`,
    { Query: { chainIdentifier: () => 'x' } },
  );
  rpc = await startScriptedRpc(({ params }) => {
    const data = Array.from({ length: params[2] }, (_, index) => ({
      id: { txDigest: digest, eventSeq: String(index) },
      packageId: '0x2',
      transactionModule: 'm',
      sender: `0x${index + 1}`,
      type: '0x2::m::T',
      parsedJson: { text },
    }));
    return JSON.stringify({ data, nextCursor: null, hasNextPage: false });
  });
});
afterEach(async () => {
  expect(gateway.cli.child.exitCode).toBeNull();
  expect(gateway.complaints()).toEqual([]);
  await gateway[Symbol.asyncDispose]();
  await rpc[Symbol.asyncDispose]();
  await joined.close();
  await ledger[Symbol.asyncDispose]();
});

async function start(env: Record<string, string>): Promise<void> {
  gateway = await spawnGateway({ SCHEMA_POLL_MS: '0', BATCH_MAX: '20', ...env }, [
    '--max-old-space-size=512',
    ...watchingTurns,
  ]);
  await ask({ query: '{ chainIdentifier }' });
  await longestTurnOf(gateway);
  before = memoryOf(gateway).now;
}

async function ask(body: object): Promise<{ head: string; size: number }> {
  const socket = await openFrom(attacker, gateway.port);
  socket.write(toPostText(body, { connection: 'close' }));
  return readAll(socket);
}

const large = '{ events(first: 6000) { json } }';

test('twenty requests for one operation of two, and a batch of ten, forward the bytes of one response', async () => {
  await start({ LEDGER_GRAPHQL_URL: ledger.url });
  const two = { query: `query A ${large} query B { chainIdentifier }`, operationName: 'A' };
  for (const { size } of await inTurns(20, 20, () => ask(two))) expect(size).toBeGreaterThan(5_900_000);
  expect((await ask(Array(10).fill({ query: large }))).size).toBeGreaterThan(59_000_000);
  expect(memoryOf(gateway).peak - before).toBeLessThan(150);
  expect(await longestTurnOf(gateway)).toBeLessThan(longMs * slowness());
});

test('thirty operations with joins parse one response of the ledger', async () => {
  await start({ LEDGER_GRAPHQL_URL: joined.url, LEDGER_RPC_URL: rpc.url });
  joined.override = (asked) => {
    const keys = [...asked.matchAll(/(k\d+):address/g)].map(([, key = '']) => key);
    // Members that were not asked for, so that the responses are short.
    const value = { digest: 'x', more: Array(200).fill('y'.repeat(1_000)) };
    const data = Object.fromEntries(keys.map((key) => [key, value]));
    return keys.length > 0 ? { status: 200, body: JSON.stringify({ data }) } : undefined;
  };
  const query = '{ queryEvents(first: 30) { nodes { senderAddress { digest } } } }';
  for (const { head } of await inTurns(30, 30, () => ask({ query }))) expect(head).toContain('200 OK');
  expect(memoryOf(gateway).peak - before).toBeLessThan(400);
  expect(await longestTurnOf(gateway)).toBeLessThan(longMs * slowness());
});

const item = { name: 'x'.repeat(60), version: 7, owner: { address: '0x7' } };
const itemsOf = (bytes: number) => Array(Math.ceil(bytes / JSON.stringify(item).length)).fill(item);

test.each([6, 12])('a response of the ledger of %i MB beside an error of ours is read in turns', async (megabytes) => {
  await start({ LEDGER_GRAPHQL_URL: joined.url, LEDGER_RPC_URL: rpc.url });
  const answer = { data: { address: { items: itemsOf(megabytes * 1_000_000) } } };
  joined.override = (asked) => (asked.includes('address') ? { status: 200, body: JSON.stringify(answer) } : undefined);
  const query = '{ queryEvents(first: 1, last: 1) { nodes { type } } address(address: "0x7") { items { name } } }';
  expect((await ask({ query })).size).toBeGreaterThan(megabytes * 990_000);
  expect(await longestTurnOf(gateway)).toBeLessThan(longMs * slowness());
});

test.each([
  ['a mutation with an error', 'mutation { touch { items { name } } }', 'touch', false],
  ['a query with an error before its data', '{ address(address: "0x7") { items { name } } }', 'address', true],
])('a response of the ledger of 12 MB to %s is read in turns', async (_, query, field, isErrorFirst) => {
  await start({ LEDGER_GRAPHQL_URL: joined.url });
  const data = { [field]: { items: itemsOf(12_000_000) } };
  const errors = [{ message: 'one of them is gone', path: [field, 'items', 0] }];
  const body = JSON.stringify(isErrorFirst ? { errors, data } : { data, errors });
  joined.override = (asked) => (asked.includes(field) ? { status: 200, body } : undefined);
  expect((await ask({ query })).size).toBeGreaterThan(11_900_000);
  expect(await longestTurnOf(gateway)).toBeLessThan(longMs * slowness());
});

test.each([6, 12])('events of %i MB are parsed, completed and printed in turns', async (megabytes) => {
  await start({ LEDGER_GRAPHQL_URL: joined.url, LEDGER_RPC_URL: rpc.url });
  text = itemsOf((megabytes * 1_000_000) / 50);
  expect((await ask({ query: '{ queryEvents(first: 50) { nodes { parsedJson } } }' })).size).toBeGreaterThan(
    megabytes * 990_000,
  );
  expect(await longestTurnOf(gateway)).toBeLessThan(longMs * slowness());
});

test.each([6, 12])('a joined response of %i MB is parsed, completed and printed in turns', async (megabytes) => {
  await start({ LEDGER_GRAPHQL_URL: joined.url, LEDGER_RPC_URL: rpc.url });
  const items = itemsOf((megabytes * 1_000_000) / 30);
  joined.override = (asked) => {
    const keys = [...asked.matchAll(/(k\d+):address/g)].map(([, key = '']) => key);
    const data = Object.fromEntries(keys.map((key) => [key, { items }]));
    return keys.length > 0 ? { status: 200, body: JSON.stringify({ data }) } : undefined;
  };
  const query = '{ queryEvents(first: 30) { nodes { senderAddress { items { name version owner { address } } } } } }';
  expect((await ask({ query })).size).toBeGreaterThan(megabytes * 990_000);
  expect(await longestTurnOf(gateway)).toBeLessThan(longMs * slowness());
});

test.each([
  ['by POST', (query: string) => ask({ query })],
  ['in a batch', (query: string) => ask([{ query }])],
  ['beside a response of the ledger', (query: string) => ask({ query: query.replace('{', '{ chainIdentifier ') })],
])('a long result of the gateway is printed in turns: %s', async (_, askFor) => {
  await start({ LEDGER_GRAPHQL_URL: joined.url, LEDGER_RPC_URL: rpc.url });
  text = 'x'.repeat(2_900);
  const names = Array.from({ length: 100 }, (_, index) => `a${index}: parsedJson`).join(' ');
  expect((await askFor(`{ queryEvents(first: 50) { nodes { ${names} } } }`)).size).toBeGreaterThan(14_000_000);
  expect(await longestTurnOf(gateway)).toBeLessThan(longMs * slowness());
});
