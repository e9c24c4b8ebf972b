import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/config/config-error.ts';
import { type Devnet, startDevnet } from '../../../src/devnet/start-devnet.ts';
import { createExplanation } from '../../../src/estimate/explain-operation.ts';
import { openNetwork } from '../../../src/start/open-network.ts';
import { readConfig } from '../../../src/start/read-config.ts';
import { startGatewayOver } from '../../../src/start/start.ts';
import { type UpstreamList, upstreamList } from '../../../src/start/upstreams.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { renderGeneratedParts } from '../../support/generated-docs.ts';
import { pricesUpstream } from '../../support/prices-upstream.ts';
import { type ScriptedSponsor, startScriptedSponsor } from '../../support/scripted-sponsor.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

/** All that one more upstream needs: its own file, and this line. */
const list: UpstreamList = { ...upstreamList, ownFields: [...upstreamList.ownFields, pricesUpstream] };

let devnet: Devnet;
let prices: ScriptedSponsor;
let gateway: TestGateway;
const start = (env: Record<string, string> = {}) =>
  createTestGateway({ LEDGER_GRAPHQL_URL: devnet.graphqlUrl, ...env }, {}, list);
const pathsOf = ({ requests }: ScriptedSponsor) => requests.map(({ path }) => path);

beforeAll(async () => {
  devnet = await startDevnet({ sponsorToken: 'unused', checkpointIntervalMs: 0, genesis: { checkpoints: 3 } });
  prices = await startScriptedSponsor();
  prices.answer('/price/gold', { contentType: 'text/plain', body: '12.50' });
  prices.answer('/price/lead', 'hang-up');
  prices.answer('/market', { contentType: 'text/plain', body: 'Exchange' });
  gateway = await start({ PRICES_URL: prices.origin });
});

afterAll(async () => {
  await gateway.close();
  await prices[Symbol.asyncDispose]();
  await devnet.close();
});

describe('an upstream added to the list', () => {
  test.each([
    ['alone', '{ price(coin: "gold") { amount } }'],
    ['beside the ledger', '{ chainIdentifier price(coin: "gold") { amount } }'],
    ['by stitching', '{ chainIdentifier price(coin: "gold") { amount } __type(name: "Price") { name } }'],
  ])('serves its fields %s, at first sight and later', async (_, query) => {
    for (let time = 0; time < 3; time += 1) {
      const { data, errors } = await gateway.query(query);
      expect(errors).toBeUndefined();
      expect(data.price).toEqual({ amount: '12.50' });
    }
  });

  test('is listed with the others, with its version and capabilities', async () => {
    const { data } = await gateway.query(
      '{ gateway { upstreams { name configured version state } capabilities { name available } } }',
    );
    const { upstreams, capabilities } = data.gateway;
    expect(upstreams.map(({ name }: { name: string }) => name)).toEqual(['ledger', 'sponsor', 'events', 'prices']);
    expect(upstreams[3]).toEqual({ name: 'prices', configured: true, version: '7.0.0-prices', state: 'UP' });
    expect(capabilities).toContainEqual({ name: 'prices:market', available: true });
  });

  test('is probed, and makes the gateway ready when no other upstream does', async () => {
    const ready = await fetch(`${gateway.url}/health/ready`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({ upstreams: { prices: { state: 'up' } } });
    await using alone = await start({ LEDGER_GRAPHQL_URL: 'http://127.0.0.1:1', PRICES_URL: prices.origin });
    const health = await fetch(`${alone.url}/health/ready`);
    expect(await health.json()).toMatchObject({ schema: 'none', upstreams: { ledger: { state: 'down' } } });
    expect(health.status).toBe(200);
    // Its fields were not queried yet, so this call was the probe.
    expect(pathsOf(prices)).toContain('/up');
  });

  const documents: [string, number][] = [
    ['{ price(coin: "gold") { amount } }', 1],
    ['{ a: price(coin: "gold") { amount } b: price(coin: "gold") { amount } chainIdentifier }', 3],
    ['{ market { name } again: market { name } price(coin: "gold") { amount } }', 2],
    ['{ market { __typename } }', 0],
  ];

  test.each(documents)('gets as many calls as estimated: %s', async (query, calls) => {
    const asked = await gateway.query('query ($query: String!) { estimate(query: $query) { upstreamCalls } }', {
      query,
    });
    expect(asked.data.estimate.upstreamCalls).toBe(calls);
    const before = prices.requests.length;
    expect((await gateway.query(query)).errors).toBeUndefined();
    const ledgerCalls = query.includes('chainIdentifier') ? 1 : 0;
    expect(prices.requests.length - before).toBe(calls - ledgerCalls);
    const config = readConfig(
      { env: { LEDGER_GRAPHQL_URL: devnet.graphqlUrl, PRICES_URL: prices.origin }, readFile: () => '' },
      list,
    );
    const request = { query, variables: {}, operationName: null };
    expect((await createExplanation(request, config, list.ownFields)).upstreamCalls).toBe(calls);
  });

  test('is named in its errors', async () => {
    const { data, errors } = await gateway.query('{ chainIdentifier price(coin: "lead") { amount } }');
    expect(data).toMatchObject({ chainIdentifier: expect.any(String), price: null });
    expect(errors).toMatchObject([
      { path: ['price'], extensions: { code: 'UPSTREAM_UNAVAILABLE', upstream: 'prices' } },
    ]);
    expect(errors?.[0]?.message).toBe('The prices upstream closed the connection before its answer was complete.');
  });
});

describe('one without a URL', () => {
  test('keeps its fields, which name the setting, and costs nothing', async () => {
    await using without = await start();
    const query = '{ price(coin: "gold") { amount } }';
    const { data, errors } = await without.query(query);
    expect(data).toEqual({ price: null });
    expect(errors?.[0]?.extensions).toEqual({
      code: 'NOT_CONFIGURED',
      retry: 'never',
      upstream: 'prices',
      setting: 'PRICES_URL',
    });
    const told = await without.query(
      'query ($query: String!) { gateway { upstreams { name configured detail } } estimate(query: $query) { upstreamCalls } }',
      { query },
    );
    expect(told.data.gateway.upstreams[3]).toEqual({
      name: 'prices',
      configured: false,
      detail: 'Set PRICES_URL to configure it.',
    });
    expect(told.data.estimate.upstreamCalls).toBe(0);
    const ready = await fetch(`${without.url}/health/ready`);
    expect(await ready.json()).toMatchObject({ upstreams: { prices: { state: 'not_configured' } } });
  });
});

describe('resources that an upstream opens', () => {
  /** An upstream that opens a resource and reports its closing. */
  const opening = (closed: string[], connect: () => void = () => {}): UpstreamList => ({
    ...list,
    ownFields: [
      {
        ...pricesUpstream,
        async connect(connection, host) {
          return { ...(await pricesUpstream.connect(connection, host)), close: () => closed.push('prices') };
        },
      },
      ...upstreamList.ownFields,
      {
        ...pricesUpstream,
        name: 'moods',
        typeDefs: () => 'extend type Query { mood: String }',
        connect() {
          connect();
          return { resolvers: {} };
        },
      },
    ],
  });

  test('are closed with the gateway', async () => {
    const closed: string[] = [];
    const running = await createTestGateway({ LEDGER_GRAPHQL_URL: devnet.graphqlUrl }, {}, opening(closed));
    expect((await running.query('{ mood }')).data).toEqual({ mood: null });
    expect(closed).toEqual([]);
    await running.close();
    expect(closed).toEqual(['prices']);
  });

  test('are closed when another upstream cannot be connected, and the cause is reported', async () => {
    const closed: string[] = [];
    const failing = opening(closed, () => {
      throw new Error('no mood today');
    });
    await expect(createTestGateway({ LEDGER_GRAPHQL_URL: devnet.graphqlUrl }, {}, failing)).rejects.toThrow(
      'no mood today',
    );
    expect(closed).toEqual(['prices']);
  });
});

test('a resource that cannot be closed keeps no other open, and its error is reported', async () => {
  const closed: string[] = [];
  const failing = (name: string): UpstreamList['ownFields'][number] => ({
    ...pricesUpstream,
    name,
    typeDefs: () => `extend type Query { ${name}: String }`,
    connect: () => ({
      resolvers: {},
      close() {
        closed.push(name);
        throw new Error(`${name} stays open`);
      },
    }),
  });
  const moods: UpstreamList = { ...upstreamList, ownFields: [failing('joy'), failing('grief')] };
  const env = { PORT: '0', LEDGER_GRAPHQL_URL: devnet.graphqlUrl };
  const config = readConfig({ env, readFile: () => '' }, moods);
  const network = { ...(await openNetwork(config)), close: async () => void closed.push('network') };
  const logger = createLogger({ level: 'silent' });
  const running = await startGatewayOver(moods, { config, logger, network: Promise.resolve(network) });
  await expect(running.close()).rejects.toThrow('joy stays open');
  expect(closed).toEqual(['joy', 'grief', 'network']);
});

describe('its setting', () => {
  const mistakesOf = (env: Record<string, string>, file = '') => {
    try {
      return readConfig({ env, readFile: () => file }, list).upstreams;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return error.message;
    }
  };
  const ledger = { LEDGER_GRAPHQL_URL: 'http://ledger.example/graphql' };

  test('is read from environment and file, and validated as a URL', () => {
    const addresses = { ...ledger, PRICES_URL: 'http://prices.example/' };
    const remote = {
      kind: 'remote',
      addresses: expect.objectContaining({ PRICES_URL: [expect.stringContaining('prices.example')] }),
    };
    expect(mistakesOf(addresses)).toEqual(remote);
    expect(mistakesOf({ ...ledger, CONFIG_FILE: 'f' }, 'PRICES_URL: http://prices.example/')).toEqual(remote);
    expect(mistakesOf({ ...ledger, PRICES_URL: 'ftp://prices.example' })).toMatch(/^PRICES_URL: expected /);
    expect(mistakesOf({ ...ledger, CONFIG_FILE: 'f' }, 'PRICE_URL: http://prices.example/')).toContain('PRICES_URL');
  });

  test('requires a real ledger', () => {
    expect(mistakesOf({ PRICES_URL: 'http://prices.example' })).toBe(
      'PRICES_URL: expected LEDGER_GRAPHQL_URL to be set too, got no LEDGER_GRAPHQL_URL',
    );
  });

  test('is documented with its upstream', () => {
    const pages = renderGeneratedParts(list).map(({ content }) => content);
    expect(pages.some((content) => content.includes('| `PRICES_URL` | a URL'))).toBe(true);
    expect(pages.some((content) => /\| prices \| `PRICES_URL` \| .*`price`, `market`/.test(content))).toBe(true);
  });
});
