import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashApiKey, toApiKey } from '../../src/config/client.ts';
import { type HostileLedger, startHostileLedger } from '../support/hostile-ledger.ts';
import { type ExecuteManner, type HostileSponsor, startHostileSponsor } from '../support/hostile-sponsor.ts';
import { type RedisServer, redisMissing, startRedis } from '../support/redis-server.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { type Paying, type SponsoredTransaction, toSponsoredTransaction } from '../support/sponsored-transaction.ts';
import { allowanceQuery, executeMutation, reserveMutation } from '../support/sponsorship-history.ts';
import type { Answered } from '../support/sponsorship-world.ts';
import { until } from '../support/until.ts';

const key = toApiKey('app', new Uint8Array(32).fill(1)).reveal();
/** Short, because a twin waits this long for an execution whose gateway has died. */
const mutationMs = 3_000;
const gas = { computation: 1_000, storage: 2_000, rebate: 500 };

interface Prepared {
  readonly lease: string;
  readonly tx: SponsoredTransaction;
}

describe.each([
  ['Redis', 'another instance', redisMissing],
  ['a journal', 'the gateway that is started again', null],
] as const)('an execution whose gateway is killed in the middle, with %s: %s', (store, _, missing) => {
  let redis: RedisServer | null = null;
  let sponsor: HostileSponsor;
  let ledger: HostileLedger;
  let fleet: SpawnedGateway[];
  let env: Record<string, string>;

  beforeAll(async () => {
    if (missing !== null) return;
    redis = store === 'Redis' ? await startRedis() : null;
    sponsor = await startHostileSponsor({ now: Date.now, laterMs: () => 300 });
    ledger = await startHostileLedger(sponsor.chain);
    const clients = join(mkdtempSync(join(tmpdir(), 'killed-')), 'clients.yaml');
    writeFileSync(
      clients,
      `- { id: app, hash: ${hashApiKey(key)}, scopes: [read, sponsor], gas: { perDay: 900000000 }, visitors: one }`,
    );
    env = {
      LEDGER_GRAPHQL_URL: ledger.url,
      SPONSOR_URL: `http://127.0.0.1:${sponsor.port}`,
      SPONSOR_TOKEN: 'token-of-the-sponsor',
      CLIENTS_FILE: clients,
      ...(redis
        ? { LEASE_KEYS: 'a-key-for-leases-of-the-killed-0123456789', REDIS_URL: redis.url }
        : { STATE_DIRECTORY: mkdtempSync(join(tmpdir(), 'state-')) }),
      MUTATION_TIMEOUT_MS: String(mutationMs),
    };
    fleet = await Promise.all(Array.from({ length: redis ? 2 : 1 }, () => spawnGateway(env)));
  });
  afterAll(async () => {
    for (const each of [...(fleet ?? []), ledger, sponsor, redis]) await each?.[Symbol.asyncDispose]();
  });

  /** `null`: the gateway died before it responded. */
  async function ask({ url }: SpawnedGateway, query: string, variables: object): Promise<Answered | null> {
    try {
      const headers = { 'content-type': 'application/json', 'x-api-key': key };
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
      return (await response.json()) as Answered;
    } catch {
      return null;
    }
  }

  let budget = 1_000_000;
  async function prepare(gateway: SpawnedGateway, manner?: ExecuteManner): Promise<Prepared> {
    budget += 1;
    const answer = await ask(gateway, reserveMutation, { budget, seconds: 60, key: null });
    const given = answer?.data?.reserveGas as Paying & { reservationId: string };
    const tx = toSponsoredTransaction(given, budget);
    if (manner) sponsor.onExecute(tx.digest, manner);
    return { lease: given.reservationId, tx };
  }

  const execute = (gateway: SpawnedGateway, { lease, tx }: Prepared) =>
    ask(gateway, executeMutation, { lease, tx: tx.txBytes, sig: tx.userSig, key: null });

  /** The outcome, or the code and its digest. */
  const outline = (answer: Answered | null) => {
    const { digest, outcome } = (answer?.data?.executeTx ?? {}) as { digest?: string; outcome?: string };
    const [error] = answer?.errors ?? [];
    return outcome ? [outcome, digest] : [error?.extensions.code, error?.extensions.digest];
  };

  /** Repeats while the outcome is unknown: to others, the dead gateway may still be at work. */
  async function executeAgain(gateway: SpawnedGateway, each: Prepared): Promise<Answered | null> {
    let answer = await execute(gateway, each);
    for (let times = 1; times < 3 && outline(answer)[0] === 'EXECUTION_OUTCOME_UNKNOWN'; times += 1) {
      expect(outline(answer)[1]).toBe(each.tx.digest);
      answer = await execute(gateway, each);
    }
    return answer;
  }

  const gasOf = async (gateway: SpawnedGateway) => {
    const answer = await ask(gateway, allowanceQuery, {});
    const { gas: told = {} } = (answer?.data?.viewer ?? {}) as { gas?: Record<string, string> };
    const [limit = 0, remaining = 0, held = 0] = [told.limit, told.remaining, told.held].map(Number);
    return { held, settled: limit - remaining - held };
  };
  const cost = gas.computation + gas.storage - gas.rebate;
  const arrivals = () => [...sponsor.received.values()].map((digests) => digests.length);
  const arrived = ({ tx }: Prepared) => [...sponsor.received.values()].some(([first]) => first?.digest === tx.digest);

  test.skipIf(missing !== null)(
    'at any moment: a repeat elsewhere reports it truly, it is found if it ran, and it is never sent again',
    async () => {
      const [victim, twin = victim] = fleet as [SpawnedGateway, SpawnedGateway?];
      let other = twin;
      const unspent = await prepare(other);
      const waits = { succeeds: true, says: 'nothing, and waits', gas } as const;
      const ran = await prepare(other, { ...waits, runs: 'at once' });
      const runsLater = await prepare(other, { ...waits, runs: 'later' });
      const failed = await prepare(other, { ...waits, runs: 'at once', succeeds: false });
      const neverRan = await prepare(other, { ...waits, runs: 'never' });
      const held = [ran, runsLater, failed, neverRan];
      // When it dies, some have their response; others are on their way to the store or the sponsor, or unread.
      const hasty = await Promise.all(Array.from({ length: 24 }, () => prepare(other)));
      const lost = held.map((each) => execute(victim, each));
      await until(() => held.every(arrived), 'all that are held have arrived');
      const heard = hasty.map((each, index) =>
        new Promise((resolve) => setTimeout(resolve, index)).then(() => execute(victim, each)),
      );
      await until(() => hasty.some(arrived), 'the first of the hasty has arrived');
      victim.cli.child.kill('SIGKILL');
      expect(await Promise.all(lost)).toEqual([null, null, null, null]);
      const answers = await Promise.all(heard);
      if (!redis) {
        other = await spawnGateway(env);
        fleet.push(other);
      }

      const repeats = await Promise.all([...held, ...hasty].map((each) => executeAgain(other, each)));
      expect(repeats.slice(0, held.length).map(outline)).toEqual([
        ['RECOVERED', ran.tx.digest],
        ['RECOVERED', runsLater.tx.digest],
        ['RECOVERED', failed.tx.digest],
        ['EXECUTION_OUTCOME_UNKNOWN', neverRan.tx.digest],
      ]);
      const { extensions } = repeats[3]?.errors[0] ?? {};
      expect(extensions).toMatchObject({ reservationId: neverRan.lease, checkAfterMs: expect.any(Number) });
      for (const [index, { tx }] of hasty.entries()) {
        const [what, told] = outline(repeats[held.length + index] ?? null);
        expect([index, told]).toEqual([index, tx.digest]);
        // A lease with a response may be spent by now; one without is recovered, or runs now.
        const right = ['EXECUTED', 'RECOVERED', 'RESERVATION_NOT_FOUND'];
        expect(sponsor.chain.has(tx.digest) ? right : ['EXECUTION_OUTCOME_UNKNOWN']).toContain(what);
        if (answers[index]) expect(outline(answers[index])).toEqual(['EXECUTED', tx.digest]);
      }
      expect(outline(await execute(other, unspent))).toEqual(['EXECUTED', unspent.tx.digest]);
      expect(Math.max(...arrivals())).toBe(1);
      await until(async () => (await gasOf(other)).settled === sponsor.chain.size * cost, 'what ran is settled');
      if (redis) return;

      // After an orderly end nothing is forgotten either.
      const [before, next] = [await gasOf(other), await prepare(other)];
      other.cli.child.kill('SIGTERM');
      await other.cli.ended;
      const again = await spawnGateway(env);
      fleet.push(again);
      expect((await gasOf(again)).settled).toBe(before.settled);
      expect(outline(await execute(again, next))).toEqual(['EXECUTED', next.tx.digest]);
      expect(outline(await execute(again, unspent))).toEqual(['RESERVATION_NOT_FOUND', unspent.tx.digest]);
      expect(Math.max(...arrivals())).toBe(1);
    },
  );
});
