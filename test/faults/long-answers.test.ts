import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openRawClient, type RawClient, toPostText } from '../support/raw-client.ts';
import { type ScriptedLedger, startScriptedLedger } from '../support/scripted-ledger.ts';
import { type ScriptedRpc, startScriptedRpc } from '../support/scripted-rpc.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

/** One upstream value may be selected under hundreds of names, for each of fifty items. */
const typeDefs = `
  scalar LedgerAddress
  type Query { chainIdentifier: String! address(address: LedgerAddress!): Address }
  type Address { address: String }
`;
const digest = '8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR1';

let ledger: ScriptedLedger;
let rpc: ScriptedRpc;
let gateway: TestGateway;
let eventText = '';
beforeAll(async () => {
  ledger = await startScriptedLedger(typeDefs, { Query: { chainIdentifier: () => 'x' } });
  rpc = await startScriptedRpc(({ params }) => {
    const data = Array.from({ length: params[2] }, (_, index) => ({
      id: { txDigest: digest, eventSeq: String(index) },
      packageId: '0x2',
      transactionModule: 'm',
      sender: '0x7',
      type: '0x2::m::T',
      parsedJson: { text: eventText },
    }));
    return JSON.stringify({ data, nextCursor: null, hasNextPage: false });
  });
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, LEDGER_RPC_URL: rpc.url, BATCH_MAX: '6' });
});
afterEach(() => {
  ledger.override = undefined;
  eventText = '';
});
afterAll(async () => {
  await gateway?.close();
  await rpc?.[Symbol.asyncDispose]();
  await ledger?.close();
});

const named = (count: number, field: string) =>
  Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ');
const events = (fields: string, more = '') => `{ queryEvents(first: 50)${more} { nodes { ${fields} } } }`;
const stitched = ' @include(if: true)';
const tooLong = [{ message: expect.stringContaining('longer than'), extensions: { code: 'PAYLOAD_TOO_LARGE' } }];

test.each([
  ['compiled', events(named(100, 'parsedJson'))],
  ['stitched', events(named(100, 'parsedJson'), stitched)],
  ['beside what is the ledger’s', events(named(100, 'parsedJson')).replace('{', '{ chainIdentifier ')],
])('long events under a hundred names are refused before they are written: %s', async (_, query) => {
  eventText = 'x'.repeat(5_000);
  const answer = await gateway.query(query);
  expect(answer).toMatchObject({ status: 200, data: null, errors: tooLong });
  eventText = 'x'.repeat(100);
  expect((await gateway.query(query)).errors).toBeUndefined();
});

test.each([
  ['compiled', events(named(29, 'senderAddress { address }'))],
  ['stitched', events(named(29, 'senderAddress { address }'), stitched)],
])('a long value that is joined at thousands of places is refused before it is written: %s', async (_, query) => {
  const answerWith = (address: string) => {
    ledger.override = (asked) => {
      const keys = [...asked.matchAll(/(k\d+):address/g)].map(([, key = '']) => key);
      const data = Object.fromEntries(keys.map((key) => [key, { address }]));
      return keys.length > 0 ? { status: 200, body: JSON.stringify({ data }) } : undefined;
    };
  };
  answerWith('x'.repeat(20_000));
  expect(await gateway.query(query)).toMatchObject({ status: 200, data: null, errors: tooLong });
  answerWith('x'.repeat(100));
  expect((await gateway.query(query)).errors).toBeUndefined();
});

test('a batch is no longer than the longest single response: further entries are errors', async () => {
  eventText = 'x'.repeat(2_900);
  const entry = { query: events(named(100, 'parsedJson')) };
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([...Array(5).fill(entry), { query: '{ chainIdentifier }' }]),
  });
  const answers = (await response.json()) as { data: object | null; errors?: object[] }[];
  const beyond = { data: null, errors: [{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }] };
  expect(answers.map(({ errors }) => errors?.length ?? 0)).toEqual([0, 0, 0, 0, 1, 1]);
  expect(answers.slice(4)).toMatchObject([beyond, beyond]);
  const logged = () => gateway.log.filter(({ msg }) => msg === 'request').at(-1);
  await until(() => logged()?.codes !== undefined, 'its log line');
  expect(logged()).toMatchObject({ codes: ['PAYLOAD_TOO_LARGE'] });
});

test('clients that stop reading their responses do not fill the memory together', async () => {
  eventText = 'x'.repeat(2_900);
  const over = () => gateway.log.filter(({ msg }) => msg === 'request').length;
  const before = over();
  const asked = toPostText({ query: events(named(100, 'parsedJson')) });
  const clients: RawClient[] = [];
  for (let index = 0; index < 11; index += 1) {
    const client = await openRawClient(Number(new URL(gateway.url).port));
    clients.push(client);
    await client.send(asked);
    await client.receive(/^HTTP\/1.1 200/);
    client.stopReading();
  }
  await until(() => over() > before, 'one of them was cut');
  expect(over() - before).toBeLessThan(clients.length);
  for (const client of clients) client.vanish('resetting');
});
