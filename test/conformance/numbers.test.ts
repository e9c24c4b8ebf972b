import { getOperationAST, Kind, parse } from 'graphql';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type RecordingUpstream, recordUpstream } from '../support/recording-upstream.ts';
import { type ScriptedLedger, startScriptedLedger } from '../support/scripted-ledger.ts';
import { type GraphqlDevnet, startGraphqlDevnet } from '../support/start-graphql-devnet.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';

const typeDefs = `
  scalar UInt53 scalar JSON scalar Huge scalar LedgerAddress
  type Query {
    chainIdentifier: String!
    thing(json: JSON, big: UInt53, huge: Huge, in: In, n: Int, f: Float, id: ID, list: [Huge]): Thing
    address(address: LedgerAddress!): Thing
    serviceConfig: ServiceConfig!
  }
  type Thing { value: JSON amount: UInt53 huge: [Huge] count: Int ratio: Float name: String }
  type ServiceConfig { maxQueryDepth: Int! }
  input In { json: JSON list: [Huge!] n: Int }
`;

/** As the ledger writes it, digit by digit: custom scalars may contain any number. */
const thing = `{"value":{"a":[18446744073709551615,1.10,-0,1e400,0.1234567890123456789],"then":1.0,"s":"1.10, 18446744073709551615"},"amount":18446744073709551615,"huge":[9007199254740993,-9223372036854775808,1.0],"count":7,"ratio":1.5,"name":null}`;
const selection = '{ value amount huge count ratio name }';
const fields: Readonly<Record<string, string>> = {
  chainIdentifier: '"4c78adac"',
  thing,
  address: thing,
  serviceConfig: '{"maxQueryDepth":20}',
  __typename: '"Query"',
};

let ledger: ScriptedLedger;
let recorded: RecordingUpstream;
let devnet: GraphqlDevnet;
let gateway: TestGateway;

/** Resolves every root field to the text of its name. */
function answerInDigits(query: string) {
  const roots = getOperationAST(parse(query))?.selectionSet.selections ?? [];
  const members = roots.flatMap((each) =>
    each.kind === Kind.FIELD ? [`${JSON.stringify((each.alias ?? each.name).value)}:${fields[each.name.value]}`] : [],
  );
  return { status: 200, body: `{"data":{${members.join(',')}}}` };
}

beforeAll(async () => {
  ledger = await startScriptedLedger(typeDefs, {
    Query: { chainIdentifier: () => '4c78adac', serviceConfig: () => ({ maxQueryDepth: 20 }) },
  });
  recorded = await recordUpstream(ledger.url);
  devnet = await startGraphqlDevnet();
  gateway = await createTestGateway({
    LEDGER_GRAPHQL_URL: recorded.url,
    LEDGER_RPC_URL: devnet.devnet.rpcUrl,
    BATCH_MAX: '3',
  });
  ledger.override = answerInDigits;
});

beforeEach(() => {
  recorded.requests.length = 0;
});

afterAll(async () => {
  await gateway?.close();
  for (const each of [recorded, ledger, devnet]) await each?.[Symbol.asyncDispose]();
});

interface Asked {
  readonly query: string;
  /** JSON text. */
  readonly variables?: string;
}

/** One request over each transport, the first one at first sight of its document. */
async function askEverywhere({ query, variables = '{}' }: Asked, { isMutation = false } = {}): Promise<string[]> {
  const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`;
  const post = async (text: string) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    return (await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body: text })).text();
  };
  const parameters = new URLSearchParams({ query, variables });
  const get = async () => (await fetch(`${gateway.url}/graphql?${parameters}`)).text();
  const [first, second] = [await post(body), await post(body)];
  const batch = await post(`[${body}]`);
  expect(batch.startsWith('[') && batch.endsWith(']')).toBe(true);
  return [first, second, batch.slice(1, -1), ...(isMutation ? [] : [await get()]), await overSocket(body)];
}

/** The payload of the single result message, verbatim. */
async function overSocket(payload: string): Promise<string> {
  let written = '';
  let subscribed = false;
  class Spy extends WebSocket {
    constructor(...given: ConstructorParameters<typeof WebSocket>) {
      super(...given);
      this.on('message', (data) => {
        const text = String(data);
        if (text.includes('"payload"')) written = text;
      });
    }
    override send(data: string, ...rest: unknown[]) {
      // The client library parses numbers as doubles, which lose digits.
      const isSubscribe = JSON.parse(data).type === 'subscribe';
      subscribed ||= isSubscribe;
      const { id } = JSON.parse(data);
      const sent = isSubscribe ? `{"id":${JSON.stringify(id)},"type":"subscribe","payload":${payload}}` : data;
      super.send(sent, ...(rest as [() => void]));
    }
  }
  const client = createClient({
    url: `${gateway.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: Spy,
    retryAttempts: 0,
    lazyCloseTimeout: 0,
  });
  await new Promise<void>((resolve) => {
    client.subscribe({ query: '{ __typename }' }, { next: () => {}, error: () => resolve(), complete: resolve });
  });
  await client.dispose();
  expect(subscribed).toBe(true);
  return /"payload":(?<payload>.*)\}$/s.exec(written)?.groups?.payload ?? '';
}

const ways = [
  ['forwarded', `{ thing ${selection} }`, ''],
  ['forwarded, reduced to one of two operations', `query A { thing ${selection} } query B { chainIdentifier }`, ''],
  [
    'beside our own field',
    `{ thing ${selection} gateway { networkProfile } }`,
    ',"gateway":{"networkProfile":"ledger"}',
  ],
  ['stitched', `{ thing ${selection} serviceConfig { maxQueryDepth } }`, ',"serviceConfig":{"maxQueryDepth":20}'],
  [
    'stitched, under a directive',
    `query ($no: Boolean = false) { thing ${selection} __type(name: "Thing") @skip(if: $no) { name } }`,
    ',"__type":{"name":"Thing"}',
  ],
] as const;

describe('numbers of the ledger', () => {
  it.each(ways.filter(([name]) => !name.includes('reduced')))(
    'are shown digit by digit: %s',
    async (_, query, rest) => {
      const answers = await askEverywhere({ query });
      expect(answers).toEqual(answers.map(() => `{"data":{"thing":${thing}${rest}}}`));
    },
  );

  it.each([
    '{ queryEvents(first: 2) { nodes { senderAddress { value amount huge count ratio name } } } }',
    'query ($yes: Boolean = true) { queryEvents(first: 2) { nodes { senderAddress { value amount huge count ratio name @include(if: $yes) } } } chainIdentifier @skip(if: $yes) }',
  ])('keep all their digits in joins: %s', async (query) => {
    const joined = `{"senderAddress":${thing}}`;
    const answers = await askEverywhere({ query });
    expect(answers).toEqual(answers.map(() => `{"data":{"queryEvents":{"nodes":[${joined},${joined}]}}}`));
  });

  it.each([
    '{ thing { name } }',
    '{ thing { name } gateway { networkProfile } }',
    '{ thing { name } serviceConfig { maxQueryDepth } }',
  ])('keep all their digits in errors: %s', async (query) => {
    const others = query.includes('serviceConfig') ? ',"serviceConfig":{"maxQueryDepth":20}' : '';
    ledger.override = () => ({
      status: 200,
      body: `{"data":{"thing":null${others}},"errors":[{"message":"no","path":["thing"],"extensions":{"at":18446744073709551615}}]}`,
    });
    try {
      for (const answer of await askEverywhere({ query }))
        expect(answer).toMatch(/"extensions":\{[^}]*"at":18446744073709551615/);
    } finally {
      ledger.override = answerInDigits;
    }
  });
});

describe('numbers in variables', () => {
  const sent = () =>
    recorded.requests.map(({ body }) =>
      /"variables":(?<json>\{.*\})[,}]/s.exec(body)?.groups?.json?.replace(/,"operationName".*/, ''),
    );
  const variables =
    '{"j":{"deep":[18446744073709551615,1.10,1e400,-0.5e-400]},"b":18446744073709551615,"h":-9223372036854775809,"i":{"json":9007199254740993,"list":[9007199254740993],"n":2}}';
  const declared = 'query ($j: JSON, $b: UInt53, $h: Huge, $i: In)';
  const given = 'thing(json: $j, big: $b, huge: $h, in: $i) { name }';

  it.each([
    `${declared} { ${given} }`,
    `${declared} { ${given} gateway { networkProfile } }`,
    `${declared} { ${given} serviceConfig { maxQueryDepth } }`,
    `${declared} { again: thing(json: $j) { name } ${given} __type(name: "Thing") { name } }`,
  ])('reach the ledger as they were sent: %s', async (query) => {
    const answers = await askEverywhere({ query, variables });
    for (const answer of answers) expect(answer).toMatch(/^\{"data":\{/);
    expect(sent()).toHaveLength(answers.length);
    for (const each of sent()) expect(each).toBe(variables);
  });

  it('are integers if they are safe integers, in any notation', async () => {
    const query = 'query ($n: Int, $b: UInt53) { thing(n: $n, big: $b) { name } }';
    await askEverywhere({ query, variables: '{"n":1.0,"b":1e1}' });
    expect(new Set(sent())).toEqual(new Set(['{"n":1,"b":10}']));
  });

  it('keep their digits for an ID and for a Float', async () => {
    const query = 'query ($f: Float, $id: ID) { thing(f: $f, id: $id) { name } serviceConfig { maxQueryDepth } }';
    await askEverywhere({ query, variables: '{"f":0.10,"id":18446744073709551615}' });
    expect(new Set(sent())).toEqual(new Set(['{"f":0.10,"id":18446744073709551615}']));
  });

  it.each([
    [
      'query ($b: UInt53) { thing(big: $b) { name } }',
      '{"b":18446744073709551616}',
      'UInt53 expects an unsigned integer, written as a JSON number; got 18446744073709551616.',
    ],
    [
      'query ($b: UInt53) { thing(big: $b) { name } }',
      '{"b":1.5}',
      'UInt53 expects an unsigned integer, written as a JSON number; got 1.5.',
    ],
    [
      'query ($n: Int) { thing(n: $n) { name } }',
      '{"n":18446744073709551615}',
      'Int cannot represent non 32-bit signed integer value: 18446744073709551615',
    ],
    ['query ($i: In) { thing(in: $i) { name } }', '{"i":18446744073709551615}', 'Expected type "In" to be an object.'],
    ['query ($i: In) { thing(in: $i) { name } }', '{"i":{"n":1.10}}', 'Int cannot represent non-integer value: 1.1'],
  ])('are rejected with the digits that were sent if they do not fit: %s %s', async (query, given, message) => {
    const answers = await askEverywhere({ query, variables: given });
    for (const answer of answers.slice(0, -1)) {
      const { errors, data } = JSON.parse(answer);
      expect(data).toBeUndefined();
      expect(errors).toHaveLength(1);
      expect(errors[0].message).toContain(message);
    }
    expect(answers.at(-1)).toContain(JSON.stringify(message).slice(1, -1));
    expect(recorded.requests).toEqual([]);
  });

  it('are rejected as usual if no variable declares them', async () => {
    for (const given of ['18446744073709551615', '[1.10]']) {
      const { status } = await fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"query":"{ chainIdentifier }","variables":${given}}`,
      });
      expect(status).toBe(400);
    }
  });

  it('reach the ledger unchanged as literals in the document', async () => {
    const literal =
      'thing(json: {a: 18446744073709551615, b: [1.10]}, big: 18446744073709551615, huge: 1e400) { name }';
    await askEverywhere({ query: `{ ${literal} serviceConfig { maxQueryDepth } }` });
    await askEverywhere({
      query: `query ($h: Huge = 18446744073709551615) { thing(huge: $h) { name } serviceConfig { maxQueryDepth } }`,
    });
    for (const { body } of recorded.requests)
      expect(body).toMatch(/json:\{a:18446744073709551615,? ?b:\[1.10\]\}|18446744073709551615/);
    expect(recorded.requests.map(({ body }) => body).join('')).not.toContain('18446744073709552');
  });
});

describe('names added by delegation', () => {
  it('do not reach the ledger, so its errors use the client’s own names', async () => {
    const refusal = (query: string) => {
      const names = [...query.matchAll(/\$(\w+)/g)].map(([, name]) => name);
      return {
        status: 200,
        body: JSON.stringify({
          data: null,
          errors: [
            { message: `names: ${[...new Set(names)].join()}, fragments: ${query.split('fragment ').length - 1}` },
          ],
        }),
      };
    };
    ledger.override = refusal;
    try {
      const query =
        'query ($mine: UInt53, $other: Huge) { a: thing(big: $mine) { ...T } b: thing(big: 5, huge: $other) { ...T } c: thing(big: 6) { name } serviceConfig { maxQueryDepth } } fragment T on Thing { name }';
      for (const answer of await askEverywhere({ query, variables: '{"mine":1,"other":2}' })) {
        expect(answer).toContain('names: mine,other, fragments: 1');
        expect(answer).not.toContain('_v');
      }
    } finally {
      ledger.override = answerInDigits;
    }
  });
});
