import { describe, expect, test } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import { ConfigError, type ConfigMistake } from '../../../src/config/config-error.ts';
import { networkProfiles, parseNetworkProfile } from '../../../src/config/network-profile.ts';
import { parseConfig } from '../../../src/config/parse-config.ts';
import { revealHeaders } from '../../../src/config/value-types.ts';
import { toClientsFile, toTestClient } from '../../support/test-policy.ts';

type Env = Readonly<Record<string, string>>;

/** Files that exist, by path. */
function parse(env: Env, files: Env = {}): Config {
  return parseConfig({
    env,
    readFile: (path) => {
      const text = files[path];
      if (text === undefined) throw Object.assign(new Error(`no such file, open '${path}'`), { code: 'ENOENT' });
      return text;
    },
  });
}

function mistakesOf(env: Env, files: Env = {}): readonly ConfigMistake[] {
  try {
    parse(env, files);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

const keysOf = (env: Env, files: Env = {}) => mistakesOf(env, files).map(({ key }) => key);

const ledger = { LEDGER_GRAPHQL_URL: 'https://ledger.example/graphql' };
const real = { ...ledger, SPONSOR_URL: 'http://sponsor.example:9527' };
const held = { ...real, SPONSOR_TOKEN: 'secret-of-the-sponsor' };
const open = { ...held, SPONSOR_ALLOW_ANONYMOUS: 'true', CORS_ORIGINS: 'https://app.example' };

describe('without configuration', () => {
  test('serves the embedded network on loopback with every documented default', () => {
    expect(parse({})).toEqual({
      settings: expect.objectContaining({
        PORT: 4000,
        BATCH_MAX: 0,
        CORS_ORIGINS: '*',
        CURSOR_KEYS: null,
        DRAIN_MS: null,
        GRAPHIQL: true,
        LIVE_MAX_READERS: 32,
        LIVE_MAX_READERS_PER_CALLER: 4,
        LIVE_MAX_STREAMS: 10_000,
        LIVE_MAX_STREAMS_PER_CALLER: 100,
        LIVE_POLL_MAX_MS: 2_000,
        LIVE_POLL_MIN_MS: 200,
        LIVE_REPLAY_BYTES: 67_108_864,
        LIVE_SOURCE: 'auto',
        LOG_LEVEL: 'info',
        METRICS_PORT: null,
        SCHEMA_CACHE_FILE: null,
        SCHEMA_POLL_MS: 60_000,
      }),
      port: 4000,
      profile: networkProfiles.ledger,
      upstreams: { kind: 'devnet' },
      sponsorship: {
        auth: 'token',
        token: null,
        allowAnonymous: true,
        maxOpenReservations: null,
        maxGasBudgetExclusive: 2_000_000_000,
        preflight: 'enforce',
        unreadable: 'refuse',
        dryRun: 'off',
        hook: null,
        sendsCaller: false,
        journal: null,
      },
      cursorKeys: null,
      pages: { defaultSize: 20, maxSize: 50 },
      limits: {
        documents: {
          maxQueryDepth: null,
          maxQueryNodes: null,
          maxOutputNodes: null,
          maxQueryPayloadSize: null,
          maxTransactionPayloadSize: null,
        },
        maxTransactionPayloadBytes: 174_763,
        maxBodyBytes: 1_048_576,
      },
      timeouts: { queryMs: 15_000, mutationMs: 30_000 },
      clients: null,
      jwt: null,
      redis: null,
      trustedDocuments: null,
      trustedProxies: [],
      spans: null,
      unknownVariables: [],
    });
  });

  test('an empty or blank value is unset', () => {
    expect(parse({ PORT: '', HOST: '  ', SPONSOR_URL: '', CONFIG_FILE: ' ', CLIENTS_FILE: '' })).toEqual(parse({}));
  });

  test('white space around a value is ignored', () => {
    expect(parse({ PORT: ' 4001\n' }).port).toBe(4001);
  });
});

test('cursor keys come from the environment or a file', () => {
  const [one, two] = ['1'.repeat(32), '2'.repeat(40)] as const;
  const reveal = ({ cursorKeys }: ReturnType<typeof parse>) => cursorKeys?.map((key) => key.reveal());
  expect(reveal(parse({ CURSOR_KEYS: `${one}, ${two}` }))).toEqual([one, two]);
  expect(reveal(parse({ CURSOR_KEYS_FILE: '/keys' }, { '/keys': two }))).toEqual([two]);
});

test('without cursor keys and Redis, the lease keys serve for cursors too', () => {
  const [one, two] = ['1'.repeat(32), '2'.repeat(40)] as const;
  const reveal = (env: Env, files: Env = {}) => parse(env, files).cursorKeys?.map((key) => key.reveal()) ?? null;
  expect(reveal({ LEASE_KEYS: `${one},${two}` })).toEqual([one, two]);
  expect(reveal({ LEASE_KEYS_FILE: '/leases' }, { '/leases': one })).toEqual([one]);
  expect(reveal({ LEASE_KEYS: one, CURSOR_KEYS: two })).toEqual([two]);
  expect(reveal({ LEASE_KEYS: one, REDIS_URL: 'redis://localhost' })).toBeNull();
});

describe('headers of upstreams', () => {
  const headers = (text: string, files: Env = {}) =>
    revealHeaders(parse({ ...ledger, LEDGER_GRAPHQL_HEADERS: text }, files).settings.LEDGER_GRAPHQL_HEADERS);

  test.each([
    ['X-Api-Key: a b:c ', ['x-api-key', 'a b:c']],
    ['x-api-key: 1\n\r\nauthorization: Bearer t\n', ['x-api-key', '1', 'authorization', 'Bearer t']],
    ['{ "X-Api-Key": "1" }', ['x-api-key', '1']],
  ])('%j', (text, list) => {
    expect(headers(text)).toEqual(list);
  });

  test.each([
    'x-api-key',
    ': v',
    'x-api-key:',
    'host: a',
    'Content-Length: 1',
    'a b: c',
    'x: 1\nX: 2',
    '{}',
    '{ "x": 1 }',
    'x: \u0100',
  ])('%j is a mistake, and is not shown', (text) => {
    const [mistake] = mistakesOf({ ...ledger, LEDGER_GRAPHQL_HEADERS: text });
    expect(mistake).toMatchObject({ key: 'LEDGER_GRAPHQL_HEADERS', got: '[redacted]' });
  });

  test('a file holds them, or an object of the configuration file', () => {
    const fromFile = parse({ ...real, SPONSOR_HEADERS_FILE: '/h' }, { '/h': 'x-key: 1\n' }).settings;
    expect(revealHeaders(fromFile.SPONSOR_HEADERS)).toEqual(['x-key', '1']);
    const config = parse({ ...ledger, CONFIG_FILE: '/c' }, { '/c': 'LEDGER_GRAPHQL_HEADERS: { x-key: "2" }' });
    expect(revealHeaders(config.settings.LEDGER_GRAPHQL_HEADERS)).toEqual(['x-key', '2']);
  });
});

test('the addresses of the ledger and of Redis may come from files', () => {
  const env = { LEDGER_GRAPHQL_URL_FILE: '/l', SPONSOR_URL: 'http://sponsor.example', REDIS_URL_FILE: '/r' };
  const files = { '/l': 'https://ledger.example/graphql?key=1\n', '/r': 'redis://redis.example' };
  const { upstreams, redis } = parse(env, files);
  expect(upstreams).toMatchObject({ addresses: { LEDGER_GRAPHQL_URL: ['https://ledger.example/graphql?key=1'] } });
  expect(redis?.url.reveal()).toBe('redis://redis.example');
  expect(keysOf({ ...env, ...ledger }, files)).toEqual(['LEDGER_GRAPHQL_URL_FILE']);
});

test('variables that look like settings are listed, and those of service links are not', () => {
  const env = {
    TLS_CERT_FILE: '/cert',
    LEDGER_TIMEOUT: '5',
    LEDGER_PORT: 'tcp://10.0.0.7:80',
    LEDGER_PORT_9000_TCP_ADDR: '10.0.0.7',
    SPONSOR_SERVICE_HOST: '10.0.0.8',
    LIMIT_NOTHING: '',
    PATH: '/bin',
  };
  expect(parse(env).unknownVariables).toEqual(['TLS_CERT_FILE', 'LEDGER_TIMEOUT']);
});

describe('upstreams', () => {
  test('a ledger alone has neither sponsor nor events', () => {
    expect(parse(ledger).upstreams).toEqual({
      kind: 'remote',
      addresses: { LEDGER_GRAPHQL_URL: ['https://ledger.example/graphql'] },
    });
  });

  test('all three, with a WebSocket URL', () => {
    const env = { ...real, LEDGER_RPC_URL: 'http://rpc.example', LEDGER_RPC_WS_URL: 'wss://rpc.example/ws' };
    expect(parse(env).upstreams).toEqual({
      kind: 'remote',
      addresses: {
        LEDGER_GRAPHQL_URL: ['https://ledger.example/graphql'],
        SPONSOR_URL: ['http://sponsor.example:9527'],
        LEDGER_RPC_URL: ['http://rpc.example'],
        LEDGER_RPC_WS_URL: ['wss://rpc.example/ws'],
      },
    });
  });

  test('several addresses of the ledger, whose URLs may contain commas', () => {
    const text = 'http://a.example/x,y , https://me:pw@b.example/graphql,http://a.example/x,y';
    const { upstreams } = parse({ LEDGER_GRAPHQL_URL: text });
    expect(upstreams).toEqual({
      kind: 'remote',
      addresses: { LEDGER_GRAPHQL_URL: ['http://a.example/x,y', 'https://me:pw@b.example/graphql'] },
    });
    const [mistake] = mistakesOf({ LEDGER_GRAPHQL_URL: 'http://me:pw@a.example, ftp://me:pw@b.example' });
    expect(mistake?.got).toBe('http://[redacted]@a.example/, [not a URL, 21 characters]');
    const nine = Array.from({ length: 9 }, (_, index) => `http://a${index}.example`);
    expect(keysOf({ LEDGER_GRAPHQL_URL: nine.join() })).toEqual(['LEDGER_GRAPHQL_URL']);
    expect(keysOf({ ...real, SPONSOR_URL: 'http://s.example,http://t.example' })).toEqual(['SPONSOR_URL']);
  });

  test('a sponsor or RPC URL without a ledger is a mistake that names the ledger key', () => {
    const mistakes = mistakesOf({ SPONSOR_URL: 'http://s', LEDGER_RPC_URL: 'http://r', LEDGER_RPC_WS_URL: 'ws://r' });
    expect(mistakes.map(({ key }) => key).sort()).toEqual(['LEDGER_RPC_URL', 'LEDGER_RPC_WS_URL', 'SPONSOR_URL']);
    for (const { expected, got } of mistakes) {
      expect(expected).toBe('LEDGER_GRAPHQL_URL to be set too');
      expect(got).toBe('no LEDGER_GRAPHQL_URL');
    }
  });

  test('a WebSocket URL without the RPC URL is a mistake', () => {
    expect(keysOf({ ...ledger, LEDGER_RPC_WS_URL: 'ws://r' })).toEqual(['LEDGER_RPC_WS_URL']);
  });

  test('an invalid ledger URL is not also reported as missing', () => {
    expect(keysOf({ LEDGER_GRAPHQL_URL: 'ledger.example', SPONSOR_URL: 'http://s' })).toEqual(['LEDGER_GRAPHQL_URL']);
  });
});

describe('SPONSOR_AUTH', () => {
  test('is forward if the gateway has no token', () => {
    expect(parse(real).sponsorship).toMatchObject({ auth: 'forward', token: null, allowAnonymous: false });
  });

  test('is token if the gateway has one', () => {
    const { sponsorship } = parse(open);
    expect(sponsorship).toMatchObject({ auth: 'token', allowAnonymous: true });
    expect(sponsorship.token?.reveal()).toBe('secret-of-the-sponsor');
  });

  test('reads the token from a file, without the newline', () => {
    const { SPONSOR_TOKEN: _, ...rest } = open;
    const config = parse({ ...rest, SPONSOR_TOKEN_FILE: '/run/token' }, { '/run/token': 'from-a-file\n' });
    expect(config.sponsorship.auth).toBe('token');
    expect(config.sponsorship.token?.reveal()).toBe('from-a-file');
  });

  test('forward set explicitly wins, and the token is dropped', () => {
    expect(parse({ ...held, SPONSOR_AUTH: 'forward' }).sponsorship).toMatchObject({ auth: 'forward', token: null });
  });

  test('rejects a token both as text and as file', () => {
    const [mistake, ...others] = mistakesOf({ ...open, SPONSOR_TOKEN_FILE: '/run/token' }, { '/run/token': 'other' });
    expect(others).toEqual([]);
    expect(mistake).toMatchObject({ key: 'SPONSOR_TOKEN_FILE', got: 'both' });
  });

  test('token requires a token', () => {
    const { SPONSOR_TOKEN: _, ...rest } = open;
    expect(keysOf({ ...rest, SPONSOR_AUTH: 'token' })).toEqual(['SPONSOR_TOKEN']);
  });

  test('token without credentials requires explicit permission for anonymous callers, and named origins', () => {
    expect(keysOf(held)).toEqual(['SPONSOR_ALLOW_ANONYMOUS', 'CORS_ORIGINS']);
    expect(keysOf({ ...held, SPONSOR_ALLOW_ANONYMOUS: 'true' })).toEqual(['CORS_ORIGINS']);
    expect(keysOf({ ...held, SPONSOR_ALLOW_ANONYMOUS: 'true', CORS_ORIGINS: '*' })).toEqual(['CORS_ORIGINS']);
    expect(keysOf({ ...held, CORS_ORIGINS: 'https://app.example' })).toEqual(['SPONSOR_ALLOW_ANONYMOUS']);
    expect(keysOf(open)).toEqual([]);
  });

  test('asks first for an unset permission, not for anonymous callers', () => {
    expect(mistakesOf({ ...held, CORS_ORIGINS: 'https://app.example' })[0]?.expected).toMatch(
      /^CLIENTS_FILE or JWT_JWKS_URL to be set, or true here, /,
    );
  });

  test('rejects a token file that is unreadable, empty or malformed, without showing its path', () => {
    const env = { SPONSOR_TOKEN_FILE: 'the-token-itself' };
    expect(mistakesOf(env)).toEqual([
      { key: 'SPONSOR_TOKEN_FILE', expected: 'a path to a readable file', got: 'one that cannot be read (ENOENT)' },
    ]);
    expect(mistakesOf(env, { 'the-token-itself': '\n' })[0]?.got).toBe('an empty one');
    expect(mistakesOf(env, { 'the-token-itself': 'two words' })[0]?.got).toBe('one that holds something else');
  });

  test('removes the word Bearer from the token', () => {
    expect(mistakesOf({ SPONSOR_TOKEN: 'Bearer abc' })).toEqual([
      {
        key: 'SPONSOR_TOKEN',
        expected: 'a token of visible ASCII characters, without the word Bearer',
        got: '[redacted]',
      },
    ]);
  });

  test('may be forward on the embedded network, which keeps its own sponsor token', () => {
    const { sponsorship } = parse({ SPONSOR_AUTH: 'forward', SPONSOR_TOKEN: 'dev' });
    expect(sponsorship).toMatchObject({ auth: 'forward' });
    expect(sponsorship.token?.reveal()).toBe('dev');
  });

  test('token on the embedded network without anonymous callers would serve no caller', () => {
    expect(keysOf({ SPONSOR_ALLOW_ANONYMOUS: 'false' })).toEqual(['SPONSOR_ALLOW_ANONYMOUS']);
  });

  test('a ledger without a sponsor needs no protection of gas', () => {
    expect(keysOf({ ...ledger, SPONSOR_TOKEN: 'unused' })).toEqual([]);
  });
});

describe('several workers', () => {
  const several = { ...open, WORKERS: '4', LEASE_KEYS: 'k'.repeat(32) };

  test.each([
    ['with a real sponsor', several, 'SPONSOR_URL'],
    ['where callers bring the token', { ...real, WORKERS: '4' }, 'SPONSOR_URL'],
    ['on the embedded network', { WORKERS: '4' }, 'the sponsor of the embedded network'],
  ])('need a shared sponsorship store %s', (_, env, sponsor) => {
    expect(mistakesOf(env)).toEqual([
      {
        key: 'REDIS_URL',
        expected: `a Redis in which workers share sponsorship records, because of WORKERS=4 and ${sponsor} (or set WORKERS=1)`,
        got: 'nothing',
      },
    ]);
    expect(keysOf({ ...env, REDIS_URL: 'redis://localhost' })).toEqual([]);
    expect(keysOf({ ...env, WORKERS: '1' })).toEqual([]);
  });

  test('need none without a sponsor, and WORKERS=auto is no mistake', () => {
    expect(keysOf({ ...ledger, WORKERS: '4' })).toEqual([]);
    for (const env of [{}, several, real]) expect(parse({ ...env, WORKERS: 'auto' }).settings.WORKERS).toBe('auto');
  });
});

describe('lease keys', () => {
  const alone = { ...open, LEASE_KEYS: `${'a'.repeat(32)},${'b'.repeat(32)}` };

  test('are read in order, or from a file', () => {
    expect(parse(alone).settings.LEASE_KEYS?.map((key) => key.reveal()[0])).toEqual(['a', 'b']);
    expect(parse(open).settings.LEASE_KEYS).toBeNull();
  });

  test.each([
    ['REDIS_URL', { REDIS_URL: 'redis://localhost' }],
    ['REDIS_URL and WORKERS=2', { WORKERS: '2', REDIS_URL: 'redis://localhost' }],
  ])('are required with %s, because one process opens leases that another signed', (_, several) => {
    expect(mistakesOf({ ...open, ...several })).toEqual([
      {
        key: 'LEASE_KEYS',
        expected:
          'keys here or in LEASE_KEYS_FILE: with REDIS_URL and SPONSOR_AUTH=token, all instances and workers need the same ones',
        got: 'neither',
      },
    ]);
    expect(keysOf({ ...alone, ...several })).toEqual([]);
    const file = { '/leases': 'a'.repeat(32) };
    expect(keysOf({ ...open, ...several, LEASE_KEYS_FILE: '/leases' }, file)).toEqual([]);
    expect(keysOf({ ...real, ...several })).toEqual([]);
    expect(keysOf(several)).toEqual([]);
  });
});

describe('pages', () => {
  test('a lower maximum lowers the default', () => {
    expect(parse({ LIMIT_MAX_PAGE_SIZE: '10' }).pages).toEqual({ defaultSize: 10, maxSize: 10 });
  });

  test('a default above the maximum is a mistake', () => {
    expect(mistakesOf({ LIMIT_MAX_PAGE_SIZE: '1000', LIMIT_MAX_EVENT_CALLS: '39' })).toEqual([
      {
        key: 'LIMIT_MAX_EVENT_CALLS',
        expected: 'at least 40, the calls that one page of 1000 items (LIMIT_MAX_PAGE_SIZE) may take',
        got: '39',
      },
    ]);
    expect(mistakesOf({ LIMIT_MAX_PAGE_SIZE: '1000', LIMIT_MAX_EVENT_CALLS: '40' })).toEqual([]);
    expect(mistakesOf({ LIMIT_MAX_PAGE_SIZE: '10', LIMIT_DEFAULT_PAGE_SIZE: '11' })).toEqual([
      { key: 'LIMIT_DEFAULT_PAGE_SIZE', expected: 'at most 10, the value of LIMIT_MAX_PAGE_SIZE', got: '11' },
    ]);
  });
});

describe('trusted documents', () => {
  const hash = 'a'.repeat(64);
  const files = (path: string) =>
    path === '/clients' ? JSON.stringify([{ id: 'web', hash, documents: 'only' }]) : '{ "a": "{ a }" }';

  test('are read at the start', () => {
    const env = { TRUSTED_DOCUMENTS_FILE: '/documents', CLIENTS_FILE: '/clients' };
    const { trustedDocuments, clients } = parseConfig({ env, readFile: files });
    expect(trustedDocuments).toEqual([{ id: 'a', name: null, text: '{ a }' }]);
    expect(clients).toMatchObject({ clients: [{ documents: 'only' }] });
  });

  test('are needed by every policy about them', () => {
    const mistakes = ['CLIENTS_FILE.0.documents', 'TRUSTED_DOCUMENTS_POLICY'].map((key) => ({
      key,
      expected: 'TRUSTED_DOCUMENTS_FILE to be set too',
      got: 'no TRUSTED_DOCUMENTS_FILE',
    }));
    const env = { TRUSTED_DOCUMENTS_POLICY: 'only', CLIENTS_FILE: '/clients' };
    expect(() => parseConfig({ env, readFile: files })).toThrow(expect.objectContaining({ mistakes }));
  });
});

describe('JWTs', () => {
  const rules = {
    JWT_JWKS_URL: 'https://keys.example/jwks',
    JWT_ISSUER: 'https://issuer.example/',
    JWT_AUDIENCE: 'ledger',
  };

  test('are accepted with issuer, audience and key set configured', () => {
    expect(parse({}).jwt).toBeNull();
    expect(parse(rules).jwt).toEqual({
      keysUrl: rules.JWT_JWKS_URL,
      issuer: rules.JWT_ISSUER,
      audience: 'ledger',
      scopesClaim: null,
      gasPerDay: null,
      gasPerDayInAll: null,
      moveCalls: null,
    });
    const more = { JWT_SCOPES_CLAIM: 'roles', JWT_GAS_PER_DAY: '5000000000', JWT_MOVE_CALLS: '0x2::coin, 0x3' };
    expect(parse({ ...rules, ...more }).jwt).toMatchObject({
      scopesClaim: 'roles',
      gasPerDay: 5_000_000_000,
      moveCalls: [`0x${'2'.padStart(64, '0')}::coin`, `0x${'3'.padStart(64, '0')}`],
    });
  });

  test.each(Object.keys(rules))('are not accepted without %s', (left) => {
    const rest = Object.entries(rules).filter(([key]) => key !== left);
    expect(mistakesOf(Object.fromEntries(rest))).toEqual(
      rest.map(([key]) => ({ key, expected: `${left} to be set too`, got: `no ${left}` })),
    );
  });

  test.each(['JWT_SCOPES_CLAIM', 'JWT_GAS_PER_DAY', 'JWT_MOVE_CALLS'])('are a requirement of %s', (key) => {
    expect(mistakesOf({ [key]: key === 'JWT_MOVE_CALLS' ? '0x2' : '7' })).toEqual([
      { key, expected: 'JWT_JWKS_URL to be set too', got: 'no JWT_JWKS_URL' },
    ]);
  });

  test('are credentials: anonymous callers need no permission', () => {
    expect(parse({ ...held, ...rules }).sponsorship).toMatchObject({ auth: 'token', allowAnonymous: false });
  });
});

describe('callers', () => {
  const client = { id: 'web', hash: 'ab'.repeat(32), scopes: ['read', 'sponsor'] };
  const clients = { '/clients': JSON.stringify([client]) };

  test('API keys are credentials: anonymous callers need no permission', () => {
    const config = parse({ ...held, CLIENTS_FILE: '/clients' }, clients);
    expect(config.sponsorship).toMatchObject({ auth: 'token', allowAnonymous: false });
    expect(config.clients).toEqual(toClientsFile(toTestClient({ ...client, scopes: ['read', 'sponsor'] })));
  });

  test('anonymous callers beside them still need named origins', () => {
    const env = { ...held, CLIENTS_FILE: '/clients', SPONSOR_ALLOW_ANONYMOUS: 'true' };
    expect(() => parse(env, clients)).toThrow('CORS_ORIGINS');
    expect(parse({ ...env, CORS_ORIGINS: 'https://app.example' }, clients).sponsorship.allowAnonymous).toBe(true);
  });

  test('an unreadable clients file is one mistake, not a demand for anonymous callers', () => {
    expect(mistakesOf({ ...held, CLIENTS_FILE: '/missing' })).toEqual([
      { key: 'CLIENTS_FILE', expected: 'a path to a readable file', got: '"/missing", which cannot be read (ENOENT)' },
    ]);
  });

  test('mistakes in the clients file are listed with all others', () => {
    expect(keysOf({ PORT: '-1', CLIENTS_FILE: '/c' }, { '/c': '[{ "id": "A" }]' })).toEqual([
      'PORT',
      'CLIENTS_FILE.0.id',
      'CLIENTS_FILE.0.hash',
    ]);
  });

  test('limits, their weights, and the trusted proxies', () => {
    const env = { RATE_LIMIT_PER_MINUTE: '0', RATE_LIMIT_COST: 'usage', TRUSTED_PROXIES: '10.0.0.0/8, ::1' };
    expect(parse(env)).toMatchObject({
      settings: { RATE_LIMIT_PER_MINUTE: 0, RATE_LIMIT_COST: 'usage' },
      redis: null,
      trustedProxies: ['10.0.0.0/8', '::1'],
    });
  });

  test('the Redis URL is shown without its password', () => {
    const { redis } = parse({ REDIS_URL: 'redis://:hunter2@redis.example:6379/1', REDIS_SHARED_BY: '3' });
    expect(redis).toMatchObject({ sharedBy: 3 });
    expect(redis?.url.reveal()).toBe('redis://:hunter2@redis.example:6379/1');
    expect(JSON.stringify(redis)).not.toContain('hunter2');
  });

  test('a fleet without Redis is a mistake', () => {
    expect(keysOf({ REDIS_SHARED_BY: '3' })).toEqual(['REDIS_SHARED_BY']);
  });
});

describe('configuration file', () => {
  const file = (text: string, env: Env = {}) => [{ CONFIG_FILE: '/c', ...env }, { '/c': text }] as const;

  test.each([
    ['YAML', 'PORT: 4100\nGRAPHIQL: false\nCORS_ORIGINS:\n  - https://a.example\n  - https://b.example\nHOST:\n'],
    [
      'JSON',
      '{\n\t"PORT": 4100,\n\t"GRAPHIQL": false,\n\t"CORS_ORIGINS": ["https://a.example", "https://b.example"],\n\t"HOST": null\n}',
    ],
  ])('%s holds the same keys', (_, text) => {
    const config = parse(...file(text));
    expect(config).toMatchObject({
      port: 4100,
      settings: { GRAPHIQL: false, CORS_ORIGINS: ['https://a.example', 'https://b.example'] },
    });
  });

  test('the environment wins, unless it is empty', () => {
    expect(parse(...file('PORT: 4100', { PORT: '4200' })).port).toBe(4200);
    expect(parse(...file('PORT: 4100', { PORT: '' })).port).toBe(4100);
  });

  test('an empty file sets nothing', () => {
    const nothing = parse({});
    const settings = { ...nothing.settings, CONFIG_FILE: '/c' };
    expect(parse(...file('# nothing yet\n'))).toEqual({ ...nothing, settings });
  });

  test('a numeric token keeps all its digits', () => {
    expect(parse(...file('SPONSOR_TOKEN: 00123456789012345678901234567890')).sponsorship.token?.reveal()).toBe(
      '00123456789012345678901234567890',
    );
  });

  test('a variable that resembles a key is a mistake that names the key, unless it is empty', () => {
    const env = { LEDGER_GRAPHQL_ULR: 'http://ledger', RATE_LIMIT_PERMINUTE: '10', CORS_ORIGIN: ' ', REDIS_PORT: '1' };
    expect(mistakesOf(env)).toEqual([
      { key: 'LEDGER_GRAPHQL_ULR', expected: 'the name LEDGER_GRAPHQL_URL', got: 'a similar one' },
      { key: 'RATE_LIMIT_PERMINUTE', expected: 'the name RATE_LIMIT_PER_MINUTE', got: 'a similar one' },
    ]);
  });

  test.each(['METRICS_PORT', 'RATE_LIMIT_PORT'])('%s, which a cluster sets, is not taken for a key', (name) => {
    expect(mistakesOf({ [name]: 'tcp://10.96.0.7:80' })).toEqual([]);
    expect(mistakesOf({ [name]: 'udp://[fd00::7]:80' })).toEqual([]);
    expect(keysOf({ [name]: 'tcp://metrics' })).toEqual([name]);
  });

  test('an unknown key is a mistake that names the nearest key', () => {
    expect(mistakesOf(...file('sponsor-url: http://x\nPROT: 1\nzzz_unheard_of: 1'))).toEqual([
      {
        key: 'sponsor-url',
        expected: 'a known key; the nearest is SPONSOR_URL',
        got: 'an unknown one in the configuration file',
      },
      { key: 'PROT', expected: 'a known key; the nearest is PORT', got: 'an unknown one in the configuration file' },
      { key: 'zzz_unheard_of', expected: 'a known key', got: 'an unknown one in the configuration file' },
    ]);
  });

  test('a file cannot name another file', () => {
    expect(keysOf(...file('CONFIG_FILE: /d'))).toEqual(['CONFIG_FILE']);
  });

  test('a value of the wrong type is a mistake', () => {
    expect(mistakesOf(...file('PORT: [1]\nHOST: { a: 1 }'))).toEqual([
      { key: 'PORT', expected: 'an integer from 0 to 65535', got: 'a list' },
      { key: 'HOST', expected: 'an IP address or a host name', got: 'an object' },
    ]);
  });

  test('a missing file is one mistake, without consequences for missing keys', () => {
    expect(mistakesOf({ CONFIG_FILE: '/missing', SPONSOR_URL: 'http://s' })).toEqual([
      { key: 'CONFIG_FILE', expected: 'a path to a readable file', got: '"/missing", which cannot be read (ENOENT)' },
    ]);
  });

  test.each([
    'SPONSOR_TOKEN: "hunter2',
    'SPONSOR_TOKEN: hunter2\nSPONSOR_TOKEN: hunter3',
    '- hunter2',
    'hunter2',
    'PORT: *hunter2',
  ])('a file that is not an object is a mistake that does not quote it: %j', (text) => {
    const mistakes = mistakesOf(...file(text));
    expect(mistakes.map(({ key }) => key)).toEqual(['CONFIG_FILE']);
    expect(JSON.stringify(mistakes)).not.toContain('hunter');
  });
});

describe('wire names', () => {
  test('every built-in profile is valid', () => {
    for (const profile of Object.values(networkProfiles)) expect(parseNetworkProfile(profile, {})).toEqual({ profile });
  });

  test('those of a file are checked like those of the built-in profiles, every mistake with its key', () => {
    const of = (text: string) => mistakesOf({ NETWORK_PROFILE: '/p.yaml' }, { '/p.yaml': text });
    expect(parse({ NETWORK_PROFILE: '/p.json' }, { '/p.json': '{"extends":"sui","name":"other"}' }).profile).toEqual({
      ...networkProfiles.sui,
      name: 'other',
    });
    expect(of('extends: iota\nheaders: { version: X }\nevent: {}\nlimits: { code: A }')).toEqual([
      { key: 'NETWORK_PROFILE.headers.version', expected: 'a header name in lower case', got: '"X"' },
      { key: 'NETWORK_PROFILE.limits.code', expected: 'one of BAD_USER_INPUT, GRAPHQL_VALIDATION_FAILED', got: '"A"' },
      { key: 'NETWORK_PROFILE.event', expected: 'a name that a profile has', got: 'an unknown one' },
    ]);
    expect(of('extends: mango')).toEqual([
      { key: 'NETWORK_PROFILE.extends', expected: 'one of ledger, iota, sui, sui-legacy', got: '"mango"' },
    ]);
    expect(of('- a').map(({ key }) => key)).toEqual(['NETWORK_PROFILE']);
    expect(of('a: [').map(({ key }) => key)).toEqual(['NETWORK_PROFILE']);
    expect(mistakesOf({ NETWORK_PROFILE: '/none.yaml' }).map(({ key }) => key)).toEqual(['NETWORK_PROFILE']);
  });

  test('one can be overridden, in the environment or nested in the file', () => {
    const overrides = {
      headers: { version: 'x-my-rpc-version' },
      events: { filters: { package: 'Package', object: null } },
    };
    const expected = {
      ...networkProfiles.sui,
      headers: { ...networkProfiles.sui.headers, version: 'x-my-rpc-version' },
      events: {
        ...networkProfiles.sui.events,
        filters: { ...networkProfiles.sui.events.filters, package: 'Package', object: null },
      },
    };
    const env = { NETWORK_PROFILE: 'sui', PROFILE_OVERRIDES: JSON.stringify(overrides) };
    expect(parse(env).profile).toEqual(expected);
    const text = JSON.stringify({ NETWORK_PROFILE: 'sui', PROFILE_OVERRIDES: overrides });
    expect(parse({ CONFIG_FILE: '/c' }, { '/c': text }).profile).toEqual(expected);
  });

  test('a join’s root field is a name, or a list of alternatives', () => {
    const fieldOf = (field: unknown) => ({ PROFILE_OVERRIDES: JSON.stringify({ joins: { transaction: { field } } }) });
    for (const field of ['tx', ['transactionBlock', 'tx']])
      expect(parse(fieldOf(field)).profile.joins.transaction).toEqual({ field, id: 'digest' });
    for (const field of [7, [], 'a b', ['tx', 'a b'], null]) {
      const [mistake, ...others] = mistakesOf(fieldOf(field));
      expect(others).toEqual([]);
      expect(mistake?.key).toMatch(/^PROFILE_OVERRIDES\.joins\.transaction\.field/);
      expect(mistake?.expected).toMatch(/^a GraphQL name/);
    }
  });

  test('every unknown override is reported by its path', () => {
    const overrides =
      '{"header":{}, "headers":{"version":"X Y","__proto__":{"a":1}}, "events":{"filters":{"colour":"Red"},"timeRange":{"encoding":"hex","endExclusive":"no"}}, "joins":7}';
    expect(mistakesOf({ PROFILE_OVERRIDES: overrides })).toEqual(
      expect.arrayContaining([
        { key: 'PROFILE_OVERRIDES.header', expected: 'a name that a profile has', got: 'an unknown one' },
        { key: 'PROFILE_OVERRIDES.headers.__proto__', expected: 'a name that a profile has', got: 'an unknown one' },
        { key: 'PROFILE_OVERRIDES.headers.version', expected: 'a header name in lower case', got: '"X Y"' },
        {
          key: 'PROFILE_OVERRIDES.events.filters.colour',
          expected: 'a name that a profile has',
          got: 'an unknown one',
        },
        { key: 'PROFILE_OVERRIDES.events.timeRange.encoding', expected: 'one of number, text', got: '"hex"' },
        { key: 'PROFILE_OVERRIDES.events.timeRange.endExclusive', expected: 'true or false', got: '"no"' },
        { key: 'PROFILE_OVERRIDES.joins', expected: 'an object', got: '"7"' },
      ]),
    );
  });

  test('overrides that are not a JSON object are a mistake', () => {
    expect(keysOf({ PROFILE_OVERRIDES: '[1]' })).toEqual(['PROFILE_OVERRIDES']);
    expect(keysOf({ PROFILE_OVERRIDES: '{' })).toEqual(['PROFILE_OVERRIDES']);
  });
});

test('the error message has one line per mistake', () => {
  const error = (() => {
    try {
      return parse({ PORT: '65536', HOST: 'a b' });
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(error).toBeInstanceOf(ConfigError);
  expect((error as ConfigError).message).toBe(
    'HOST: expected an IP address or a host name, got "a b"\nPORT: expected an integer from 0 to 65535, got "65536"',
  );
});

describe('SPONSOR_PREFLIGHT', () => {
  const remote = { LEDGER_GRAPHQL_URL: 'http://ledger.example/graphql', SPONSOR_URL: 'http://sponsor.example' };
  test.each([
    [
      'is refused where the gateway holds the token',
      { SPONSOR_TOKEN: 't', SPONSOR_ALLOW_ANONYMOUS: 'true', CORS_ORIGINS: 'https://app.example' },
      'enforce',
    ],
    ['is told where callers hold it', {}, 'warn'],
    ['is what is configured', { SPONSOR_PREFLIGHT: 'off' }, 'off'],
  ])('%s', (_what, environment, expected) => {
    expect(parse({ ...remote, ...environment }).sponsorship.preflight).toBe(expected);
  });
});
