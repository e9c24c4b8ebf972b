import type { ServerResponse } from 'node:http';
import { type GraphQLSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { upstreamList } from '../../../src/start/upstreams.ts';
import { lastingRead } from '../../support/lasting-reads.ts';
import { type LedgerSchema, ledgerSchemas } from '../../support/ledger-schemas.ts';
import { answerAt, type MovingLedger, startMovingLedger } from '../../support/moving-ledger.ts';
import { runs } from '../../support/runs.ts';
import { openShells, type Shells } from '../../support/shells.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

const json = 'application/json';
/** The default configuration. */
const on = { IMMUTABLE_CACHE_BYTES: '33554432' };
const seeds = runs(12);

/** Log lines of all operations, oldest first. */
const operationsOf = (gateway: TestGateway) =>
  gateway.log.flatMap(({ operations }) => (operations as { from?: string }[] | undefined) ?? []);

describe.each(ledgerSchemas)('reads of $name', ({ schema, tables, profile }: LedgerSchema) => {
  let ledger: MovingLedger;
  let gateway: TestGateway;
  let shells: Shells;

  beforeAll(async () => {
    ledger = await startMovingLedger(schema);
    gateway = await createTestGateway({ ...on, LEDGER_GRAPHQL_URL: ledger.url, NETWORK_PROFILE: profile });
    shells = openShells(gateway);
  });
  afterAll(async () => {
    await shells?.[Symbol.asyncDispose]();
    await gateway?.close();
    await ledger?.[Symbol.asyncDispose]();
  });

  it('are served from memory over every transport only if the ledger would respond the same, and without calling it', async () => {
    const [table] = tables.filter(({ isFor }) => schema.getQueryType()?.getFields()[isFor]);
    if (!table) throw new Error('no table is for this schema');
    const reads = Array.from({ length: seeds }, (_, seed) => lastingRead(schema, table, seed + 1)).filter(
      ({ query }) => validate(schema, parse(query)).length === 0,
    );
    let fromMemory = 0;
    for (const [index, read] of reads.entries()) {
      const operation = { name: `read ${index}`, text: read.query, variables: read.variables };
      const form = { accept: json, showUsage: index % 2 === 0 };
      ledger.tick = 0;
      await shells[index % 3 === 0 ? 'get' : 'post'](operation, form);
      const asked = ledger.requests.length;
      ledger.tick = 1;
      const expected = JSON.parse(JSON.stringify(answerAt(schema, 1, read)));
      const answers = [await shells.post(operation, form), await shells.get(operation, form)];
      for (const { body } of answers) expect(withoutExtensions(JSON.parse(body)), read.query).toEqual(expected);
      const { result } = await shells.socket(operation, form);
      expect(withoutExtensions(result), read.query).toEqual(expected);
      if (ledger.requests.length === asked) fromMemory += 1;
    }
    expect(reads.length).toBeGreaterThan(seeds / 2);
    expect(fromMemory).toBeGreaterThan(seeds / 10);
    expect(operationsOf(gateway).filter(({ from }) => from === 'memory').length).toBeGreaterThanOrEqual(3 * fromMemory);
  });
});

/** Usage belongs to the operation, not to its data. */
function withoutExtensions(answer: object | null): object {
  const { extensions: _, ...rest } = (answer ?? {}) as Record<string, unknown>;
  return rest;
}

const schema = ledgerSchemas[0]?.schema as GraphQLSchema;
const readOf = (digest: string) => `{ transactionBlock(digest: "${digest}") { digest effects { timestamp status } } }`;
/** This ledger lacks some fields of some transactions. */
const digests = Array.from({ length: 20 }, (_, number) => `d${number}`).filter(
  (digest) => !JSON.stringify(answerAt(schema, 0, { query: readOf(digest) })).includes('null'),
);
const [final, other] = digests.map(readOf) as [string, string];

describe('an immutable response', () => {
  let ledger: MovingLedger;
  let gateway: TestGateway;
  let nowMs = 0;
  const clock = () => nowMs;

  beforeEach(async () => {
    nowMs = Date.UTC(2026, 10, 1);
    ledger = await startMovingLedger(schema);
    gateway = await createTestGateway({ ...on, LEDGER_GRAPHQL_URL: ledger.url }, {}, upstreamList, clock);
    return async () => {
      await gateway.close();
      await ledger[Symbol.asyncDispose]();
    };
  });

  const usage = { 'x-ledger-rpc-show-usage': 'true' };
  const source = { 'x-gateway-show-source': 'true' };
  const get = (query: string, headers: Record<string, string> = {}, at = gateway) =>
    fetch(`${at.url}/graphql?query=${encodeURIComponent(query)}`, { headers: { accept: json, ...headers } });

  it('is the same with and without the cache, with its own usage and headers', async () => {
    const fresh = await gateway.query(final, {}, { ...usage, ...source });
    const kept = await gateway.query(final, {}, { ...usage, ...source });
    expect(ledger.requests).toHaveLength(1);
    expect(kept.text).toBe(fresh.text);
    expect(JSON.parse(kept.text).extensions.usage).toMatchObject({ inputNodes: 5, depth: 3 });
    expect([fresh, kept].map(({ headers }) => headers.get('x-gateway-source'))).toEqual(['fresh', 'memory']);
    expect((await gateway.query(final)).headers.get('x-gateway-source')).toBeNull();
    expect((await gateway.query(final)).text).toBe(JSON.stringify(answerAt(schema, 0, { query: final })));
    await until(() => operationsOf(gateway).length === 4, 'four lines in the log');
    expect(operationsOf(gateway).map(({ from }) => from)).toEqual([undefined, 'memory', 'memory', 'memory']);
  });

  it('is cached by variables and operation, and concurrent requests call once', async () => {
    const two =
      'query A($d: String!) { transactionBlock(digest: $d) { digest effects { timestamp } } } query B { chainIdentifier }';
    const one = 'query ($d: String!) { transactionBlock(digest: $d) { digest effects { timestamp } } }';
    const three = digests.slice(0, 3);
    const ask = async (d: string) => (await gateway.query(one, { d })).text;
    const first = await Promise.all([...three, ...three].map(ask));
    const asked = ledger.requests.length;
    expect(asked).toBeGreaterThanOrEqual(three.length);
    expect(await Promise.all([...three, ...three].map(ask))).toEqual(first);
    expect(new Set(first).size).toBe(three.length);
    expect(ledger.requests).toHaveLength(asked);
    // A document with several operations is sent in parts, and not cached.
    expect((await gateway.query(two, { d: 'd1' })).errors).toBeDefined();
  });

  it('counts against its caller like any other', async () => {
    await using limited = await createTestGateway({
      ...on,
      LEDGER_GRAPHQL_URL: ledger.url,
      RATE_LIMIT_PER_MINUTE: '3',
    });
    const answers = [];
    for (let count = 0; count < 4; count += 1) answers.push(await limited.query(final));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers.map(({ headers }) => headers.get('ratelimit'))).toEqual(
      [2, 1, 0, 0].map((left) => expect.stringContaining(`r=${left};`)),
    );
    const { headers } = await get(final, {}, limited);
    expect(headers.get('cache-control')).toBe('private, no-store');
  });

  it('is rejected by version and limits like any other', async () => {
    await gateway.query(final);
    await gateway.query(final);
    expect((await gateway.query(final, {}, { 'x-ledger-rpc-version': '1999.1' })).status).toBe(421);
    expect((await gateway.query(final, {}, { accept: 'text/plain' })).status).toBe(406);
    expect(ledger.requests).toHaveLength(1);
  });

  it('is requested again from another ledger build', async () => {
    await gateway.query(final);
    await gateway.query(final);
    expect(ledger.requests).toHaveLength(1);
    ledger.version = '2026.12.0-moving';
    await gateway.query('{ availableRange { last { digest } } }');
    const { headers } = await gateway.query(final);
    expect(ledger.requests).toHaveLength(3);
    expect(headers.get('x-ledger-rpc-version')).toBe('2026.12.0-moving');
    await gateway.query(final);
    expect(ledger.requests).toHaveLength(3);
  });

  it('is served while the ledger is unavailable; mutable data are not', async () => {
    await gateway.query(final);
    ledger.override = (_request, res) => Boolean(res.destroy());
    const [kept, live] = [await gateway.query(final), await gateway.query('{ epoch { epochId } }')];
    expect([kept.errors, live.errors?.[0]?.extensions.code]).toEqual([undefined, 'UPSTREAM_UNAVAILABLE']);
  });

  it('is dropped after a network restart, within about a minute of a read', async () => {
    const asked = () => ledger.requests.map(({ query }) => query);
    let network = 'aaaa';
    ledger.override = ({ query }, res) => {
      if (!query.includes('chainIdentifier')) return false;
      return Boolean(res.end(JSON.stringify({ data: { chainIdentifier: network } })));
    };
    await gateway.query('{ chainIdentifier }');
    await gateway.query(final);
    nowMs += 59_000;
    await gateway.query(final);
    expect(asked()).toEqual(['{ chainIdentifier }', final]);
    network = 'bbbb';
    nowMs += 1_000;
    await gateway.query(final);
    await until(() => ledger.requests.length === 3, 'the question which network it is');
    await until(async () => {
      await gateway.query(final);
      return ledger.requests.length === 4;
    }, 'the question for what was forgotten');
    expect(asked()).toEqual(['{ chainIdentifier }', final, expect.stringContaining('{chainIdentifier '), final]);
  });

  it('is dropped after the same network was reset: its newest checkpoint is far behind', async () => {
    let newest = 50_000;
    ledger.override = ({ query }, res) => {
      if (!query.includes('chainIdentifier')) return false;
      const data = { chainIdentifier: 'aaaa', newest: { sequenceNumber: newest } };
      return Boolean(res.end(JSON.stringify({ data })));
    };
    const finals = () => ledger.requests.filter(({ query }) => query === final).length;
    /** Reads from memory a minute later, which makes the gateway ask for the network. */
    const check = async () => {
      const questions = () => ledger.requests.filter(({ query }) => query.includes('chainIdentifier')).length;
      const before = questions();
      await until(async () => {
        // Again, if the answer to the previous question arrived only now.
        nowMs += 60_001;
        await gateway.query(final);
        return questions() > before;
      }, 'the question which network it is');
    };
    await gateway.query(final);
    await check();
    await until(async () => (await gateway.query(final)) && finals() === 2, 'the first network is known');
    await check();
    expect(finals()).toBe(2);
    newest = 12;
    await check();
    await until(async () => (await gateway.query(final)) && finals() === 3, 'the reset is known');
  });

  it('of a read that began before a network restart is not served after it', async () => {
    let network = 'aaaa';
    const held: ServerResponse[] = [];
    ledger.override = ({ query }, res) => {
      if (query === final) held.push(res);
      else res.end(JSON.stringify({ data: { [query.includes('again') ? 'again' : 'chainIdentifier']: network } }));
      return true;
    };
    await gateway.query('{ chainIdentifier }');
    const before = gateway.query(final);
    await until(() => held.length === 1, 'the first read has arrived');
    network = 'bbbb';
    await gateway.query('{ again: chainIdentifier }');
    const after = gateway.query(final);
    await until(() => held.length === 2, 'the second read has arrived');
    const answer = JSON.stringify(answerAt(schema, 0, { query: final }));
    const renamed = answer.replace(/"digest":"[^"]*"/, '"digest":"another"');
    held[1]?.end(renamed);
    expect((await after).text).toBe(renamed);
    held[0]?.end(answer);
    expect((await before).text).toBe(answer);
    expect((await gateway.query(final)).text).toBe(renamed);
    expect(held).toHaveLength(2);
  });

  it.each<[string, (answer: string) => string]>([
    ['has errors', (answer) => `${answer.slice(0, -1)},"errors":[{"message":"m"}]}`],
    ['is partly null', (answer) => answer.replace(/"timestamp":"[^"]*"/, '"timestamp":null')],
    ['lacks a field', (answer) => answer.replace(/,"status":"[^"]*"/, '')],
    ['is of something else', () => '{"data":{"object":{"digest":"x"}}}'],
    ['is empty', () => '{"data":{}}'],
    ['is cut off', (answer) => answer.slice(0, -3)],
    ['is no JSON', () => 'oops'],
    ['is huge', (answer) => answer.replace(/"digest":"/, `"digest":"${'x'.repeat(300_000)}`)],
  ])('is not made of one that %s', async (_, spoil) => {
    ledger.override = (request, res) => Boolean(res.end(spoil(JSON.stringify(answerAt(schema, 0, request)))));
    const spoilt = await gateway.query(final);
    await gateway.query(final);
    await get(final);
    ledger.override = undefined;
    const asked = ledger.requests.length;
    expect((await gateway.query(final)).text).not.toBe(spoilt.text);
    expect([asked, ledger.requests.length]).toEqual([3, 4]);
  });

  it('is not cached from an error status', async () => {
    ledger.override = (request, res) => {
      res.statusCode = 500;
      return Boolean(res.end(JSON.stringify(answerAt(schema, 0, request))));
    };
    await gateway.query(final);
    await get(final);
    ledger.override = undefined;
    await gateway.query(final);
    expect(ledger.requests).toHaveLength(3);
  });

  describe('by GET', () => {
    it('is cacheable for HTTP caches as long as it is cached here', async () => {
      // The network check runs beside the response and is not logged.
      ledger.override = ({ query }, res) => query !== final && Boolean(res.destroy());
      const asked = () => ledger.requests.filter(({ query }) => query === final).length;
      const first = await get(final);
      expect(first.headers.get('cache-control')).toBe('public, max-age=600, immutable');
      nowMs += 100_500;
      const later = await get(final);
      expect(later.headers.get('cache-control')).toBe('public, max-age=499, immutable');
      expect(await later.text()).toBe(await first.text());
      expect(later.headers.get('etag')).toBe(first.headers.get('etag'));
      expect(asked()).toBe(1);
      nowMs += 499_000;
      expect((await get(final)).headers.get('cache-control')).toBe('private, no-store');
      nowMs += 500;
      expect((await get(final)).headers.get('cache-control')).toBe('public, max-age=600, immutable');
      expect(asked()).toBe(2);
    });

    it('contains nothing about its caller, and lists everything in Vary', async () => {
      await using limited = await createTestGateway({
        ...on,
        LEDGER_GRAPHQL_URL: ledger.url,
        RATE_LIMIT_PER_MINUTE: '9',
      });
      for (const { headers } of [await get(final, {}, limited), await get(final, {}, limited)]) {
        expect(headers.get('cache-control')).toMatch(/^public/);
        expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null]);
        expect(headers.get('vary')?.split(', ')).toEqual(
          expect.arrayContaining([
            ...['accept', 'authorization', 'x-api-key', 'origin', 'x-gateway-show-source'],
            ...['x-ledger-rpc-version', 'x-ledger-rpc-show-usage'],
          ]),
        );
      }
      // It was counted nevertheless.
      expect((await limited.query(final)).headers.get('ratelimit')).toContain('r=6;');
    });

    it('is not sent again to a client that has it', async () => {
      const { headers } = await get(final);
      const etag = String(headers.get('etag'));
      for (const known of [etag, `"x", ${etag}`, etag.slice(2)]) {
        const again = await get(final, { 'if-none-match': known });
        expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
        expect(again.headers.get('cache-control')).toBe('public, max-age=600, immutable');
        expect(again.headers.get('x-ledger-rpc-version')).toBe(ledger.version);
      }
      expect((await get(final, { 'if-none-match': '"other"' })).status).toBe(200);
      expect((await get(other, { 'if-none-match': etag })).status).toBe(200);
    });

    it.each<[string, string, Record<string, string>]>([
      ['a credential', final, { authorization: 'Bearer x' }],
      ['a key', final, { 'x-api-key': 'x' }],
      ['a cookie', final, { cookie: 'a=b' }],
      ['the wish for usage', final, usage],
      ['the wish for the source', final, source],
      ['the wish for events', final, { accept: 'text/event-stream' }],
      ['a field that changes', final.replace('{ trans', '{ availableRange { last { digest } } trans'), {}],
      ['a field of ours', final.replace('{ trans', '{ gateway { version } trans'), {}],
      ['a transaction that is not final', final.replace(/digest: "\w+"/, 'digest: "pending"'), {}],
      ['a mistake', final.replace('digest effects', 'digested effects'), {}],
    ])('is for nobody else with %s', async (_, query, headers) => {
      if (query.includes('pending')) {
        ledger.override = (request, res) =>
          Boolean(
            res.end(JSON.stringify(answerAt(schema, 0, request)).replace(/"timestamp":"[^"]*"/, '"timestamp":null')),
          );
      }
      for (let count = 0; count < 2; count += 1) {
        const answer = await get(query, { 'if-none-match': '*', ...headers });
        expect(answer.status).not.toBe(304);
        expect(answer.headers.get('cache-control')).toMatch(/^(private, no-store(, no-transform)?|no-cache)$/);
        expect(answer.headers.get('etag')).toBeNull();
        await answer.body?.cancel();
      }
    });

    it('shows its source on request', async () => {
      const sources = [await get(final, source), await get(final, source), await get('{ epoch { epochId } }', source)];
      expect(sources.map(({ headers }) => headers.get('x-gateway-source'))).toEqual(['fresh', 'memory', 'fresh']);
    });
  });

  it('is an ordinary response if the cache is off', async () => {
    await using off = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, IMMUTABLE_CACHE_BYTES: '0' });
    await off.query(final);
    const { headers } = await off.query(final, {}, source);
    expect(headers.get('x-gateway-source')).toBe('fresh');
    expect((await get(final, {}, off)).headers.get('cache-control')).toBe('private, no-store');
    expect(ledger.requests).toHaveLength(3);
  });

  it('is cached for the configured time', async () => {
    const env = { ...on, LEDGER_GRAPHQL_URL: ledger.url, IMMUTABLE_CACHE_SECONDS: '30' };
    await using brief = await createTestGateway(env, {}, upstreamList, clock);
    expect((await get(final, {}, brief)).headers.get('cache-control')).toBe('public, max-age=30, immutable');
    nowMs += 30_000;
    await brief.query(final);
    expect(ledger.requests).toHaveLength(2);
  });

  it('is never cached if the profile has no immutable fields', async () => {
    const env = { ...on, LEDGER_GRAPHQL_URL: ledger.url, PROFILE_OVERRIDES: '{"immutableFields":[]}' };
    await using unknown = await createTestGateway(env);
    await unknown.query(final);
    await unknown.query(final);
    expect(ledger.requests).toHaveLength(2);
  });
});
