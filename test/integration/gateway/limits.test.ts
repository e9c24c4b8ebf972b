import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const typeDefs = `
  type Query { chainIdentifier: String! epoch(id: Int): Int list(first: Int, last: Int): Page serviceConfig: ServiceConfig! }
  type Page { nodes: [Query!]! edges: [Edge!]! }
  type Edge { node: Query! }
  type ServiceConfig {
    maxQueryDepth: Int! maxQueryNodes: Int! maxOutputNodes: Int! maxQueryPayloadSize: Int! maxTransactionPayloadSize: Int!
    defaultPageSize: Int! maxPageSize: Int! requestTimeoutMs: Int! mutationTimeoutMs: Int! availableVersions: [String!]!
    isEnabled(feature: String): Boolean!
  }
  type Mutation { executeTransactionBlock(txBytes: String!, signatures: [String!]!): Int }
`;
const service = {
  maxQueryDepth: 10,
  maxQueryNodes: 60,
  maxOutputNodes: 1_000,
  maxQueryPayloadSize: 700,
  maxTransactionPayloadSize: 300,
  defaultPageSize: 7,
  maxPageSize: 30,
  requestTimeoutMs: 40_000,
  mutationTimeoutMs: 20_000,
  availableVersions: ['2026.11'],
  isEnabled: true,
};
const page = () => ({ nodes: [], edges: [] });
const resolvers = {
  Query: { chainIdentifier: () => '4c78adac', epoch: () => 7, list: page, serviceConfig: () => service },
  Mutation: { executeTransactionBlock: () => 1 },
};
const askUsage = { 'x-ledger-rpc-show-usage': 'true' };

let ledger: ScriptedLedger;
let gateway: TestGateway;

const start = async (env: Record<string, string> = {}) => {
  ledger = await startScriptedLedger(typeDefs, resolvers);
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, ...env });
  ledger.requests.length = 0;
};

afterEach(async () => {
  await gateway?.close();
  await ledger?.close();
});

describe('the ledger’s limits', () => {
  beforeEach(() => start());

  it.each([
    ['nodes', `{${'epoch '.repeat(60)}}`, `{${'epoch '.repeat(61)}}`, { name: 'maxQueryNodes', max: 60, actual: 61 }],
    [
      'output nodes',
      '{ list(first: 998) { nodes { epoch } } }',
      '{ list(first: 999) { nodes { epoch } } }',
      { name: 'maxOutputNodes', max: 1_000, actual: 1_001 },
    ],
    [
      'query text',
      `{ epoch }#${'x'.repeat(690)}`,
      `{ epoch }#${'x'.repeat(691)}`,
      { name: 'maxQueryPayloadSize', max: 700, actual: 701 },
    ],
    [
      'transaction payload',
      `mutation { executeTransactionBlock(txBytes: "${'A'.repeat(296)}", signatures: []) }`,
      `mutation { executeTransactionBlock(txBytes: "${'A'.repeat(297)}", signatures: []) }`,
      { name: 'maxTransactionPayloadSize', max: 300, actual: 301 },
    ],
  ])('of %s: at the limit served, one over refused before the ledger is asked', async (_, at, over, limit) => {
    const served = await gateway.query(at);
    expect(served.errors).toBeUndefined();
    ledger.requests.length = 0;
    const refused = await gateway.query(over);
    expect(refused.status).toBe(200);
    expect(refused.data).toBeUndefined();
    expect(refused.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', limit } }]);
    expect(ledger.requests).toEqual([]);
  });

  /** Nine levels around the innermost selection. */
  const nested = (innermost: string): string =>
    `${'{list(first:1){nodes'.repeat(3)}{list(first:1){edges{node{${innermost}}}}}${'}'.repeat(6)}`;

  it('of depth: a document at the limit is served, one above is rejected at the right location', async () => {
    expect((await gateway.query(nested('epoch'))).errors).toBeUndefined();
    const { errors } = await gateway.query(nested('serviceConfig{maxQueryDepth}'));
    expect(errors).toMatchObject([
      {
        message: 'Query nesting is over 10',
        locations: [{ line: 1 }],
        extensions: { code: 'BAD_USER_INPUT', limit: { name: 'maxQueryDepth', max: 10, actual: 11 } },
      },
    ]);
  });

  it('are checked in order: a document with every mistake reports the first', async () => {
    const output = '{ nope list(first: 5000) { nodes { epoch } } }';
    expect((await gateway.query(output)).errors?.[0]?.message).toBe('Estimated output nodes exceeds 1000');
    const nodes = `{ ${output.slice(1, -1)} ${'epoch '.repeat(61)}}`;
    expect((await gateway.query(nodes)).errors?.[0]?.message).toBe('Query has over 60 nodes');
    const fragment = `{ ...Missing ${nodes.slice(1)}`;
    expect((await gateway.query(fragment)).errors?.[0]?.message).toBe(
      'Fragment Missing referred to but not found in document',
    );
    const directive = fragment.replace('nope', 'nope @cached');
    expect((await gateway.query(directive)).errors?.[0]?.message).toBe(
      'Directive `@cached` is not supported. Supported directives are `@include`, `@skip`',
    );
    expect((await gateway.query(`{ nope }`)).errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  it('are checked again for each request’s variables', async () => {
    const query = 'query ($n: Int) { list(first: $n) { nodes { epoch } } }';
    expect((await gateway.query(query, { n: 999 })).errors).toHaveLength(1);
    expect((await gateway.query(query, { n: 2 })).errors).toBeUndefined();
    expect((await gateway.query(query, { n: 999 })).errors).toHaveLength(1);
  });

  it('exempt only a document that selects just the schema', async () => {
    const schema = `{ __schema { types { ${'name '.repeat(80)} } } }`;
    const exempt = await gateway.query(schema, {}, askUsage);
    expect(exempt.errors).toBeUndefined();
    expect(JSON.parse(exempt.text)).not.toHaveProperty('extensions');
    expect((await gateway.query(`{ epoch ${schema.slice(1)}`)).errors?.[0]?.message).toBe('Query has over 60 nodes');
  });

  it('are returned by serviceConfig, with page sizes', async () => {
    const { data } = await gateway.query(`{ serviceConfig { ${Object.keys(service).join(' ')} } }`);
    expect(data.serviceConfig).toEqual({ ...service, requestTimeoutMs: 15_000, mutationTimeoutMs: 20_000 });
  });
});

describe('the operator’s limits', () => {
  it('apply where they are stricter, and serviceConfig returns the stricter of each', async () => {
    await start({
      LIMIT_MAX_QUERY_DEPTH: '3',
      LIMIT_MAX_QUERY_NODES: '5000',
      LIMIT_MAX_OUTPUT_NODES: '50',
      MUTATION_TIMEOUT_MS: '1000',
    });
    const { data } = await gateway.query(
      '{ config: serviceConfig { depth: maxQueryDepth maxQueryNodes maxOutputNodes defaultPageSize mutationTimeoutMs } }',
    );
    expect(data.config).toEqual({
      depth: 3,
      maxQueryNodes: 60,
      maxOutputNodes: 50,
      defaultPageSize: 7,
      mutationTimeoutMs: 1_000,
    });
    expect((await gateway.query('{ list { nodes { list { epoch } } } }')).errors?.[0]?.message).toBe(
      'Query nesting is over 3',
    );
  });

  it('follow the ledger when it changes its own', async () => {
    await start({ SCHEMA_POLL_MS: '1000' });
    const query = `{${'epoch '.repeat(20)}}`;
    expect((await gateway.query(query)).errors).toBeUndefined();
    service.maxQueryNodes = 10;
    try {
      await expect
        .poll(async () => (await gateway.query(query)).errors?.[0]?.message, { timeout: 8_000 })
        .toBe('Query has over 10 nodes');
    } finally {
      service.maxQueryNodes = 60;
    }
  });
});

describe('usage', () => {
  beforeEach(() => start());
  const query = 'query ($n: Int) { list(first: $n) { nodes { ...F } } } fragment F on Query { epoch }';
  const usage = { inputNodes: 4, outputNodes: 5, depth: 4, variables: 1, fragments: 1, queryPayload: 84 };
  const usageOf = async (text: string, variables: object, headers: Record<string, string>) =>
    JSON.parse((await gateway.query(text, variables, headers)).text).extensions?.usage;

  it.each(['true', '1', 'yes', 'TRUE'])('is shown if the header is %s', async (value) => {
    expect(await usageOf(query, { n: 3 }, { 'x-ledger-rpc-show-usage': value })).toEqual({
      ...usage,
      queryPayload: query.length,
    });
  });

  it.each(['false', 'False', '0', ''])('is not shown if the header is "%s"', async (value) => {
    expect(await usageOf(query, { n: 3 }, { 'x-ledger-rpc-show-usage': value })).toBeUndefined();
  });

  it('is shown on rejections after measuring, and never requested from the ledger', async () => {
    expect(await usageOf(query, { n: 5_000 }, askUsage)).toMatchObject({ outputNodes: 5_002 });
    expect(await usageOf('{ nope }', {}, askUsage)).toMatchObject({ inputNodes: 1, outputNodes: 1 });
    expect(await usageOf('{ list(first: -1) { nodes { epoch } } }', {}, askUsage)).toMatchObject({ outputNodes: 9 });
    for (const headers of ledger.headers) expect(headers).not.toHaveProperty('x-ledger-rpc-show-usage');
  });

  it('is not shown for a document that the ledger would not measure to its end', async () => {
    for (const text of [
      '{',
      `{${'epoch '.repeat(61)}}`,
      '{ epoch @odd }',
      '{ ...Missing }',
      `{ epoch }#${'x'.repeat(691)}`,
      '{a'.repeat(3_000),
    ]) {
      expect(await usageOf(text, {}, askUsage)).toBeUndefined();
    }
  });
});
