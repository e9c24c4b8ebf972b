import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../../../src/devnet/start-devnet.ts';
import { type RecordingUpstream, recordUpstream } from '../../support/recording-upstream.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

let devnet: Devnet;
let ledger: RecordingUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  devnet = await startDevnet({ sponsorToken: 'unused', checkpointIntervalMs: 0, genesis: { checkpoints: 5 } });
  ledger = await recordUpstream(devnet.graphqlUrl);
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url });
});
beforeEach(() => {
  ledger.requests.length = 0;
});
afterAll(async () => {
  await gateway?.close();
  for (const each of [ledger, devnet]) await each?.[Symbol.asyncDispose]();
});

describe('rejected without an upstream call:', () => {
  it.each<[name: string, query: string, variables: object | undefined, code: string, message: RegExp]>([
    [
      'an unused variable',
      'query Q($a: Int) { chainIdentifier }',
      undefined,
      'GRAPHQL_VALIDATION_FAILED',
      /"\$a" is not used by operation "Q"/,
    ],
    [
      'an undeclared variable',
      '{ epoch(id: $a) { epochId } }',
      { a: 1 },
      'GRAPHQL_VALIDATION_FAILED',
      /"\$a" is not defined/,
    ],
    [
      'a variable that needs a value and has none',
      'query ($a: LedgerAddress!) { object(address: $a) { version } }',
      {},
      'BAD_USER_INPUT',
      /\$a/,
    ],
    [
      'the same given as null',
      'query ($a: LedgerAddress!) { object(address: $a) { version } }',
      { a: null },
      'BAD_USER_INPUT',
      /\$a/,
    ],
    ['an unknown field', '{ nope }', undefined, 'GRAPHQL_VALIDATION_FAILED', /nope/],
    [
      'an unknown fragment',
      '{ ...Nope }',
      undefined,
      'BAD_USER_INPUT',
      /^Fragment Nope referred to but not found in document$/,
    ],
    [
      'another directive',
      '{ chainIdentifier @deprecated }',
      undefined,
      'BAD_USER_INPUT',
      /^Directive `@deprecated` is not supported/,
    ],
    [
      'too many nodes',
      `{ ${'chainIdentifier '.repeat(301)} }`,
      undefined,
      'BAD_USER_INPUT',
      /^Query has over 300 nodes$/,
    ],
    [
      'too deep',
      `{ epoch ${'{ checkpoints { nodes { epoch '.repeat(7)}{ epochId }${'}}}'.repeat(7)} }`,
      undefined,
      'BAD_USER_INPUT',
      /^Query nesting is over 20$/,
    ],
    [
      'too much output',
      '{ checkpoints(first: 50) { nodes { transactionBlocks(first: 50) { nodes { effects { events(first: 50) { nodes { bcs } } } } } } } }',
      undefined,
      'BAD_USER_INPUT',
      /^Estimated output nodes exceeds 100000$/,
    ],
    [
      'too much output by a variable',
      'query ($n: Int) { checkpoints(first: $n) { nodes { transactionBlocks(first: $n) { nodes { effects { events(first: $n) { nodes { bcs } } } } } } } }',
      { n: 50 },
      'BAD_USER_INPUT',
      /^Estimated output nodes exceeds 100000$/,
    ],
    ['too long a text', `{ chainIdentifier ${'#'.repeat(5_100)}\n }`, undefined, 'BAD_USER_INPUT', /too large/],
    ['no GraphQL', '{ chainIdentifier', undefined, 'GRAPHQL_PARSE_FAILED', /Syntax Error/],
  ])('%s', async (_name, query, variables, code, message) => {
    const { status, text, errors } = await gateway.query(query, variables);
    expect(status).toBe(200);
    expect(JSON.parse(text)).not.toHaveProperty('data');
    expect(errors?.[0]?.message).toMatch(message);
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual([code]);
    expect(ledger.requests).toEqual([]);
  });

  it('the cost of a rejected variable does not stay with the document', async () => {
    const query =
      'query ($n: Int) { checkpoints(first: $n) { nodes { transactionBlocks(first: $n) { nodes { effects { events(first: $n) { nodes { bcs } } } } } } } }';
    expect((await gateway.query(query, { n: 50 })).errors).toHaveLength(1);
    expect((await gateway.query(query, { n: 2 })).errors).toBeUndefined();
    expect((await gateway.query(query, { n: 50 })).errors).toHaveLength(1);
  });

  it('the limits in force are returned as the ledger returns them', async () => {
    const query = `{ serviceConfig { maxQueryDepth maxQueryNodes maxOutputNodes maxDbQueryCost defaultPageSize maxPageSize requestTimeoutMs
      maxQueryPayloadSize maxTypeArgumentDepth maxTypeArgumentWidth maxTypeNodes maxMoveValueDepth } }`;
    const { data, errors } = await gateway.query(query);
    expect(errors).toBeUndefined();
    expect(data.serviceConfig).toMatchObject({
      maxQueryDepth: 20,
      maxQueryNodes: 300,
      maxOutputNodes: 100_000,
      maxPageSize: 50,
      defaultPageSize: 20,
      maxQueryPayloadSize: 5_000,
    });
  });
});
