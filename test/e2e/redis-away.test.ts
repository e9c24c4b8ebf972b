import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRawClient, toPostText } from '../support/raw-client.ts';
import { type RedisServer, redisMissing, startRedis } from '../support/redis-server.ts';
import { type ScriptedLedger, startScriptedLedger } from '../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';

const limits = { RATE_LIMIT_PER_MINUTE: '1000' };

describe.skipIf(redisMissing)(redisMissing ?? 'while Redis does not answer', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    redis?.thaw();
    await redis?.[Symbol.asyncDispose]();
  });

  describe('sponsorship in token mode', () => {
    const reserve = 'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 1) { reservationId } }';
    const reserveForLong = 'mutation { reserveGas(gasBudget: 1, reserveDurationSecs: 600) { reservationId } }';
    let gateway: TestGateway;
    beforeAll(async () => {
      gateway = await createTestGateway({ ...limits, REDIS_URL: redis.url, SPONSOR_PREFLIGHT: 'off' });
    });
    afterAll(() => gateway?.close());

    const codeOf = async (query: string) => (await gateway.query(query)).errors?.[0]?.extensions.code;

    it('is rejected before anything is sent, at the start and later; reads continue; both recover', async () => {
      await expect.poll(() => codeOf(reserve), { timeout: 10_000 }).toBe(undefined);
      const { reservationId } = (await gateway.query(reserveForLong)).data.reserveGas;
      const execute = `mutation { executeTx(reservationId: "${reservationId}", txBytes: "AAAA", userSig: "AAAA") { digest } }`;
      await redis.kill();
      for (const query of [reserve, execute, reserve, execute]) {
        const { data, errors } = await gateway.query(query);
        expect(Object.values(data)).toEqual([null]);
        expect(errors?.[0]?.extensions).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', upstream: 'sponsor' });
      }
      const { data, errors } = await gateway.query('{ chainIdentifier sponsor { health } }');
      expect([typeof data.chainIdentifier, data.sponsor.health, errors]).toEqual(['string', 'OK', undefined]);
      await redis.restart();
      await expect.poll(() => codeOf(reserve), { timeout: 20_000 }).toBe(undefined);
    });
  });

  describe('a client that disconnects before it was counted', () => {
    let ledger: ScriptedLedger;
    let gateway: TestGateway;
    let paid = 0;
    beforeAll(async () => {
      ledger = await startScriptedLedger('type Query { a: Int } type Mutation { pay(for: String): Int }', {
        Query: { a: () => 1 },
        Mutation: { pay: () => ++paid },
      });
      const env = {
        ...limits,
        RATE_LIMIT_COST: 'usage',
        LEDGER_GRAPHQL_URL: ledger.url,
        TRUSTED_PROXIES: '127.0.0.1',
      };
      gateway = await createTestGateway({ ...env, REDIS_URL: redis.url });
    });
    afterAll(async () => {
      redis.thaw();
      await gateway?.close();
      await ledger?.close();
    });

    it.each([
      ['of a known operation', true],
      ['of one never seen', false],
    ])('executes nothing: %s', async (name, isKnown) => {
      const query = `mutation { pay(for: "${name}") }`;
      if (isKnown) await gateway.query(query);
      await expect.poll(async () => (await gateway.query('{ a }')).data).toEqual({ a: 1 });
      const before = paid;
      // Each has a line of its own: such requests of one address share lines.
      const [id, address] = isKnown ? ['known', '10.0.0.1'] : ['unseen', '10.0.0.2'];
      redis.freeze();
      const client = await openRawClient(Number(new URL(gateway.url).port));
      await client.send(toPostText({ query }, { 'x-request-id': id, 'x-forwarded-for': address }));
      // A response to a later request proves that this one was read.
      for (let count = 0; count < 3; count += 1) await fetch(`${gateway.url}/health/live`);
      client.vanish('closing');
      const lines = () => gateway.log.filter(({ requestId, msg }) => requestId === id && msg === 'request');
      await expect.poll(() => lines().map(({ status }) => status)).toEqual([499]);
      redis.thaw();
      await expect.poll(async () => (await gateway.query('{ a }')).data).toEqual({ a: 1 });
      expect(paid).toBe(before);
    });
  });
});
