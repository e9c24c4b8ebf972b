import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Devnet, startDevnet } from '../../../src/devnet/start-devnet.ts';
import { type ScriptedRpc, startScriptedRpc } from '../../support/scripted-rpc.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const digest = '8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR1';
const numbers =
  '{"u64":18446744073709551615,"negative":-9007199254740993,"fraction":1.10,"exponent":1E400,"many":[12345678901234567890,7,{"deep":0.1000000000000000055}],"text":"18446744073709551615"}';
const event = `{"id":{"txDigest":"${digest}","eventSeq":18446744073709551614},"packageId":"0x2","transactionModule":"m","sender":"0x1","type":"0x2::m::T","timestampMs":"5","parsedJson":${numbers}}`;
const transaction = `{"digest":"${digest}","checkpoint":9007199254740993,"timestampMs":"5","effects":${numbers}}`;

let devnet: Devnet;
let rpc: ScriptedRpc;
let gateway: TestGateway;
beforeAll(async () => {
  devnet = await startDevnet({ sponsorToken: 'unused', checkpointIntervalMs: 0, genesis: { checkpoints: 3 } });
  rpc = await startScriptedRpc(({ method }) =>
    method.endsWith('queryEvents')
      ? `{"data":[${event}],"nextCursor":null,"hasNextPage":false}`
      : `{"data":[${transaction}],"nextCursor":null,"hasNextPage":false}`,
  );
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: devnet.graphqlUrl, LEDGER_RPC_URL: rpc.url });
});
afterAll(async () => {
  await gateway?.close();
  await rpc?.[Symbol.asyncDispose]();
  await devnet?.close();
});

const fields =
  'queryEvents(first: 1) { nodes { eventSeq parsedJson } } queryTransactionBlocks(first: 1) { nodes { checkpoint raw } }';
const plans: readonly (readonly [string, string])[] = [
  ['LOCAL', `{ ${fields} }`],
  ['SPLIT', `{ chainIdentifier ${fields} }`],
  ['STITCHED', `{ __schema { queryType { name } } chainIdentifier ${fields} }`],
  ['joined', `{ ${fields} more: queryEvents(first: 1) { nodes { parsedJson transactionBlock { digest } } } }`],
];

function expectDigits(text: string) {
  expect(text).toContain(`"eventSeq":"18446744073709551614"`);
  expect(text).toContain(`"parsedJson":${numbers}`);
  expect(text).toContain('"checkpoint":"9007199254740993"');
  expect(text).toContain(`"raw":${transaction}`);
}

test.each(plans)(
  'events and transactions keep the digits of their numbers, at first sight and later: %s',
  async (_, query) => {
    for (let sight = 0; sight < 3; sight += 1) {
      const { text, errors } = await gateway.query(query);
      expect(errors).toBeUndefined();
      expectDigits(text);
    }
    const response = await fetch(`${gateway.url}/graphql?query=${encodeURIComponent(query)}`);
    expectDigits(await response.text());
  },
);

test.each(plans)('over a WebSocket too: %s', async (_, query) => {
  const messages: string[] = [];
  class Listening extends WebSocket {
    constructor(...args: ConstructorParameters<typeof WebSocket>) {
      super(...args);
      this.on('message', (data) => messages.push(String(data)));
    }
  }
  const client = createClient({ url: `${gateway.url.replace('http', 'ws')}/graphql`, webSocketImpl: Listening });
  for await (const { errors } of client.iterate({ query })) expect(errors).toBeUndefined();
  await client.dispose();
  expectDigits(messages.join('\n'));
});
