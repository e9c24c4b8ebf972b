import fc from 'fast-check';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { createTelemetry, type Telemetry } from '../../../src/telemetry/events.ts';
import { createLogger, requestLine } from '../../../src/telemetry/logger.ts';
import { type OperationFacts, toRequestRecord } from '../../../src/telemetry/request-line.ts';
import { toSponsorshipLine } from '../../../src/telemetry/sponsorship-line.ts';

/** What is logged of an event, without its time. */
function linesOf(tell: (telemetry: Telemetry) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  tell(createTelemetry(createLogger({ level: 'trace', destination: { write: (line) => void lines.push(line) } })));
  return lines.map((line) => {
    const { time, ...rest } = JSON.parse(line) as Record<string, unknown>;
    expect(time).toEqual(expect.any(String));
    return rest;
  });
}

const usage = { inputNodes: 1, outputNodes: 2, depth: 3, variables: 4, fragments: 5, queryPayload: 6 };
const operations = [
  { caller: 'anonymous:1.2.3.4', name: 'Q', type: 'query', plan: 'SPLIT', errors: 0, calls: 1, usage },
];
const request = { requestId: 'r1', method: 'POST', path: '/graphql', status: 200, durationMs: 1.5, operations };

/** The arguments of each event, and the log line that operators search for. */
const events: { readonly [Name in keyof Telemetry]: readonly [Parameters<Telemetry[Name]>, object] } = {
  requestAnswered: [[request], { level: 'info', msg: 'request', ...request }],
  upgradeAnswered: [
    [{ ...request, method: 'GET', status: 101, operations: [] }, '192.0.2.1'],
    { level: 'info', msg: 'request', ...request, method: 'GET', status: 101, operations: [] },
  ],
  socketOperationEnded: [
    [{ requestId: 'r1', durationMs: 2, operations }, '192.0.2.1'],
    { level: 'info', msg: 'operation over a WebSocket', requestId: 'r1', durationMs: 2, operations },
  ],
  errorMasked: [
    [new Error('inside'), 'r1'],
    {
      level: 'error',
      msg: 'an unexpected error was masked',
      requestId: 'r1',
      err: expect.objectContaining({ message: 'inside', stack: expect.any(String) }),
    },
  ],
  credentialsRejected: [
    [{ upstream: 'ledger', status: 401, setting: 'LEDGER_GRAPHQL_HEADERS' }],
    {
      level: 'error',
      msg: 'an upstream rejects the credentials of the gateway; set them in its headers or its URL',
      upstream: 'ledger',
      status: 401,
      setting: 'LEDGER_GRAPHQL_HEADERS',
    },
  ],
  variablesUnknown: [
    [['TLS_CERT_FILE']],
    {
      level: 'warn',
      msg: 'variables of the environment look like settings, and have no effect',
      variables: ['TLS_CERT_FILE'],
    },
  ],
  clientsRead: [
    [{ added: ['a'], removed: [], changed: ['b'], clients: 2 }],
    { level: 'info', msg: 'clients file reloaded', added: ['a'], removed: [], changed: ['b'], clients: 2 },
  ],
  documentsRead: [
    [{ added: 1, removed: 0, changed: 2, documents: 3 }],
    { level: 'info', msg: 'trusted documents reloaded', added: 1, removed: 0, changed: 2, documents: 3 },
  ],
  documentsRefused: [
    [['a mistake']],
    {
      level: 'error',
      msg: 'trusted documents rejected; the previous ones stay in force',
      setting: 'TRUSTED_DOCUMENTS_FILE',
      mistakes: ['a mistake'],
    },
  ],
  documentsBroken: [
    [Array.from({ length: 30 }, () => 'a'.repeat(1_000))],
    {
      level: 'warn',
      msg: 'trusted documents do not fit the schema or its limits: requests for them are rejected',
      count: 30,
      documents: Array.from({ length: 10 }, () => 'a'.repeat(200)),
    },
  ],
  documentUntrusted: [
    [{ caller: 'client:web', hash: 'ab', operation: 'Q'.repeat(100) }],
    {
      level: 'info',
      msg: 'served a document that is not in TRUSTED_DOCUMENTS_FILE',
      caller: 'client:web',
      hash: 'ab',
      operation: 'Q'.repeat(80),
    },
  ],
  tracingIdle: [
    [],
    {
      level: 'warn',
      msg: 'OTEL_* variables are set but spans are not exported: set OTEL_EXPORTER_OTLP_ENDPOINT, or load an OpenTelemetry SDK with --import that accepts version 1.9 of @opentelemetry/api',
    },
  ],
  upstreamCalled: [
    ['sponsor', 'unreachable', 5, 'cannot connect (ECONNREFUSED)'],
    { level: 'warn', msg: 'calls to an upstream fail', upstream: 'sponsor', reason: 'cannot connect (ECONNREFUSED)' },
  ],
  subscriptionsChanged: [
    [false],
    { level: 'warn', msg: "the upstream's subscriptions are lost; live streams poll until they are back" },
  ],
  addressEjected: [
    ['ledger', '2'],
    { level: 'warn', msg: 'an address of an upstream fails and is avoided', upstream: 'ledger', address: '2' },
  ],
  addressOfOtherNetwork: [
    [{ upstream: 'ledger', address: '2', chainIdentifier: 'b', expected: 'a' }],
    {
      level: 'error',
      msg: 'an address of an upstream serves another network and is not used',
      upstream: 'ledger',
      address: '2',
      chainIdentifier: 'b',
      expected: 'a',
    },
  ],
  networkRecognised: [['n'], { level: 'info', msg: 'network recognised by its schema', network: 'n' }],
  networkUnknown: [
    ['n'],
    {
      level: 'warn',
      msg: 'network not recognised: the ledger is unavailable, and no schema is cached',
      network: 'n',
    },
  ],
  profileUnfit: [
    ['n', 'm'],
    {
      level: 'warn',
      msg: "the network profile does not fit the ledger's schema; set NETWORK_PROFILE and restart",
      profile: 'n',
      fitting: 'm',
    },
  ],
  secretRead: [['LEASE_KEYS_FILE'], { level: 'info', msg: 'secret file reloaded', setting: 'LEASE_KEYS_FILE' }],
  secretRefused: [
    ['LEASE_KEYS_FILE', 'a file that holds keys', 'something else'],
    {
      level: 'error',
      msg: 'secret file rejected; the previous secret stays in force',
      setting: 'LEASE_KEYS_FILE',
      expected: 'a file that holds keys',
      got: 'something else',
    },
  ],
  clientsRefused: [
    [['CLIENTS_FILE.0.hash: expected 64 digits, got nothing']],
    {
      level: 'error',
      msg: 'clients file rejected; the previous clients stay in force',
      setting: 'CLIENTS_FILE',
      mistakes: ['CLIENTS_FILE.0.hash: expected 64 digits, got nothing'],
    },
  ],
  signingKeysLost: [
    ['ECONNREFUSED'],
    {
      level: 'warn',
      msg: 'JWT signing keys cannot be fetched; the known keys stay in force',
      setting: 'JWT_JWKS_URL',
      reason: 'ECONNREFUSED',
    },
  ],
  signingKeysBack: [[], { level: 'info', msg: 'JWT signing keys can be fetched again' }],
  signingKeysReplaced: [[2], { level: 'info', msg: 'JWT signing keys fetched', keys: 2 }],
  versionSeen: [['1.0.0-a'], { level: 'info', msg: 'ledger reached', version: '1.0.0-a' }],
  versionChanged: [
    ['1.1.0-b', '1.0.0-a'],
    { level: 'info', msg: 'ledger version changed', version: '1.1.0-b', previous: '1.0.0-a' },
  ],
  schemaReplaced: [
    [{ origin: 'ledger', fingerprint: 'f1' }],
    { level: 'info', msg: 'a new schema is in force', origin: 'ledger', fingerprint: 'f1' },
  ],
  schemaRefused: [
    [Object.assign(new Error('collides'), { faults: ['Query.sponsor'] })],
    {
      level: 'error',
      msg: "the ledger's new schema is rejected; the previous one stays in force",
      err: expect.objectContaining({ message: 'collides' }),
      faults: ['Query.sponsor'],
    },
  ],
  networkResembles: [
    [{ scalar: 'MgoAddress', NETWORK_PROFILE: 'sui-legacy' }],
    {
      level: 'warn',
      msg: 'the network is not known but resembles another; set NETWORK_PROFILE and PROFILE_OVERRIDES',
      scalar: 'MgoAddress',
      NETWORK_PROFILE: 'sui-legacy',
    },
  ],
  schemaPartlyServed: [
    [Object.assign(new Error('invalid'), { faults: ['type A: it has no fields'] })],
    {
      level: 'error',
      msg: "parts of the ledger's schema are not valid; the others are served",
      err: expect.objectContaining({ message: 'invalid' }),
      faults: ['type A: it has no fields'],
    },
  ],
  schemaUnavailable: [
    [{ setting: 'LEDGER_GRAPHQL_URL', host: 'ledger.example', reason: 'cannot connect (ECONNREFUSED)' }],
    {
      level: 'warn',
      msg: "the ledger's schema cannot be read; retrying",
      setting: 'LEDGER_GRAPHQL_URL',
      host: 'ledger.example',
      reason: 'cannot connect (ECONNREFUSED)',
    },
  ],
  schemaCacheFailed: [
    [new Error('EACCES')],
    { level: 'warn', msg: 'the schema cache file cannot be used', err: expect.objectContaining({ message: 'EACCES' }) },
  ],
  liveFleetAway: [
    ['ECONNREFUSED'],
    {
      level: 'warn',
      msg: 'shared live readers unavailable: each process reads by itself',
      setting: 'REDIS_URL',
      reason: 'ECONNREFUSED',
    },
  ],
  liveFleetBack: [[], { level: 'info', msg: 'shared live readers available again' }],
  livePageTaken: [
    ['is out of order'],
    {
      level: 'warn',
      msg: 'the events upstream keeps sending a faulty page; live streams accept it',
      fault: 'is out of order',
    },
  ],
  liveStalled: [
    [{ who: 'stream', count: 2, waitsFor: 'an answer', forMs: 10_000 }],
    {
      level: 'warn',
      msg: 'live streams make no progress',
      who: 'stream',
      count: 2,
      waitsFor: 'an answer',
      forMs: 10_000,
    },
  ],
  sponsorshipStoreAway: [
    ['ECONNREFUSED'],
    {
      level: 'warn',
      msg: 'sponsorship store unavailable: requests that need it are rejected',
      setting: 'REDIS_URL',
      reason: 'ECONNREFUSED',
    },
  ],
  sponsorshipStoreBack: [[], { level: 'info', msg: 'sponsorship store available again' }],
  sponsorshipMayBeEvicted: [
    ['allkeys-lru'],
    {
      level: 'warn',
      msg: 'Redis may drop gas budgets and spent leases: its maxmemory-policy is not noeviction',
      policy: 'allkeys-lru',
    },
  ],
  sponsorshipForgotten: [
    [
      {
        caller: `credential:${'c'.repeat(64)}`,
        leaseId: `${'l'.repeat(20)}-and-more`,
        digest: null,
        outcome: 'refused',
      },
    ],
    {
      level: 'error',
      msg: 'the outcome of a sponsored transaction was not stored: its gas counts as held',
      caller: `credential:${'c'.repeat(32)}`,
      lease: 'l'.repeat(20),
      outcome: 'refused',
    },
  ],
  sharedCountsLost: [
    ['ECONNREFUSED'],
    {
      level: 'warn',
      msg: 'shared rate limit store unavailable: each process counts callers by itself',
      setting: 'REDIS_URL',
      reason: 'ECONNREFUSED',
    },
  ],
  sharedCountsBack: [[], { level: 'info', msg: 'shared rate limit store available again' }],
  sponsorObserved: [
    [{ endpoint: '/v1/execute_tx', status: null, what: 'unheard-outcome', digest: 'd1', text: '' }],
    {
      level: 'warn',
      msg: 'sponsor response not shown to clients',
      endpoint: '/v1/execute_tx',
      status: null,
      what: 'unheard-outcome',
      digest: 'd1',
      text: '',
    },
  ],
  transactionDoubted: [
    [{ caller: 'client:shop', requestId: 'r-1', digest: 'D', reason: 'txBytes: the gas owner is 0x1' }],
    {
      level: 'warn',
      caller: 'client:shop',
      requestId: 'r-1',
      digest: 'D',
      reason: 'txBytes: the gas owner is 0x1',
      msg: 'sent a transaction to the sponsor that SPONSOR_PREFLIGHT=enforce would reject',
    },
  ],
  sponsorTokenRefused: [
    ['SPONSOR_TOKEN'],
    {
      level: 'warn',
      msg: "the sponsor rejects the gateway's token: nothing can be sponsored",
      setting: 'SPONSOR_TOKEN',
    },
  ],
  sponsorTokenAccepted: [
    ['SPONSOR_TOKEN'],
    { level: 'info', msg: "the sponsor accepts the gateway's token again", setting: 'SPONSOR_TOKEN' },
  ],
  sponsorship: [
    [
      {
        event: 'executed',
        caller: `credential:${'0123456789abcdef'.repeat(4)}`,
        leaseId: 'ABCDEFGHIJKLMNOPQRSTUV',
        requestId: 'r',
        digest: 'D',
        budget: 5,
        gasUsed: 3,
        code: null,
      },
    ],
    {
      level: 'info',
      msg: 'sponsorship',
      event: 'executed',
      caller: `credential:${'0123456789abcdef'.repeat(2)}`,
      lease: 'ABCDEFGHIJKLMNOPQRST',
      digest: 'D',
      budget: 5,
      gasUsed: 3,
      requestId: 'r',
    },
  ],
  cursorKeyMade: [
    [],
    {
      level: 'warn',
      msg: 'cursors are signed with a generated key and become invalid on restart',
      setting: 'CURSOR_KEYS',
    },
  ],
  leaseKeyMade: [
    ['LEASE_KEYS'],
    {
      level: 'warn',
      msg: 'reservations are signed with a generated key and become invalid on restart',
      setting: 'LEASE_KEYS',
    },
  ],
  listening: [
    [
      {
        url: 'http://127.0.0.1:1/graphql',
        devnet: false,
        schema: 'none',
        profile: 'ledger',
        setting: 'LEDGER_GRAPHQL_URL',
        host: 'ledger.example',
      },
    ],
    {
      level: 'warn',
      msg: 'listening without the ledger, which is unavailable; retrying',
      url: 'http://127.0.0.1:1/graphql',
      devnet: false,
      schema: 'none',
      profile: 'ledger',
      setting: 'LEDGER_GRAPHQL_URL',
      host: 'ledger.example',
    },
  ],
  networkSimulated: [
    ['ledger'],
    {
      level: 'warn',
      msg: 'SIMULATED NETWORK: no LEDGER_GRAPHQL_URL is set, so the ledger, the sponsor and the events are an in-memory devnet',
      network: 'ledger',
    },
  ],
  ready: [
    [{ url: 'http://127.0.0.1:1/graphql', devnet: true, schema: 'ledger', profile: 'ledger' }],
    {
      level: 'info',
      msg: 'ready',
      url: 'http://127.0.0.1:1/graphql',
      devnet: true,
      schema: 'ledger',
      profile: 'ledger',
    },
  ],
  workerLost: [
    [{ worker: 17, exitCode: null, signal: 'SIGKILL', againInMs: 250 }],
    {
      level: 'error',
      msg: 'a worker exited; starting a replacement',
      worker: 17,
      exitCode: null,
      signal: 'SIGKILL',
      againInMs: 250,
    },
  ],
  workerGrown: [
    [17, 2_000, 1_000],
    {
      level: 'warn',
      msg: 'a worker uses too much memory; starting a replacement before it stops',
      worker: 17,
      rssBytes: 2_000,
      maxRssBytes: 1_000,
    },
  ],
  workerReplaced: [[18], { level: 'info', msg: 'a new worker serves', worker: 18 }],
  workersCut: [[[17, 18]], { level: 'error', msg: 'workers killed: they did not exit in time', workers: [17, 18] }],
};

const names = Object.keys(events) as (keyof Telemetry)[];

/** Tells of an event as its emitter does, with the function taken from its object. */
function tell(telemetry: Telemetry, name: keyof Telemetry): void {
  const emit = telemetry[name] as (...facts: readonly unknown[]) => void;
  emit(...events[name][0]);
}

describe('an event', () => {
  test.each(names)('%s has one log line in one form', (name) => {
    expect(linesOf((telemetry) => tell(telemetry, name))).toEqual([events[name][1]]);
  });

  test.each(names)('%s does not throw if the log cannot be written', (name) => {
    const write = () => {
      throw new Error('no space left');
    };
    const telemetry = createTelemetry(createLogger({ level: 'trace', destination: { write } }));
    expect(() => tell(telemetry, name)).not.toThrow();
  });

  test('of an error without a request has no request id', () => {
    expect(linesOf(({ errorMasked }) => errorMasked(new Error('inside'), undefined))[0]).not.toHaveProperty(
      'requestId',
    );
  });

  test('of a request in the lane is written by the record itself, in the same form', () => {
    const { requestId, method, path, status, durationMs } = request;
    const record = toRequestRecord(requestId, method, path, status, durationMs, operations, ['FORBIDDEN'], true);
    expect(linesOf(({ requestAnswered }) => requestAnswered(record))).toEqual([
      { level: 'info', msg: 'request', ...request, codes: ['FORBIDDEN'], lane: true },
    ]);
  });
});

const operation = fc.record({
  caller: fc.string({ unit: 'binary' }),
  name: fc.option(fc.stringMatching(/^[_A-Za-z]\w{0,20}$/), { nil: null }),
  type: fc.constantFrom('query', 'mutation'),
  plan: fc.constantFrom('LOCAL', 'SPLIT'),
  errors: fc.nat(),
  calls: fc.nat(),
  usage: fc.option(
    fc.record({
      inputNodes: fc.nat(),
      outputNodes: fc.nat(),
      depth: fc.nat(),
      variables: fc.nat(),
      fragments: fc.nat(),
      queryPayload: fc.nat(),
    }),
    { nil: null },
  ),
});

it('a request has a line of at most 4 KB, however long its path is and however many operations it has', () => {
  const name = 'N'.repeat(80);
  const many = Array.from({ length: 100 }, () => ({ ...operations[0], caller: 'c'.repeat(100), name, type: 'query' }));
  const record = toRequestRecord('r'.repeat(64), 'POST', `/${'\u00ff'.repeat(16_000)}`, 404, 1, many as never);
  const line = `{${record[requestLine]()}}`;
  expect(Buffer.byteLength(line)).toBeLessThan(4_000);
  expect(JSON.parse(line)).toMatchObject({ path: `/${'?'.repeat(199)}...`, operations: many.slice(0, 8), more: 92 });
});

it('any event has a line of at most 4 KB, however long its texts are', () => {
  const error = new Error('\u0001'.repeat(100_000), {
    cause: new AggregateError(Array(1_000).fill(new Error('x'.repeat(9_000)))),
  });
  const [line] = linesOf(({ errorMasked }) => errorMasked(error, 'r1'));
  expect(Buffer.byteLength(JSON.stringify(line))).toBeLessThan(4_000);
  expect(line).toMatchObject({ msg: 'an unexpected error was masked', requestId: 'r1' });
});

it('the fields of a request are written as JSON writes them', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 3 }), fc.webPath(), fc.nat(), (operations, path, cents) => {
      const record = toRequestRecord('a-1.b_2', 'POST', path, 200, cents / 100, operations, ['FORBIDDEN'], true);
      const { trace: _, ...fields } = record;
      expect(JSON.stringify(JSON.parse(`{${record[requestLine]()}}`))).toBe(JSON.stringify(fields));
    }),
  );
});

it('the line of a request repeats nothing of the line before it', () => {
  const usual = [request, operations[0] as OperationFacts] as const;
  const heads = [{ requestId: 'r2' }, { method: 'GET' }, { path: '/other' }, { status: 503 }, { durationMs: 2 }];
  const others: Partial<OperationFacts>[] = [
    ...[{ caller: 'client:b' }, { name: 'R' }, { name: null }, { type: 'mutation' }, { plan: 'LOCAL' }],
    ...[{ from: 'memory' as const }, { errors: 7 }, { calls: 7 }, { usage: null }],
  ];
  const changed = [
    ...heads.map((change) => [{ ...request, ...change }, usual[1]] as const),
    ...others.map((change) => [request, { ...usual[1], ...change }] as const),
  ];
  for (const one of changed)
    for (const [{ requestId, method, path, status, durationMs }, operation] of [usual, one, usual]) {
      const record = toRequestRecord(requestId, method, path, status, durationMs, [operation]);
      const expected = { requestId, method, path, status, durationMs, operations: [operation] };
      expect(JSON.parse(`{${record[requestLine]()}}`)).toEqual(expected);
    }
});

const event = fc.record({
  event: fc.constantFrom('reserved' as const, 'executed' as const),
  caller: fc.string({ unit: 'binary' }),
  leaseId: fc.option(fc.string({ unit: 'binary', maxLength: 30 })),
  requestId: fc.string({ unit: 'binary' }),
  digest: fc.option(fc.string({ unit: 'binary' })),
  budget: fc.option(fc.nat()),
  gasUsed: fc.option(fc.nat()),
  code: fc.option(fc.string({ unit: 'binary' })),
});

it('the fields of an event of sponsorship are written as JSON writes them', () => {
  fc.assert(
    fc.property(event, (facts) => {
      const line = toSponsorshipLine(facts);
      expect(JSON.stringify(JSON.parse(`{${line[requestLine]()}}`))).toBe(JSON.stringify(line));
    }),
  );
});

test('a schema with a breaking change is a warning', () => {
  const facts = {
    origin: 'ledger',
    fingerprint: 'f2',
    breaking: 1,
    dangerous: 0,
    safe: 0,
    changes: ['breaking: gone'],
  };
  expect(linesOf(({ schemaReplaced }) => schemaReplaced(facts))).toEqual([
    { level: 'warn', msg: 'a new schema is in force', ...facts },
  ]);
});

test('a repeated failure is logged at debug level for a minute', () => {
  let nowMs = 0;
  const levels: unknown[] = [];
  const destination = { write: (line: string) => void levels.push(JSON.parse(line).level) };
  const telemetry = createTelemetry(createLogger({ level: 'trace', destination }), undefined, () => nowMs);
  const fail = (reason: string) => telemetry.schemaUnavailable({ setting: 'A', host: 'b', reason });
  fail('cannot connect');
  nowMs = 59_999;
  fail('cannot connect');
  fail('no answer');
  nowMs = 59_999 + 59_999;
  fail('no answer');
  nowMs += 1;
  fail('no answer');
  fail('no answer');
  expect(levels).toEqual(['warn', 'debug', 'warn', 'debug', 'warn', 'debug']);
});

test('failing calls to an upstream are logged once a minute, and the first answer after them', () => {
  let nowMs = 0;
  const lines: unknown[] = [];
  const logger = createLogger({
    level: 'trace',
    destination: { write: (line) => void lines.push(JSON.parse(line).msg) },
  });
  const telemetry = createTelemetry(logger, undefined, () => nowMs);
  const fails = () => telemetry.upstreamCalled('sponsor', 'timeout', 5, 'no answer');
  const answers = () => telemetry.upstreamCalled('sponsor', 200, 5, null);
  answers();
  fails();
  fails();
  answers();
  answers();
  nowMs = 59_999;
  fails();
  answers();
  expect(lines.splice(0)).toEqual(['calls to an upstream fail', 'an upstream answers again']);
  nowMs = 60_000;
  fails();
  telemetry.upstreamCalled('ledger', 'timeout', 5, 'no answer');
  expect(lines).toEqual(['calls to an upstream fail', 'calls to an upstream fail']);
});

test('requests without an operation get one line a second for each address and kind; the others are counted', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const codes = ['BAD_REQUEST'];
  const refused = { ...request, operations: [], status: 404, codes };
  const lines = linesOf(({ requestAnswered, upgradeAnswered, socketOperationEnded }) => {
    for (let index = 0; index < 1_000; index += 1)
      requestAnswered({ ...refused, path: `/${index}`, requestId: `r${index}` }, '192.0.2.1');
    requestAnswered(refused, '192.0.2.2');
    requestAnswered({ ...refused, status: 400 }, '192.0.2.1');
    for (const path of ['/', '/health/live', '/'])
      requestAnswered({ ...refused, path, status: 200, codes: [] }, '192.0.2.1');
    for (const status of [429, 429, 101, 101]) upgradeAnswered({ ...refused, status }, '192.0.2.1');
    for (const address of ['192.0.2.3', '192.0.2.3'])
      socketOperationEnded({ requestId: 'r', durationMs: 1, operations: [], codes: ['RATE_LIMITED'] }, address);
    // Many addresses fill no memory.
    for (let index = 0; index < 3_000; index += 1) requestAnswered(refused, `198.51.100.${index}`);
    vi.advanceTimersByTime(1_000);
    requestAnswered(refused, '192.0.2.1');
  });
  const ofFew = lines.filter(({ address }) => !String(address).startsWith('198.'));
  expect(
    ofFew.map(({ msg, path, status, address, count }) => [msg, path, status, address, count].join(' ').trim()),
  ).toEqual([
    'request /0 404 192.0.2.1',
    'request /graphql 404 192.0.2.2',
    'request /graphql 400 192.0.2.1',
    'request / 200 192.0.2.1',
    'request /health/live 200 192.0.2.1',
    'request /graphql 429 192.0.2.1',
    'request /graphql 101',
    'request /graphql 101',
    'operation over a WebSocket   192.0.2.3',
    'further requests without an operation  404 192.0.2.1 999',
    'further requests without an operation  200 192.0.2.1 1',
    'further requests without an operation  429 192.0.2.1 1',
    'further requests without an operation  400 192.0.2.3 1',
    'further requests without an operation  0 others 2007',
    'request /graphql 404 192.0.2.1',
  ]);
  expect(lines).toHaveLength(ofFew.length + 993);
});
