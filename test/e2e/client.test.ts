import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type Client,
  createClient,
  type GasReservation,
  type GatewayError,
  type KeyStore,
  type SignedTransaction,
  sponsorDocuments,
} from '../../src/client/client.ts';
import { type Devnet, startDevnet } from '../../src/devnet/start-devnet.ts';
import { eventIds, quickPolls, startTickedDevnet } from '../support/live-network.ts';
import { type RecordingUpstream, recordUpstream } from '../support/recording-upstream.ts';
import { type RedisServer, redisMissing, startRedis } from '../support/redis-server.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { type SuiLedger, startSuiLedger } from '../support/sui-ledger.ts';
import { openTcpGate, type TcpGate } from '../support/tcp-gate.ts';
import { until } from '../support/until.ts';

/** As `localStorage`. */
function createStore() {
  const entries = new Map<string, string>();
  return {
    entries,
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => void entries.set(key, value),
    removeItem: (key: string) => void entries.delete(key),
  };
}

const urlAt = (port: number) => `http://127.0.0.1:${port}/graphql`;

describe.skipIf(redisMissing)(redisMissing ?? 'sponsor', () => {
  const token = 'token-of-the-sponsor';
  let devnet: Devnet;
  let sponsor: RecordingUpstream;
  let sui: SuiLedger;
  let redis: RedisServer;
  let gateway: SpawnedGateway;
  let gate: TcpGate;
  /** Reaches the gateway through the gate. */
  let client: Client;

  /** With a store that survives the process, or what `env` says. */
  const start = (port = 0, env: Readonly<Record<string, string>> = {}) =>
    spawnGateway({
      PORT: String(port),
      LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
      SPONSOR_URL: sponsor.url,
      SPONSOR_TOKEN: token,
      SPONSOR_ALLOW_ANONYMOUS: 'true',
      CORS_ORIGINS: 'https://dapp.example',
      ...(env.REDIS_URL !== '' && {
        REDIS_URL: redis.url,
        LEASE_KEYS: 'a-key-for-leases-of-the-client-0123456789',
      }),
      ...env,
    });

  beforeAll(async () => {
    devnet = await startDevnet({ sponsorToken: token, checkpointPerTransaction: true, genesis: { checkpoints: 3 } });
    sponsor = await recordUpstream(devnet.sponsorUrl);
    sui = await startSuiLedger('newest');
    redis = await startRedis();
    gateway = await start();
    gate = await openTcpGate(gateway.port);
    client = createClient({ url: urlAt(gate.port) });
  });
  beforeEach(() => {
    sponsor.requests.length = 0;
  });
  afterAll(async () => {
    for (const each of [gate, gateway, redis, sui, sponsor, devnet]) await each?.[Symbol.asyncDispose]();
  });

  const signQuery = `query ($sponsor: LedgerAddress!, $coins: [DevnetGasCoinInput!]!, $budget: UInt53!) {
    devnetSignTransaction(sponsorAddress: $sponsor, gasCoins: $coins, gasBudget: $budget) {
      bytes: txBytes signature: userSig digest
    }
  }`;
  const sign = async ({ sponsorAddress, gasCoins, gasBudget }: GasReservation): Promise<SignedTransaction> => {
    const { devnetSignTransaction: signed } = await createClient({ url: gateway.url }).request<{
      devnetSignTransaction: { bytes: string; signature: string; digest: string };
    }>(signQuery, { sponsor: sponsorAddress, coins: gasCoins, budget: gasBudget });
    return signed;
  };
  const order = (store = createStore()) => ({ gasBudget: 50_000_000, sign, store, storeKey: 'order-1' });
  const sent = (path: string) => sponsor.requests.filter((request) => request.path.endsWith(path)).length;

  test('executes once although both responses are lost, and returns the same result after a reload', async () => {
    const steps: string[] = [];
    const repeated: string[] = [];
    const store = createStore();
    const reserved = gate.loseResponse('reserveGas').then(() => gate.loseResponse('executeTx('));
    const result = await client.sponsor({
      ...order(store),
      onStep: (step) => steps.push(step),
      onRetry: ({ code }) => repeated.push(code),
    });
    await reserved;
    expect(result).toMatchObject({ outcome: 'EXECUTED', effects: { status: { status: 'success' } } });
    expect(steps).toEqual(['reserve', 'sign', 'execute', 'done']);
    expect(repeated).toEqual(['NETWORK_ERROR', 'NETWORK_ERROR']);

    const reloaded = createClient({ url: urlAt(gate.port) });
    expect(await reloaded.sponsor(order(store))).toEqual(result);
    expect([sent('/v1/reserve_gas'), sent('/v1/execute_tx')]).toEqual([1, 1]);
  });

  test('executes once although the gateway is killed before it responds and the page is reloaded meanwhile', async () => {
    const store = createStore();
    const tab = new AbortController();
    const lost = gate.loseResponse('executeTx(');
    const first = client.sponsor({ ...order(store), signal: tab.signal });
    await lost;
    gateway.cli.child.kill('SIGKILL');
    await gateway.cli.ended;
    tab.abort(new Error('the tab is gone'));
    await expect(first).rejects.toThrow('the tab is gone');

    const repeated: string[] = [];
    const reloaded = createClient({ url: urlAt(gate.port) });
    const second = reloaded.sponsor({ ...order(store), onRetry: ({ code }) => repeated.push(code) });
    await until(() => repeated.length > 0, 'a request to the gateway that is gone');
    gateway = await start(gateway.port);
    const result = await second;
    expect(result).toMatchObject({ outcome: 'EXECUTED' });
    expect(sent('/v1/execute_tx')).toBe(1);
    const { transactionBlock } = await client.request<{ transactionBlock: object }>(
      'query ($digest: String!) { transactionBlock(digest: $digest) { digest } }',
      { digest: result.digest },
    );
    expect(transactionBlock).toEqual({ digest: result.digest });
  });

  test.each([
    ['transactionBlock', () => devnet.graphqlUrl],
    ['transaction', () => sui.url],
  ])('finds an execution by %s that a restarted gateway without Redis has forgotten', async (_, ledgerUrl) => {
    const env = { REDIS_URL: '', LEDGER_GRAPHQL_URL: ledgerUrl() };
    let forgetful = await start(0, env);
    await using path = await openTcpGate(forgetful.port);
    const lost = path.loseResponse('executeTx(');
    const repeated: string[] = [];
    const running = createClient({ url: urlAt(path.port) }).sponsor({
      ...order(),
      onRetry: ({ code }) => repeated.push(code),
    });
    await lost;
    path.cut();
    await forgetful[Symbol.asyncDispose]();
    forgetful = await start(forgetful.port, env);
    path.heal();
    try {
      const result = await running;
      expect(result).toEqual({ digest: expect.any(String), outcome: 'RECOVERED' });
      expect(devnet.ledger.transactions.map(({ digest }) => digest)).toContain(result.digest);
      expect(sent('/v1/execute_tx')).toBe(1);
      expect(repeated).toContain('NETWORK_ERROR');
    } finally {
      await forgetful[Symbol.asyncDispose]();
    }
  });

  test('a page that is reloaded while the user signs continues with the same reservation', async () => {
    const store = createStore();
    const seen: string[] = [];
    const leave: typeof sign = ({ reservationId }) => {
      seen.push(reservationId);
      throw new Error('the tab is gone');
    };
    await expect(client.sponsor({ ...order(store), sign: leave })).rejects.toThrow('the tab is gone');
    await client.sponsor({
      ...order(store),
      sign: (reservation) => {
        seen.push(reservation.reservationId);
        return sign(reservation);
      },
    });
    expect(seen[1]).toBe(seen[0]);
    expect([sent('/v1/reserve_gas'), sent('/v1/execute_tx')]).toEqual([1, 1]);
  });

  test('a second click shares the execution, and another name is another transaction', async () => {
    const store = createStore();
    const clicks = [client.sponsor(order(store)), client.sponsor(order(store))];
    const other = client.sponsor({ ...order(store), storeKey: 'order-2' });
    const [first, second, third] = await Promise.all([...clicks, other]);
    expect(second).toEqual(first);
    expect(third?.digest).not.toBe(first?.digest);
    expect(sent('/v1/execute_tx')).toBe(2);
  });

  test('works with a gateway that runs only trusted documents', async () => {
    const text = '{ chainIdentifier }';
    const id = `sha256:${createHash('sha256').update(text).digest('hex')}`;
    const manifest = join(mkdtempSync(join(tmpdir(), 'client-')), 'manifest.json');
    writeFileSync(manifest, JSON.stringify({ ...sponsorDocuments, [id]: text }));
    await using strict = await start(0, { TRUSTED_DOCUMENTS_FILE: manifest, TRUSTED_DOCUMENTS_POLICY: 'only' });
    const careful = createClient({ url: strict.url, documentIds: true });
    expect(await careful.sponsor(order())).toMatchObject({ outcome: 'EXECUTED' });
    class TypedText extends String {
      __meta__ = { hash: id };
    }
    const document = new TypedText(text) as unknown as string;
    expect(await careful.request(document)).toEqual({ chainIdentifier: expect.any(String) });
    await expect(careful.request('{ __typename }')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test('reports a rejection with its code and forgets the reservation, so that the user can try again', async () => {
    const store = createStore();
    const tooMuch = client.sponsor({ ...order(store), gasBudget: 9_000_000_000_000 });
    await expect(tooMuch).rejects.toMatchObject({ name: 'GatewayError', code: 'BAD_USER_INPUT', retry: 'never' });
    const broken: typeof sign = async (reservation) => ({ ...(await sign(reservation)), signature: 'AAAA' });
    await expect(client.sponsor({ ...order(store), sign: broken })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    expect([...store.entries]).toEqual([]);
    expect(await client.sponsor(order(store))).toMatchObject({ outcome: 'EXECUTED' });
  });
});

describe('tail and pages', () => {
  let devnet: Devnet;
  let gateway: SpawnedGateway;

  const start = (port: number, env: Readonly<Record<string, string>>) =>
    spawnGateway({
      PORT: String(port),
      LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
      LEDGER_RPC_URL: devnet.rpcUrl,
      ...quickPolls,
      ...env,
    });

  beforeAll(async () => {
    devnet = await startTickedDevnet();
  });
  afterAll(async () => {
    await gateway?.[Symbol.asyncDispose]();
    await devnet?.close();
  });

  interface Live {
    readonly liveEvents: { readonly __typename: string; readonly event?: { readonly id: string } };
  }
  const subscription = `subscription {
    liveEvents { __typename ... on LiveEventItem { event { id } } ... on LiveMissed { count resumeAfter } }
  }`;

  const lasting = 'cursors are signed with the key in this file';
  const lost = 'cursors are signed with a generated key and become invalid on restart';

  /** Follows until the signal aborts. @param store keeps the cursor */
  function follow({ url }: SpawnedGateway, store?: KeyStore) {
    const tab = new AbortController();
    const seen = {
      ids: [] as string[],
      types: new Set<string>(),
      codes: [] as string[],
      cursor: null as string | null,
    };
    const read = async () => {
      const onRetry = ({ code }: GatewayError) => seen.codes.push(code);
      for await (const { data, cursor } of createClient({ url }).tail<Live>(
        subscription,
        {},
        { signal: tab.signal, onRetry, ...(store && { store }) },
      )) {
        seen.types.add(data.liveEvents.__typename);
        if (data.liveEvents.event) seen.ids.push(data.liveEvents.event.id);
        seen.cursor = cursor;
      }
    };
    return { seen, tab, ended: read() };
  }

  const seesMore = async ({ ids }: { readonly ids: readonly string[] }) => {
    const { length } = ids;
    await until(() => {
      devnet.tick();
      return ids.length > length;
    }, 'an event');
  };

  test('loses and doubles no event through restarts, also after a kill and with workers', async () => {
    const state = { HOME: mkdtempSync(join(tmpdir(), 'client-')) };
    gateway = await start(0, state);
    const { seen, tab, ended } = follow(gateway);
    await seesMore(seen);
    for (const [signal, WORKERS] of [
      ['SIGTERM', '1'],
      ['SIGKILL', '2'],
      ['SIGTERM', '1'],
    ] as const) {
      gateway.cli.child.kill(signal);
      await gateway.cli.ended;
      for (let ticks = 0; ticks < 5; ticks += 1) devnet.tick();
      gateway = await start(gateway.port, { ...state, WORKERS });
      await seesMore(seen);
    }
    const all = eventIds(devnet);
    await until(() => seen.ids.at(-1) === all.at(-1), 'the last event');
    expect(seen.ids).toEqual(all.slice(all.indexOf(seen.ids[0] ?? '')));
    expect([...seen.types].sort()).toEqual(['LiveEventItem', 'LiveMissed']);
    // A gateway that stops rejects new streams.
    expect(['NETWORK_ERROR', 'UNAVAILABLE']).toEqual(expect.arrayContaining([...seen.codes]));
    expect(gateway.logged(lasting)).toMatchObject([{ path: `${state.HOME}/.local/state/ledger-gateway/cursor-key` }]);
    expect(gateway.logged(lost)).toEqual([]);
    tab.abort();
    await ended;
    await gateway[Symbol.asyncDispose]();
  });

  test('continues from now after restarts without a place for the key, and reports each rejected cursor once', async () => {
    gateway = await start(0, { STATE_DIRECTORY: '/dev/null' });
    const reason = expect.stringMatching(/^EEXIST/);
    expect(gateway.logged('the cursor key file cannot be used')).toMatchObject([{ level: 'warn', reason }]);
    // It follows the line that the gateway is ready.
    await until(() => gateway.logged(lost).length > 0, 'the warning is logged');
    expect(gateway.logged(lost)).toMatchObject([{ level: 'warn' }]);
    const { seen, tab, ended } = follow(gateway, createStore());
    const without = follow(gateway);
    const stopped = expect(without.ended).rejects.toMatchObject({ name: 'GatewayError', code: 'CURSOR_KEY_UNKNOWN' });
    await seesMore(seen);
    await seesMore(without.seen);
    for (const signal of ['SIGTERM', 'SIGKILL', 'SIGTERM'] as const) {
      gateway.cli.child.kill(signal);
      await gateway.cli.ended;
      gateway = await start(gateway.port, {});
      await seesMore(seen);
    }
    await stopped;
    expect(seen.codes.filter((code) => code === 'CURSOR_KEY_UNKNOWN')).toHaveLength(3);
    expect(new Set(seen.ids).size).toBe(seen.ids.length);
    tab.abort();
    await ended;
  });

  test('reads all pages, forwards and backwards', async () => {
    const client = createClient({ url: gateway.url });
    interface Page {
      readonly queryEvents: {
        readonly nodes: readonly { readonly id: string }[];
        readonly pageInfo: { hasNextPage: boolean; endCursor: string; hasPreviousPage: boolean; startCursor: string };
      };
    }
    const toQuery = (size: string, cursor: string) => `query ($count: Int!, $${cursor}: String) {
      queryEvents(${size}: $count, ${cursor}: $${cursor}) {
        nodes { id } pageInfo { hasNextPage endCursor hasPreviousPage startCursor }
      }
    }`;
    const read = async (document: string) => {
      const ids: string[][] = [];
      const select = ({ queryEvents }: Page) => queryEvents;
      for await (const { nodes } of client.pages<Page, object, Page['queryEvents']>(document, { count: 40 }, select))
        ids.push(nodes.map(({ id }) => id));
      return ids;
    };
    expect((await read(toQuery('first', 'after'))).flat()).toEqual(eventIds(devnet));
    expect((await read(toQuery('last', 'before'))).reverse().flat()).toEqual(eventIds(devnet));
  });
});
