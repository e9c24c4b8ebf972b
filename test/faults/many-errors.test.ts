import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { maxReportedCharacters, maxReportedErrors } from '../../src/errors/reported-errors.ts';
import { type ScriptedLedger, startScriptedLedger } from '../support/scripted-ledger.ts';
import { type ScriptedRpc, startScriptedRpc } from '../support/scripted-rpc.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';

/**
 * One response of the ledger may fill thousands of positions in a client's response: a join of fifty events under many names.
 * Each position gets its error and its texts; all together must stay within a bound.
 */
const typeDefs = `
  scalar LedgerAddress
  type Query { chainIdentifier: String! address(address: LedgerAddress!): Address }
  type Address { address: String name: String }
`;
const digest = '8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR1';
const aliases = 29;
const places = 50 * aliases;

let ledger: ScriptedLedger;
let rpc: ScriptedRpc;
let gateway: TestGateway;
beforeAll(async () => {
  ledger = await startScriptedLedger(typeDefs, { Query: { chainIdentifier: () => 'x' } });
  rpc = await startScriptedRpc(({ params }) => {
    const data = Array.from({ length: params[2] }, (_, index) => ({
      id: { txDigest: digest, eventSeq: String(index) },
      packageId: '0x2',
      transactionModule: 'm',
      sender: '0x7',
      type: '0x2::m::T',
    }));
    return JSON.stringify({ data, nextCursor: null, hasNextPage: false });
  });
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, LEDGER_RPC_URL: rpc.url });
});
afterEach(() => {
  ledger.override = undefined;
});
afterAll(async () => {
  await gateway?.close();
  await rpc?.[Symbol.asyncDispose]();
  await ledger?.close();
});

/** Compiled, and by stitching. */
const joined = Array.from({ length: aliases }, (_, index) => `a${index}: senderAddress { address name }`).join(' ');
const plans = [
  `{ queryEvents(first: 50) { nodes { ${joined} } } }`,
  `{ queryEvents(first: 50) @include(if: true) { nodes { ${joined} } } }`,
];

/** @param answer response for these keys: one plan uses one response key, the other several */
function answerJoins(answer: (keys: readonly string[]) => object): void {
  ledger.override = (query) => {
    const keys = [...query.matchAll(/(k\d+):address/g)].map(([, key = '']) => key);
    return keys.length > 0 ? { status: 200, body: JSON.stringify(answer(keys)) } : undefined;
  };
}

const ofEach = (keys: readonly string[], value: unknown) => Object.fromEntries(keys.map((key) => [key, value]));

const toGraphqlErrors = (count: number, error: object) =>
  Array.from({ length: count }, (_, index) => ({ message: `no ${index}`, ...error }));

test.each<[string, Parameters<typeof answerJoins>[0]]>([
  [
    'of fields',
    (keys) => ({
      data: ofEach(keys, { address: null, name: 'x' }),
      errors: keys.flatMap((key) => toGraphqlErrors(300, { path: [key, 'address'] })),
    }),
  ],
  ['of none', (keys) => ({ data: ofEach(keys, { address: null, name: 'x' }), errors: toGraphqlErrors(300, {}) })],
  ['and no data', () => ({ data: null, errors: toGraphqlErrors(300, {}) })],
])(
  'errors %s that stand for thousands of places are told as far as an answer goes, and that there are more',
  async (_, answer) => {
    answerJoins(answer);
    const [compiled, stitched] = [await gateway.query(plans[0] ?? ''), await gateway.query(plans[1] ?? '')];
    expect(compiled.errors).toHaveLength(maxReportedErrors + 1);
    expect(compiled.errors?.[0]).toMatchObject({
      message: 'no 0',
      path: expect.arrayContaining(['queryEvents', 0, 'a0']),
    });
    expect(compiled.errors?.at(-1)?.message).toMatch(/^There are more errors/);
    expect(compiled.data.queryEvents.nodes).toHaveLength(50);
    const withoutPlaces = ({ errors = [] }: typeof compiled) => errors.map((error) => ({ ...error, locations: null }));
    expect(withoutPlaces(stitched)).toEqual(withoutPlaces(compiled));
    expect(stitched.data).toEqual(compiled.data);
  },
);

test('each failed path gets its own error', async () => {
  answerJoins((keys) => ({
    data: ofEach(keys, null),
    errors: keys.map((key) => ({ message: 'no', path: [key], extensions: { code: 'NOT_THERE' } })),
  }));
  for (const plan of plans) {
    const { errors = [] } = await gateway.query(plan);
    expect(errors).toHaveLength(places);
    expect(errors[0]).toMatchObject({
      message: 'no',
      path: ['queryEvents', 'nodes', 0, 'a0'],
      extensions: { code: 'NOT_THERE' },
    });
  }
});

test('a join selected under many names is one lookup, in either plan', async () => {
  const asked: number[] = [];
  answerJoins((keys) => {
    asked.push(keys.length);
    return { data: ofEach(keys, { address: 'x', name: 'y' }) };
  });
  const [compiled, stitched] = [await gateway.query(plans[0] ?? ''), await gateway.query(plans[1] ?? '')];
  expect(stitched.text).toBe(compiled.text);
  expect(asked).toEqual([1, 1]);
});

test('a long message for thousands of paths does not fill the memory', async () => {
  const text = 'x'.repeat(20_000);
  answerJoins((keys) => ({
    data: ofEach(keys, null),
    errors: keys.map((key) => ({ message: text, path: [key], extensions: { code: 'LONG', text } })),
  }));
  for (const plan of plans) {
    const answer = await gateway.query(plan);
    expect(answer.text.length).toBeLessThan(maxReportedCharacters + 1_000_000);
    expect(answer.errors?.at(-1)?.message).toMatch(/^There are more errors/);
  }
});

test('the same number of the ledger’s errors is forwarded, each with its path', async () => {
  const errors = toGraphqlErrors(maxReportedErrors + 7, {
    path: ['chainIdentifier'],
    locations: [{ line: 2, column: 1 }],
  });
  ledger.override = (query) =>
    query.includes('__schema') ? undefined : { status: 200, body: JSON.stringify({ data: null, errors }) };
  const told = (await gateway.query('{\nchainIdentifier }')).errors ?? [];
  expect(told).toHaveLength(maxReportedErrors + 1);
  expect(told[3]).toMatchObject({ message: 'no 3', locations: [{ line: 2, column: 1 }] });
  expect(told.at(-1)?.message).toMatch(/^There are more errors/);
});
