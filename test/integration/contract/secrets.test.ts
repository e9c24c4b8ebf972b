import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../../../src/devnet/start-devnet.ts';
import { transactionDigest } from '../../../src/transactions/digest.ts';
import { type RecordingUpstream, recordUpstream } from '../../support/recording-upstream.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { whenTimeIsOver } from '../../support/when-time-is-over.ts';

const token = 'tOkEn-9f8e7d6c5b4a';
const password = 'pAsSwOrD-of-the-url';
const callers = 'cAlLeRs-1a2b3c4d5e6f';
let devnet: Devnet;
let ledger: RecordingUpstream;
let sponsor: RecordingUpstream;
let events: RecordingUpstream;

/** A URL with a credential. */
const withPassword = (url: string) => url.replace('http://', `http://operator:${password}@`);

beforeAll(async () => {
  devnet = await startDevnet({ sponsorToken: token, checkpointIntervalMs: 0, genesis: { checkpoints: 20 } });
  ledger = await recordUpstream(devnet.graphqlUrl);
  sponsor = await recordUpstream(devnet.sponsorUrl);
  events = await recordUpstream(devnet.rpcUrl);
});

beforeEach(() => {
  for (const upstream of [ledger, sponsor, events]) {
    upstream.requests.length = 0;
    upstream.intercept = undefined;
  }
});

afterAll(async () => {
  for (const each of [ledger, sponsor, events, devnet]) await each?.[Symbol.asyncDispose]();
});

const everything = [
  '{ sponsor { health version { raw semver buildHash } } chainIdentifier queryEvents(last: 1) { nodes { type transactionBlock { digest } } } gateway { upstreams { name state detail version } } }',
  'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 2) { reservationId sponsorAddress gasCoins { objectId digest object { version } } sponsor { address } } }',
  'mutation ($id: ID!) { executeTx(reservationId: $id, txBytes: "AAAA", userSig: "AAAA") { digest outcome effects { raw status { error } messageVersion transactionDigest dependencies } transactionBlock { digest } } }',
  'mutation { checkSponsorHealth { ok message } reloadAccessController { result } }',
];

/** Of the three zero bytes in the executions below; effects of another transaction would not be shown. */
const digestOfAAAA = transactionDigest(new Uint8Array(3));

const effects = (text: string) => ({
  messageVersion: text,
  status: { status: 'failure', error: `because of ${text}` },
  executedEpoch: '1',
  gasUsed: { computationCost: '1', storageCost: '1', storageRebate: '1', nonRefundableStorageFee: '1' },
  transactionDigest: digestOfAAAA,
  dependencies: [text],
  gasObject: { owner: { AddressOwner: text }, reference: { objectId: text, version: 1, digest: text } },
  [text]: { deep: [text, { [text]: text }] },
});

/** Every way in which a sponsor might echo a secret. */
const echoes: [
  string,
  (authorization: string) => { status: number; type: string; body: string; headers?: Record<string, string> },
][] = [
  ...[200, 400, 401, 403, 418, 422, 429, 500, 502, 503].flatMap((status): (typeof echoes)[number][] => [
    [
      `an envelope under ${status}`,
      (a) => ({ status, type: 'application/json', body: JSON.stringify({ result: null, error: `bad header ${a}` }) }),
    ],
    [`a page under ${status}`, (a) => ({ status, type: 'text/html', body: `<html>${a} ${a.slice(7)}</html>` })],
    [`plain text under ${status}`, (a) => ({ status, type: 'text/plain', body: `Unauthorized ${a.slice(7)}` })],
  ]),
  [
    'known words around it',
    (a) => ({
      status: 500,
      type: 'application/json',
      body: JSON.stringify({ error: `Reservation no longer exist: ${a.slice(7)} Gas usage exceeds daily cap ${a}` }),
    }),
  ],
  [
    'its bare value as an error',
    (a) => ({ status: 400, type: 'application/json', body: JSON.stringify({ error: a.slice(7) }) }),
  ],
  [
    'escaped in JSON',
    (a) => ({
      status: 400,
      type: 'application/json',
      body: `{"error":"${[...a.slice(7)].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('')}"}`,
    }),
  ],
  [
    'in headers',
    (a) => ({
      status: 500,
      type: 'application/json',
      body: '{}',
      headers: {
        'x-echo': a,
        'www-authenticate': a,
        location: `http://x/${a.slice(7)}`,
        'x-ledger-rpc-version': a.slice(7),
      },
    }),
  ],
  ['a word', (a) => ({ status: 200, type: 'text/plain', body: a.slice(7) })],
  ['a version', (a) => ({ status: 200, type: 'text/plain', body: `1.0.0-${a.slice(7)}` })],
  ['a failed health check', (a) => ({ status: 200, type: 'text/plain', body: `Failed to check health: ${a}` })],
  [
    'a reservation',
    (a) => ({
      status: 200,
      type: 'application/json',
      body: JSON.stringify({
        result: {
          sponsor_address: a.slice(7),
          reservation_id: 5,
          gas_coins: [{ objectId: a.slice(7), version: 1, digest: a }],
        },
        error: null,
      }),
    }),
  ],
  [
    'effects',
    (a) => ({
      status: 200,
      type: 'application/json',
      body: JSON.stringify({ effects: effects(a.slice(7)), error: null }),
    }),
  ],
  [
    'odd effects',
    (a) => ({
      status: 200,
      type: 'application/json',
      body: JSON.stringify({
        effects: { transactionDigest: digestOfAAAA, status: { status: 'success', [a.slice(7)]: 1 }, note: a },
        error: a,
      }),
    }),
  ],
];

const modes: [string, () => Promise<{ gateway: TestGateway; headers: Record<string, string>; secrets: string[] }>][] = [
  [
    'the gateway’s token',
    async () => ({
      gateway: await createTestGateway({
        LEDGER_GRAPHQL_URL: withPassword(ledger.url),
        LEDGER_RPC_URL: withPassword(events.url),
        SPONSOR_URL: withPassword(sponsor.url),
        SPONSOR_TOKEN: token,
        // Only if all transactions are sent does the sponsor respond to them.
        SPONSOR_PREFLIGHT: 'off',
        SPONSOR_ALLOW_ANONYMOUS: 'true',
        CORS_ORIGINS: 'http://127.0.0.1:4000',
        LOG_LEVEL: 'trace',
      }),
      headers: { authorization: `Bearer ${callers}` },
      secrets: [token, callers, password],
    }),
  ],
  [
    'the caller’s header',
    async () => ({
      gateway: await createTestGateway({
        LEDGER_GRAPHQL_URL: withPassword(ledger.url),
        LEDGER_RPC_URL: withPassword(events.url),
        SPONSOR_URL: sponsor.url,
        LOG_LEVEL: 'trace',
      }),
      headers: { authorization: `Bearer ${callers}` },
      secrets: [token, callers, password],
    }),
  ],
];

describe.each(modes)('%s appears in no response, header or log line', (mode, start) => {
  let gateway: TestGateway;
  let headers: Record<string, string>;
  let secrets: string[];
  let reachesAdmin: boolean;

  beforeAll(async () => {
    ({ gateway, headers, secrets } = await start());
    // Whose credential the sponsor gets; in forward mode the sponsor also decides who is an admin.
    reachesAdmin = mode === 'the caller’s header';
  });
  const sent = () => (reachesAdmin ? callers : token);
  afterAll(() => gateway?.close());

  /** The secret in all encodings that an echo could have. */
  const shapes = (secret: string) => [
    secret,
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    encodeURIComponent(secret),
  ];

  /** Coins reserved by the sponsor, whatever it responds; in forward mode it rejects the credential. */
  let lastNumber = 5;
  async function reserved(): Promise<string> {
    // Each is used once.
    if (reachesAdmin) return String(++lastNumber);
    const { intercept } = sponsor;
    sponsor.intercept = undefined;
    const query = 'mutation { reserveGas(gasBudget: 1000, reserveDurationSecs: 2) { reservationId } }';
    const { data } = await gateway.query(query, {}, headers);
    sponsor.requests.pop();
    sponsor.intercept = intercept;
    return data.reserveGas.reservationId;
  }

  /** Log lines searched so far; a request's line may follow its response. */
  let looked = 0;
  function newLines(): string {
    const lines = JSON.stringify(gateway.log.slice(looked));
    looked = gateway.log.length;
    return lines;
  }

  async function expectSilence(query: string, given = {}): Promise<void> {
    const variables = query.includes('$id: ID!') ? { ...given, id: await reserved() } : given;
    const [sentBefore, lookedUpBefore] = [sponsor.requests.length, ledger.requests.length];
    // If the sponsor does not report the outcome, the gateway queries the ledger until the timeout.
    const isLookedUp = () =>
      sponsor.requests.slice(sentBefore).some(({ path }) => path === '/v1/execute_tx') &&
      ledger.requests.slice(lookedUpBefore).some(({ body }) => body.includes(digestOfAAAA));
    const answer = await whenTimeIsOver(30_000, isLookedUp, () => gateway.query(query, variables, headers));
    const said = [answer.text, JSON.stringify([...answer.headers]), newLines()];
    const told = secrets.flatMap(shapes).flatMap((shape) => said.filter((text) => text.includes(shape)));
    expect(told).toEqual([]);
  }

  it('in normal operation', async () => {
    for (const query of everything) await expectSilence(query);
    expect([...new Set(sponsor.requests.map(({ path }) => path))].sort()).toEqual(
      [
        '/',
        '/debug_health_check',
        '/v1/execute_tx',
        '/v1/reload_access_controller',
        '/v1/reserve_gas',
        '/version',
      ].filter((path) => reachesAdmin || !/debug|reload/.test(path)),
    );
  });

  it('when an upstream echoes it in its response', async () => {
    const secret = sent();
    const id = await reserved();
    const json = { 'content-type': 'application/json' };
    sponsor.intercept = ({ path }, res) => {
      if (path === '/version') res.writeHead(200).end(`1.0.0-${secret}`);
      else res.writeHead(200, json).end(JSON.stringify({ effects: effects(secret), error: null }));
      return true;
    };
    const version = await gateway.query('{ sponsor { version { raw } } }', {}, headers);
    expect(version.data.sponsor.version ?? version.errors?.[0]?.extensions.code).toBeTruthy();
    const execution = await gateway.query(everything[2] ?? '', { id }, headers);
    expect(execution.data.executeTx).toMatchObject({
      outcome: 'FAILED',
      effects: { status: { error: 'because of [redacted]' }, raw: { '[redacted]': { deep: ['[redacted]', {}] } } },
    });
    for (const { text } of [version, execution]) expect(text).not.toContain(secret);
  });

  it.each(echoes)('when the sponsor responds with it: %s', async (_name, toAnswer) => {
    sponsor.intercept = (request, res) => {
      const { status, type, body, headers: more } = toAnswer(request.headers.authorization ?? '');
      res.writeHead(status, { ...more, 'content-type': type }).end(body);
      return true;
    };
    for (const query of everything) await expectSilence(query);
  });

  it('when an upstream breaks off, resets, or sends invalid HTTP', async () => {
    for (const upstream of [ledger, sponsor, events]) {
      upstream.intercept = (request, res) => {
        res.writeHead(200, { 'content-type': 'application/json', 'content-length': '9999' });
        res.write(`{"echo":"${request.headers.authorization}"`, () => res.socket?.destroy());
        return true;
      };
      for (const query of everything) await expectSilence(query);
      upstream.intercept = (request, res) => {
        res.socket?.end(`HTTP/9.9 what ${request.headers.authorization}\r\n\r\n`);
        return true;
      };
      for (const query of everything) await expectSilence(query);
      upstream.intercept = undefined;
    }
  });

  it('when the request itself contains it', async () => {
    const secret = callers;
    await expectSilence(`query ${'Q'}($a: LedgerAddress!) { object(address: $a) { version } }`, { a: '0x5' });
    await gateway.query(
      '{ nope }',
      {},
      { ...headers, 'x-request-id': `Bearer ${secret}`, cookie: secret, 'x-api-key': secret },
    );
    expect(JSON.stringify(gateway.log)).not.toContain(secret);
  });

  it('in the whole log, the last lines included', async () => {
    await gateway.close();
    const log = JSON.stringify(gateway.log);
    expect(gateway.log.length).toBeGreaterThan(100);
    expect(secrets.flatMap(shapes).filter((shape) => log.includes(shape))).toEqual([]);
  });
});

describe('a credential in an upstream’s URL', () => {
  it('appears in no configuration mistake', async () => {
    await expect(createTestGateway({ LEDGER_GRAPHQL_URL: `ftp://operator:${password}@example.net` })).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(password) }),
    );
    await expect(
      createTestGateway({
        LEDGER_GRAPHQL_URL: ledger.url,
        SPONSOR_URL: sponsor.url,
        SPONSOR_TOKEN: `${token} with a blank`,
      }),
    ).rejects.toThrow(expect.objectContaining({ message: expect.not.stringContaining(token) }));
  });

  it('with invalid percent encoding is used unchanged', async () => {
    await using gateway = await createTestGateway({
      LEDGER_GRAPHQL_URL: ledger.url.replace('http://', 'http://user:50%off@'),
    });
    expect(ledger.requests[0]?.headers.authorization).toBe(`Basic ${btoa('user:50%off')}`);
    expect(JSON.stringify(gateway.log)).not.toContain('50%off');
  });
});
