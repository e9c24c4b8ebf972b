import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  countRequests,
  devnet,
  estimate,
  gateway,
  requestsOf,
  run,
  served,
  startEstimates,
  stopEstimates,
  whole,
} from '../../support/estimates.ts';
import { recordUpstream } from '../../support/recording-upstream.ts';
import { createTestGateway } from '../../support/test-gateway.ts';

beforeAll(startEstimates);
afterAll(stopEstimates);

describe('upstream calls', () => {
  test.each(served)('of %s match the real number', async (_, question, calls, most) => {
    const told = await estimate(question);
    expect(told).toMatchObject({ refused: false, reasons: [], upstreamCalls: most });
    expect(await requestsOf(question)).toBe(calls);
  });

  test('count the simulation that a policy asks for which was loaded meanwhile', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'estimate-')), 'clients.yaml');
    const client = `- { id: page, hash: ${'a'.repeat(64)}, scopes: [read, sponsor]`;
    writeFileSync(path, `${client} }`);
    await using own = await createTestGateway({ CLIENTS_FILE: path }, { [path]: `${client} }` });
    const calls = async () => {
      const { data } = await own.query('query ($query: String!) { estimate(query: $query) { upstreamCalls } }', {
        query: 'mutation { executeTx(reservationId: "r", txBytes: "AA==", userSig: "AA==") { digest } }',
      });
      return data.estimate.upstreamCalls;
    };
    await own.reload();
    expect(await calls()).toBe(1);
    writeFileSync(path, `${client}, gas: { storage: 1000000 } }`);
    await own.reload();
    expect(await calls()).toBe(2);
    rmSync(dirname(path), { recursive: true });
  });

  test('of a sponsored execution with joins all over its effects match the real number', async () => {
    const reserved = await gateway.query(
      'mutation { reserveGas(gasBudget: 50000000, reserveDurationSecs: 60) { reservationId sponsorAddress gasCoins { objectId version digest } } }',
    );
    const { reservationId, sponsorAddress, gasCoins } = reserved.data.reserveGas;
    const signed = await gateway.query(
      `query ($sponsor: LedgerAddress!, $coins: [DevnetGasCoinInput!]!) {
        devnetSignTransaction(sponsorAddress: $sponsor, gasCoins: $coins, gasBudget: 50000000) { txBytes userSig }
      }`,
      { sponsor: sponsorAddress, coins: gasCoins },
    );
    const question = {
      query: `mutation ($id: ID!, $txBytes: Base64!, $userSig: Base64!) {
        executeTx(reservationId: $id, txBytes: $txBytes, userSig: $userSig) {
          transactionBlock { digest }
          effects { transactionBlock { digest } gasObject { reference { object { version } } } mutated { reference { object { digest } } } }
        }
      }`,
      variables: { id: reservationId, ...signed.data.devnetSignTransaction },
    };
    expect(await estimate(question)).toMatchObject({ refused: false, upstreamCalls: 2 });
    expect(await requestsOf(question)).toBe(2);
  });

  test('of ledger mutations are one, even if the ledger rejects them', async () => {
    const call = 'executeTransactionBlock(txBytes: "AAAA", signatures: []) { errors }';
    const query = `mutation { a: ${call} b: ${call} }`;
    expect(await estimate({ query })).toMatchObject({ plan: 'PASS_THROUGH', upstreamCalls: 1 });
    const before = countRequests();
    await run({ query });
    expect(countRequests() - before).toBe(1);
  });

  test.each([
    ['PASS_THROUGH', '{ chainIdentifier }'],
    ['LOCAL', '{ sponsor { health } }'],
    ['SPLIT', '{ chainIdentifier sponsor { health } }'],
    ['STITCHED', '{ queryEvents(last: 1) { nodes { transactionBlock { digest } } } }'],
  ])('have the plan %s', async (plan, query) => {
    expect((await estimate({ query })).plan).toBe(plan);
  });

  test.each([
    ['rpc', 0],
    ['auto', 2],
  ])('of fields without a configured upstream are none, with EVENTS_SOURCE=%s: %i', async (source, calls) => {
    await using ledger = await recordUpstream(devnet.graphqlUrl);
    await using alone = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, EVENTS_SOURCE: source });
    const query =
      '{ sponsor { health version { raw } } queryEvents(first: 1) { nodes { transactionBlock { digest } } } }';
    const { data } = await alone.query(whole, { query });
    expect(data.estimate).toMatchObject({ refused: false, upstreamCalls: calls });
    ledger.requests.length = 0;
    await alone.query(query);
    expect(ledger.requests).toHaveLength(calls);
  });

  test('of the estimate itself are none', async () => {
    const before = countRequests();
    for (const [, question] of served) await estimate(question);
    expect(countRequests()).toBe(before);
  });
});

describe('usage', () => {
  test.each(served.filter(([, { query }]) => !query.includes('__schema')))(
    'of %s is what the answer says',
    async (_, question) => {
      const { extensions } = await run(question);
      expect(extensions?.usage).toBeDefined();
      expect((await estimate(question)).usage).toEqual(extensions?.usage);
    },
  );

  test('is converted into points as the rate limiter does', async () => {
    expect(await estimate({ query: '{ chainIdentifier }' })).toMatchObject({ ratePoints: 1 });
    const full =
      '{ transactionBlocks(first: 50) { nodes { effects { events(first: 50) { nodes { a: json b: json c: json } } } } } }';
    expect(await estimate({ query: full })).toMatchObject({
      usage: { inputNodes: 8, outputNodes: 7652 },
      ratePoints: 2,
    });
    // Of 300 nodes and of 100,000: ten points each for the maximum.
    const larger = `{ ${['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}: ${full.slice(2, -2)}`).join(' ')} }`;
    expect(await estimate({ query: larger })).toMatchObject({
      usage: { inputNodes: 48, outputNodes: 45912 },
      ratePoints: 7,
    });
  });
});

describe('one operation', () => {
  const many = (count: number) =>
    `{ ${Array.from({ length: count }, (_, index) => `e${index}: estimate(query: "{ chainIdentifier }") { refused }`).join(' ')} }`;

  test('may contain ten estimates', async () => {
    const { data, errors } = await gateway.query(many(10));
    expect(errors).toBeUndefined();
    expect(Object.values(data)).toEqual(Array(10).fill({ refused: false }));
  });

  test('is rejected with eleven, by a message that names the limit', async () => {
    const { data, errors } = await gateway.query(many(11));
    expect(data).toBeNull();
    expect(errors?.[0]).toMatchObject({
      message: 'An operation may select at most 10 estimates.',
      extensions: { code: 'BAD_USER_INPUT' },
    });
  });

  test('accepts variables only as an object', async () => {
    const { errors } = await gateway.query('{ estimate(query: "{ chainIdentifier }", variables: [1]) { refused } }');
    expect(errors?.[0]).toMatchObject({
      message: 'variables must be a JSON object; got a list.',
      extensions: { code: 'BAD_USER_INPUT', argument: 'variables' },
    });
  });

  test('may contain any variables inline', async () => {
    const { data } = await gateway.query(
      '{ estimate(query: "query ($n: Int) { events(first: $n) { nodes { bcs } } }", variables: { n: 7, other: [null, { a: 2.5 }] }) { usage { variables outputNodes } } }',
    );
    expect(data.estimate).toEqual({ usage: { variables: 2, outputNodes: 9 } });
  });
});
