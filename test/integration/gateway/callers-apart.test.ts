import { createClient } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { hashApiKey, toApiKey } from '../../../src/config/client.ts';
import { type RecordedRequest, type RecordingUpstream, recordUpstream } from '../../support/recording-upstream.ts';
import { createRendezvous } from '../../support/rendezvous.ts';
import { type SpoilingUpstream, spoilAnswers } from '../../support/spoilt-answers.ts';
import { type GraphqlDevnet, startGraphqlDevnet } from '../../support/start-graphql-devnet.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

interface Asking {
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly by: 'POST' | 'GET' | 'WebSocket';
}

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not programmed against
type Answer = { readonly data: any; readonly errors?: readonly { readonly extensions: { readonly code: string } }[] };

/** An operation that needs the sponsor, and the caller that the sponsor saw, according to the response. */
interface Reaching {
  readonly name: string;
  readonly query: string;
  readonly toNumber: (data: Answer['data']) => number;
  /** Ledger requests of one such operation. */
  readonly ledgerCalls: number;
}

/** A ledger request contains nothing of the caller except the operation. */
const headersOfOurOwn = ['accept', 'connection', 'content-length', 'content-type', 'host', 'transfer-encoding'];

let devnet: GraphqlDevnet;
let ledger: SpoilingUpstream;
let sponsor: RecordingUpstream;

beforeAll(async () => {
  devnet = await startGraphqlDevnet();
  ledger = await spoilAnswers(devnet.devnet.graphqlUrl);
  sponsor = await recordUpstream(devnet.devnet.sponsorUrl);
});

afterEach(() => {
  ledger.gate = undefined;
  ledger.exchanges.length = 0;
  sponsor.intercept = undefined;
  sponsor.requests.length = 0;
});

afterAll(async () => {
  for (const each of [sponsor, ledger, devnet]) await each?.[Symbol.asyncDispose]();
});

async function ask(gateway: TestGateway, { query, headers, by }: Asking): Promise<Answer> {
  if (by === 'POST') return JSON.parse((await gateway.query(query, undefined, headers)).text);
  if (by === 'GET') {
    const response = await fetch(`${gateway.url}/graphql?${new URLSearchParams({ query })}`, {
      headers: { ...headers, accept: 'application/json' },
    });
    return (await response.json()) as Answer;
  }
  const client = createClient({
    url: `${gateway.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: headers,
  });
  try {
    for await (const result of client.iterate({ query })) return result as unknown as Answer;
    throw new Error('no result');
  } finally {
    await client.dispose();
  }
}

/** A sponsor that returns a number per credential, once all callers have sent theirs. */
function answerTogether(count: number, numberOf: (request: RecordedRequest) => number): Promise<unknown> {
  const meeting = createRendezvous<RecordedRequest>(count);
  sponsor.intercept = (request, res) => {
    const mine = numberOf(request);
    const reservation = {
      result: {
        sponsor_address: `0x${String(mine).padStart(64, '0')}`,
        reservation_id: mine,
        gas_coins: [{ objectId: `0x${'5'.padStart(64, '0')}`, version: 1, digest: '1'.repeat(32) }],
      },
      error: null,
    };
    void meeting.arrive(request).then(() => {
      if (request.path === '/version') res.writeHead(200, { 'content-type': 'text/plain' }).end(`1.0.${mine}-abc`);
      else res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reservation));
    });
    return true;
  };
  return meeting.complete;
}

function expectNothingOfCallers(secrets: readonly string[]): void {
  for (const { headers, body } of ledger.exchanges) {
    expect(Object.keys(headers).filter((name) => !headersOfOurOwn.includes(name))).toEqual([]);
    const said = JSON.stringify([headers, body]);
    for (const secret of secrets) expect(said).not.toContain(secret);
  }
}

describe('callers with their own credentials, sending the same at the same time', () => {
  const callers = ['alice', 'bob', 'carol', 'dave', 'erin'].map((name) => `Bearer secret-of-${name}`);
  const numberOf = ({ headers }: RecordedRequest) => callers.indexOf(headers.authorization ?? '') + 1;
  /** Everything that a careless gateway might forward. */
  const baggage = (authorization: string) => ({
    authorization,
    'x-request-id': `id-of-${authorization.slice(17)}`,
    'x-forwarded-for': '203.0.113.5',
    forwarded: 'for=203.0.113.5',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    'x-ledger-rpc-show-usage': 'true',
    'x-own': `own-of-${authorization.slice(17)}`,
  });
  const ways = ['POST', 'POST', 'GET', 'WebSocket', 'WebSocket'] as const;
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await createTestGateway({
      LEDGER_GRAPHQL_URL: ledger.url,
      SPONSOR_URL: sponsor.url,
      SPONSOR_AUTH: 'forward',
      TRUSTED_PROXIES: '127.0.0.1',
    });
  });
  afterAll(() => gateway?.close());

  const operations: readonly Reaching[] = [
    { name: 'a read of the sponsor', query: '{ sponsor { version { raw } } }', toNumber: toPatch, ledgerCalls: 0 },
    {
      name: 'a read of both',
      query: '{ chainIdentifier sponsor { version { raw } } epoch { epochId } }',
      toNumber: toPatch,
      ledgerCalls: 1,
    },
    {
      name: 'a read of both under aliases',
      query: '{ e: epoch(id: 1) { epochId } sponsor { a: version { raw } version { raw } } }',
      toNumber: toPatch,
      ledgerCalls: 1,
    },
    {
      name: 'a reservation',
      query: 'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 5) { reservationId sponsorAddress } }',
      toNumber: ({ reserveGas }) => Number(reserveGas.reservationId),
      ledgerCalls: 0,
    },
    {
      name: 'a reservation joined to the ledger',
      query:
        'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 5) { sponsorAddress sponsor { address } } }',
      toNumber: ({ reserveGas }) => {
        expect(reserveGas.sponsor.address).toBe(reserveGas.sponsorAddress);
        return Number(reserveGas.sponsorAddress);
      },
      ledgerCalls: 1,
    },
  ];

  test.each(operations.flatMap((operation) => [false, true].map((isKnown) => ({ ...operation, isKnown }))))(
    '$name reaches the sponsor once for each of them, with their own credential (seen before: $isKnown)',
    async ({ query, toNumber, ledgerCalls, isKnown }) => {
      const isMutation = query.startsWith('mutation');
      const asked = `${query} # ${isKnown}`;
      if (isKnown) {
        await ask(gateway, { query: asked, headers: { authorization: 'Bearer nobody' }, by: 'POST' });
        sponsor.requests.length = 0;
        ledger.exchanges.length = 0;
      }
      const together = answerTogether(callers.length, numberOf);
      const answers = await Promise.all(
        callers.map((authorization, index) => {
          const by = isMutation && ways[index] === 'GET' ? 'POST' : (ways[index] ?? 'POST');
          return ask(gateway, { query: asked, headers: baggage(authorization), by });
        }),
      );
      await together;
      expect(sponsor.requests.map(({ headers }) => headers.authorization).sort()).toEqual([...callers].sort());
      expect(answers.map(({ errors }) => errors)).toEqual(callers.map(() => undefined));
      expect(answers.map(({ data }) => toNumber(data))).toEqual([1, 2, 3, 4, 5]);
      expect(ledger.exchanges.length).toBeGreaterThanOrEqual(ledgerCalls);
      expect(ledger.exchanges.length).toBeLessThanOrEqual(callers.length);
      expectNothingOfCallers([...callers.map((each) => each.slice(7)), 'key-of', 'id-of', 'own-of', '203.0.113.5']);
      for (const { headers } of sponsor.requests)
        expect(JSON.stringify(headers)).not.toMatch(/key-of|own-of|203\.0\.113/);
    },
  );

  test('two calls of one caller are two reservations', async () => {
    const [alice = ''] = callers;
    const query = 'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 5) { reservationId } }';
    const together = answerTogether(2, () => sponsor.requests.length);
    const twins = [1, 2].map(() => ask(gateway, { query, headers: { authorization: alice }, by: 'POST' }));
    await together;
    const ids = (await Promise.all(twins)).map(({ data }) => data.reserveGas.reservationId);
    expect(new Set(ids).size).toBe(2);
  });

  test('reads of the ledger may share one call, and each gets the form it requested', async () => {
    const query = '{ chainIdentifier epoch { epochId } }';
    await ask(gateway, { query, headers: {}, by: 'POST' });
    ledger.exchanges.length = 0;
    const arrived = createRendezvous(1);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    ledger.gate = () => arrived.arrive(query).then(() => held);
    const answers = callers.flatMap((authorization, index) => {
      const { 'x-ledger-rpc-show-usage': _, ...without } = baggage(authorization);
      const by = ways[index] ?? 'POST';
      return [baggage(authorization), without].map((headers) => ask(gateway, { query, headers, by }));
    });
    await arrived.complete;
    release();
    const { epochId } = (await devnet.data('{ epoch { epochId } }')).epoch;
    const { chainIdentifier } = await devnet.data('{ chainIdentifier }');
    for (const [index, answer] of (await Promise.all(answers)).entries()) {
      const { data, extensions } = answer as Answer & { readonly extensions?: { readonly usage: unknown } };
      expect(data).toEqual({ chainIdentifier, epoch: { epochId } });
      expect(extensions?.usage !== undefined).toBe(index % 2 === 0);
    }
    expect(ledger.exchanges.length).toBeLessThanOrEqual(answers.length);
    expectNothingOfCallers([...callers.map((each) => each.slice(7)), 'key-of', 'id-of', 'own-of', '203.0.113.5']);
  });

  test('a read after the caller’s own sponsor call never shares an earlier read', async () => {
    const query = '{ checkpoint { sequenceNumber } }';
    let asked = 0;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    ledger.gate = () => {
      asked += 1;
      return held;
    };
    const before = ask(gateway, { query, headers: baggage('Bearer bystander'), by: 'POST' });
    await until(() => asked === 1, 'the first read has arrived');
    const [alice = ''] = callers;
    void answerTogether(1, () => 1);
    const reserve = 'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 5) { reservationId } }';
    expect((await ask(gateway, { query: reserve, headers: { authorization: alice }, by: 'POST' })).errors).toBe(
      undefined,
    );
    const after = ask(gateway, { query, headers: { authorization: alice }, by: 'POST' });
    await until(() => asked === 2, 'the second read has arrived');
    release();
    expect((await Promise.all([before, after])).map(({ errors }) => errors)).toEqual([undefined, undefined]);
    expect(ledger.exchanges).toHaveLength(2);
  });

  test('mutations of the ledger never share a call', async () => {
    const query = 'mutation { executeTransactionBlock(txBytes: "AA==", signatures: []) { errors } }';
    const meeting = createRendezvous(callers.length);
    ledger.gate = (body) => meeting.arrive(body);
    const answers = callers.map((authorization) =>
      ask(gateway, { query, headers: baggage(authorization), by: 'POST' }),
    );
    await meeting.complete;
    for (const { errors } of await Promise.all(answers)) expect(errors).toHaveLength(1);
    expect(ledger.exchanges).toHaveLength(callers.length);
    expectNothingOfCallers(callers.map((each) => each.slice(7)));
  });
});

describe('callers with API keys, sending the same at the same time', () => {
  const keyOf = (id: string, fill: number) => toApiKey(id, new Uint8Array(32).fill(fill)).reveal();
  const keys = {
    once: keyOf('once', 1),
    spender: keyOf('spender', 2),
    other: keyOf('other', 3),
    reader: keyOf('reader', 4),
  };
  const clients = [
    `- { id: once, hash: ${hashApiKey(keys.once)}, rate: { perMinute: 1 } }`,
    `- { id: spender, hash: ${hashApiKey(keys.spender)}, scopes: [read, sponsor] }`,
    `- { id: other, hash: ${hashApiKey(keys.other)}, scopes: [read, sponsor] }`,
    `- { id: reader, hash: ${hashApiKey(keys.reader)} }`,
  ].join('\n');
  const token = 'token-of-the-gateway';
  let gateway: TestGateway;

  beforeAll(async () => {
    const env = {
      LEDGER_GRAPHQL_URL: ledger.url,
      SPONSOR_URL: sponsor.url,
      SPONSOR_TOKEN: token,
      CLIENTS_FILE: '/clients',
    };
    gateway = await createTestGateway(env, { '/clients': clients });
  });
  afterAll(() => gateway?.close());

  const withKey = (key: string, index = 0) =>
    index % 2 === 0 ? { 'x-api-key': key } : { authorization: `Bearer ${key}` };

  test.each(['never seen before', 'known'])('each get their own data beside the shared data (%s)', async (sight) => {
    const query = `{ viewer { id } chainIdentifier sponsor { version { raw } } } # ${sight}`;
    if (sight === 'known') await ask(gateway, { query, headers: withKey(keys.other), by: 'POST' });
    const names = ['spender', 'other', 'reader'] as const;
    const answers = names.flatMap((name, index) =>
      (['POST', 'WebSocket', 'GET'] as const).map((by) =>
        ask(gateway, { query, headers: withKey(keys[name], index), by }),
      ),
    );
    const ids = (await Promise.all(answers)).map(({ data }) => data.viewer.id);
    expect(ids).toEqual(names.flatMap((name) => [1, 2, 3].map(() => `client:${name}`)));
    expect(new Set(sponsor.requests.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${token}`]));
    expectNothingOfCallers([token, ...Object.values(keys)]);
    expect(JSON.stringify(sponsor.requests)).not.toMatch(new RegExp(Object.values(keys).join('|')));
  });

  test('each get their own reservation, and a caller that may not reserve costs none', async () => {
    const query = 'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 5) { reservationId } }';
    const together = answerTogether(2, () => sponsor.requests.length);
    const spending = [keys.spender, keys.other].map((key, index) =>
      ask(gateway, { query, headers: withKey(key, index), by: 'POST' }),
    );
    const refused = await ask(gateway, { query, headers: withKey(keys.reader), by: 'POST' });
    expect(refused.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    await together;
    const ids = (await Promise.all(spending)).map(({ data }) => data.reserveGas.reservationId);
    expect(ids).toEqual([expect.any(String), expect.any(String)]);
    expect(ids[0]).not.toBe(ids[1]);
    expect(sponsor.requests).toHaveLength(2);
  });

  test('a caller over the limit is rejected while the same call of others, and its own first one, are in flight', async () => {
    const query = '{ chainIdentifier epoch { epochId } }';
    const arrived = createRendezvous(1);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    ledger.gate = () => arrived.arrive(query).then(() => held);
    const first = gateway.query(query, undefined, withKey(keys.once));
    await arrived.complete;
    const others = [keys.spender, keys.other].map((key) => gateway.query(query, undefined, withKey(key)));
    // Rejected immediately, while the ledger still holds all responses back.
    for (const headers of [withKey(keys.once), withKey(keys.once, 1)]) {
      const refused = await gateway.query(query, undefined, headers);
      expect(refused.status).toBe(429);
      expect(refused.errors?.[0]?.extensions.code).toBe('RATE_LIMITED');
      expect(refused.data).toBeUndefined();
    }
    release();
    for (const { status, data } of await Promise.all([first, ...others])) {
      expect(status).toBe(200);
      expect(data.chainIdentifier).toMatch(/^\w+$/);
    }
  });
});

/** The caller's number, as the last part of the sponsor's version. */
function toPatch({ sponsor: { version } }: Answer['data']): number {
  return Number(/^1\.0\.(\d+)-/.exec(version.raw)?.[1]);
}
