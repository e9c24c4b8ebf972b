import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConfigError } from '../../../src/config/config-error.ts';
import type { ConfigSource } from '../../../src/config/config-source.ts';
import { configKeyNames, configKeys } from '../../../src/config/keys.ts';
import { parseConfig } from '../../../src/config/parse-config.ts';
import { parseText } from '../../../src/config/value-types.ts';

const secret = 'hunter2-never-shown';

/** A value that each key must refuse, and how it is spelled. Keys left out accept any text. */
const badValues: Partial<Record<keyof typeof configKeys, readonly string[]>> = {
  HOST: ['a b', 'http://x', '-'],
  PORT: ['-1', '65536', '1.5', '0x10', '08', 'http', '9'.repeat(40)],
  NETWORK_PROFILE: ['Ledger', 'bitcoin', '__proto__'],
  PROFILE_OVERRIDES: ['{', '[]', '"x"', 'null'],
  LEDGER_GRAPHQL_URL: ['ledger.example', 'ws://x', 'http://', 'http://x/#f', `${secret}:x@host`, `ftp://u:${secret}@h`],
  LEDGER_RPC_URL: ['localhost:9000', 'wss://x', `http://u:${secret}@h/#f`, `http://u:${secret}@a b`],
  LEDGER_RPC_WS_URL: ['http://x', `ws://h/#${secret}`],
  SPONSOR_URL: ['//x', 'file:///etc/passwd', `http://u:${secret}@h/?k=${secret}#f`],
  SPONSOR_AUTH: ['Token', 'none'],
  SPONSOR_TOKEN: [`Bearer ${secret}`, `${secret}\u00e9`, `${secret}\nx`],
  SPONSOR_TOKEN_FILE: [`/missing/${secret}`, '/throws'],
  SPONSOR_ALLOW_ANONYMOUS: ['yes', '1', 'constructor'],
  SPONSOR_MAX_GAS_BUDGET: ['0', '1', '9007199254740992', '1e9'],
  SPONSOR_PREFLIGHT: ['on'],
  LEASE_KEYS: [secret, `${'k'.repeat(32)},${secret}`],
  LEASE_KEYS_FILE: [`/missing/${secret}`],
  CURSOR_KEYS: [secret, `${'k'.repeat(32)},${secret}`],
  CURSOR_KEYS_FILE: [`/missing/${secret}`],
  CORS_ORIGINS: ['*,*', 'app.example', 'https://a.example/path', 'https://a.example,', 'null'],
  TRUSTED_PROXIES: ['10.0.0.0/33', '::/129', '10.0.0', 'localhost', '10.0.0.0/8,', '10.0.0.0/8/8'],
  GRAPHIQL: ['on', 'toString'],
  INTROSPECTION: ['0'],
  CLIENTS_FILE: ['/missing/clients', '/throws'],
  JWT_JWKS_URL: ['keys.example', 'https://x/#f', `https://u:${secret}@h/keys`],
  JWT_GAS_PER_DAY: ['0', '1.5', 'much'],
  JWT_MOVE_CALLS: ['0x2,', '2::coin', '0x2::a::b::c'],
  COMPRESSION: ['deflate', 'br;gzip', 'off,br'],
  TRUSTED_DOCUMENTS_POLICY: ['deny', 'ONLY'],
  AUTOMATIC_PERSISTED_QUERIES: ['yes'],
  TRUSTED_DOCUMENTS_FILE: ['/missing/documents', '/throws'],
  REDIS_URL: ['http://x', `redis://:${secret}@h/#f`],
  REDIS_SHARED_BY: ['0', 'all'],
  RATE_LIMIT_PER_MINUTE: ['-1', 'many'],
  RATE_LIMIT_COST: ['points'],
  LIMIT_MAX_QUERY_DEPTH: ['0'],
  LIMIT_MAX_QUERY_NODES: ['0'],
  LIMIT_MAX_OUTPUT_NODES: ['2147483648'],
  LIMIT_MAX_QUERY_PAYLOAD_SIZE: ['5kB'],
  LIMIT_MAX_TRANSACTION_PAYLOAD_SIZE: ['1000001'],
  LIMIT_DEFAULT_PAGE_SIZE: ['0', '1001'],
  LIMIT_MAX_PAGE_SIZE: ['0'],
  LIMIT_MAX_EVENT_CALLS: ['20', '10001', 'many'],
  REQUEST_TIMEOUT_MS: ['0', '15s', '600001'],
  MUTATION_TIMEOUT_MS: ['0'],
  BATCH_MAX: ['-1', '101'],
  METRICS_PORT: ['65536'],
  LOG_LEVEL: ['verbose', 'INFO'],
  WORKERS: ['0', 'all', '257'],
  SCHEMA_POLL_MS: ['-1', '86400001'],
  IMMUTABLE_CACHE_BYTES: ['-1', '32MB', '4294967297'],
  IMMUTABLE_CACHE_SECONDS: ['0', '604801'],
  LIVE_SOURCE: ['push'],
};

const badEntries = Object.entries(badValues).flatMap(([key, values]) => values.map((value) => [key, value] as const));

/** Every reading of a file fails, in one way or another. */
const readFile: ConfigSource['readFile'] = (path) => {
  if (path === '/throws') throw 'not even an error';
  throw Object.assign(new Error(`ENOENT: no such file, open '${path}'`), { code: 'ENOENT' });
};

function mistakesOf(env: ConfigSource['env'], read = readFile) {
  try {
    parseConfig({ env, readFile: read });
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).mistakes;
  }
}

test.each(badEntries)('%s rejects %j', (key, value) => {
  expect(mistakesOf({ [key]: value }).map((mistake) => mistake.key)).toContain(key);
});

test('any mixture of bad values is reported completely, each key once, without secrets', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.constantFrom(...badEntries), { minLength: 1, selector: ([key]) => key }),
      (entries) => {
        const mistakes = mistakesOf(Object.fromEntries(entries));
        const keys = mistakes.map(({ key }) => key);
        // A secret given twice is told under the key of the file; the file is not opened then.
        const expected = entries
          .map(([key]) => key)
          .filter((key) => !key.endsWith('_FILE') || !keys.includes(key.slice(0, -5)));
        expect(keys).toEqual(expect.arrayContaining(expected));
        expect(new Set(keys).size).toBe(keys.length);
        expect(JSON.stringify(mistakes)).not.toContain(secret);
      },
    ),
  );
});

test('any environment gives a configuration or a list of known keys', () => {
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.ipV6(), fc.json(), fc.integer().map(String));
  const env = fc.dictionary(fc.constantFrom(...configKeyNames), value);
  fc.assert(
    fc.property(env, value, (settings, file) => {
      for (const { key, expected, got } of mistakesOf(settings, () => file)) {
        const [name = ''] = key.split('.');
        expect(configKeyNames.includes(name) || settings.CONFIG_FILE !== undefined).toBe(true);
        expect(`${expected}${got}`).toMatch(/^[^\n\r]+$/);
      }
    }),
  );
});

test('any configuration file: a mistake in it does not quote a token', () => {
  const wrap = fc.constantFrom<(text: string) => string>(
    (text) => `SPONSOR_TOKEN: ${text}`,
    (text) => `{"SPONSOR_TOKEN": "${text}"`,
    (text) => `SPONSOR_TOKEN: "${text} two words"`,
    (text) => `SPONSOR_TOKEN: [${text}]`,
    (text) => `SPONSOR_TOKEN: {a: ${text}}`,
    (text) => `- ${text}`,
  );
  const noise = fc.constantFrom('', '\n\t:', '\n  - x', '"', '\n*a', '\n? [', '\nPORT: x', '\n---\n', '#');
  fc.assert(
    fc.property(wrap, noise, noise, (write, before, after) => {
      const mistakes = mistakesOf({ CONFIG_FILE: '/c' }, () => `${before}\n${write(secret)}${after}`);
      expect(JSON.stringify(mistakes)).not.toContain(secret);
    }),
  );
});

test('every integer in the range is accepted unchanged, every other is rejected', () => {
  fc.assert(
    fc.property(fc.integer({ min: -10, max: 70_000 }), (port) => {
      const fits = port >= 0 && port <= 65_535;
      expect(parseText(configKeys.PORT.type, String(port))).toBe(fits ? port : undefined);
    }),
  );
});

test('origins are normalized as browsers send them', () => {
  const parse = (text: string) => parseText(configKeys.CORS_ORIGINS.type, text);
  expect(parse('https://App.Example:443, http://localhost:3000,capacitor://localhost,https://app.example')).toEqual([
    'https://app.example',
    'http://localhost:3000',
    'capacitor://localhost',
  ]);
  expect(parse('*')).toBe('*');
});
