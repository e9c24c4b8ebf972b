import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withKeptState } from '../../../src/cli/kept-state.ts';
import { readConfig } from '../../../src/start/read-config.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cursor-key-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const ledger = { LEDGER_GRAPHQL_URL: 'http://127.0.0.1:9/graphql' };
const pathIn = (state: string) => join(state, 'ledger-gateway/cursor-key');

/** The keys of a gateway with this environment, and what it logs. */
function keysOf(env: Record<string, string>, source: (count: number) => Uint8Array = randomBytes) {
  const log: Record<string, unknown>[] = [];
  const logger = createLogger({ level: 'info', destination: { write: (line) => void log.push(JSON.parse(line)) } });
  const config = readConfig({ env, readFile: () => '' });
  const { cursorKeys } = withKeptState(config, { env, randomBytes: source }, logger);
  return { keys: cursorKeys?.map((key) => key.reveal()) ?? null, log };
}

test('keeps one key, for its owner only', () => {
  const first = keysOf({ ...ledger, HOME: home });
  const path = pathIn(join(home, '.local/state'));
  expect(first.log).toMatchObject([{ level: 'info', path }]);
  expect(keysOf({ ...ledger, HOME: home })).toMatchObject({ keys: first.keys });
  expect(first.keys?.map((key) => Buffer.from(key, 'base64url').length)).toEqual([32]);
  expect([path, dirname(path)].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o700]);
  expect(readdirSync(dirname(path))).toEqual(['cursor-key']);
});

test('prefers the folder of the service manager, then that of the user', () => {
  const [own, state] = [join(home, 'own'), join(home, 'state')];
  keysOf({ ...ledger, STATE_DIRECTORY: `${own}:${home}/other`, XDG_STATE_HOME: state, HOME: home });
  expect(readdirSync(home)).toEqual(['own']);
  expect(readdirSync(own)).toEqual(['cursor-key']);
  keysOf({ ...ledger, XDG_STATE_HOME: state, HOME: home });
  expect(readFileSync(pathIn(state), 'utf8')).toMatch(/^[\w-]{43}\n$/);
});

test('adopts the key of a process that starts at the same time', () => {
  const env = { ...ledger, HOME: home };
  let other: string[] | null = null;
  const late = keysOf(env, (count) => {
    other ??= keysOf(env).keys;
    return randomBytes(count);
  });
  expect(late.keys).toEqual(other);
  expect(readdirSync(dirname(pathIn(join(home, '.local/state'))))).toEqual(['cursor-key']);
});

test.each([
  ['a file that other users may read', 'k'.repeat(32), 0o640, 'other users may read or write it'],
  ['a file that other users may write', 'k'.repeat(32), 0o602, 'other users may read or write it'],
  ['a short key', 'k'.repeat(31), 0o600, 'it does not hold signing keys'],
  ['an empty file', '', 0o600, 'it does not hold signing keys'],
])('rejects %s and says why', (_, text, mode, reason) => {
  const path = pathIn(home);
  mkdirSync(dirname(path));
  writeFileSync(path, text);
  chmodSync(path, mode);
  const { keys, log } = keysOf({ ...ledger, XDG_STATE_HOME: home });
  expect(keys).toBeNull();
  expect(log).toMatchObject([{ level: 'warn', path, reason: expect.stringContaining(reason) }]);
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test.each([
  ['a key of its own', { ...ledger, CURSOR_KEYS: 'c'.repeat(32) }],
  ['lease keys', { ...ledger, LEASE_KEYS: 'l'.repeat(32) }],
  ['Redis', { ...ledger, REDIS_URL: 'redis://localhost' }],
  ['a simulated ledger', {}],
])('keeps no key for a gateway with %s', (_, env) => {
  const { keys, log } = keysOf({ ...env, HOME: home });
  expect(keys).toEqual('CURSOR_KEYS' in env ? ['c'.repeat(32)] : 'LEASE_KEYS' in env ? ['l'.repeat(32)] : null);
  expect(log).toEqual([]);
  expect(readdirSync(home)).toEqual([]);
});

test.each([{}, { HOME: '' }, { HOME: 'relative' }])('keeps no key without an absolute folder: %j', (env) => {
  expect(keysOf({ ...ledger, ...env })).toEqual({ keys: null, log: [] });
});

/** The sponsorship of a gateway with this environment, and what it logs. */
function sponsorshipOf(env: Record<string, string>) {
  const log: Record<string, unknown>[] = [];
  const logger = createLogger({ level: 'info', destination: { write: (line) => void log.push(JSON.parse(line)) } });
  const config = readConfig({ env: { CURSOR_KEYS: 'k'.repeat(32), ...env }, readFile: () => '' });
  const { sponsorship, settings } = withKeptState(config, { env, randomBytes }, logger);
  return { journal: sponsorship.journal, keys: settings.LEASE_KEYS?.map((key) => key.reveal()), log };
}

const sponsored = { ...ledger, SPONSOR_URL: 'http://127.0.0.1:9' };
const token = {
  ...sponsored,
  SPONSOR_TOKEN: 'a-token',
  SPONSOR_ALLOW_ANONYMOUS: 'true',
  CORS_ORIGINS: 'https://a.example',
};

test('keeps a journal for a real sponsor, and in token mode a key for its leases', () => {
  const first = sponsorshipOf({ ...token, STATE_DIRECTORY: home });
  expect(first).toMatchObject({ journal: join(home, 'sponsorship'), keys: [expect.any(String)] });
  expect(sponsorshipOf({ ...token, STATE_DIRECTORY: home }).keys).toEqual(first.keys);
  const own = { LEASE_KEYS: 'l'.repeat(32) };
  expect(sponsorshipOf({ ...token, ...own, STATE_DIRECTORY: home }).keys).toEqual([own.LEASE_KEYS]);
  const forward = sponsorshipOf({ ...sponsored, STATE_DIRECTORY: join(home, 'other') });
  expect(forward).toMatchObject({ journal: join(home, 'other/sponsorship'), keys: undefined });
});

test('keeps no journal on the embedded network, without a sponsor, with Redis, or if it is turned off', () => {
  const redis = { REDIS_URL: 'redis://127.0.0.1:1', LEASE_KEYS: 'l'.repeat(32) };
  for (const env of [{}, ledger, { ...token, ...redis }, { ...token, SPONSORSHIP_JOURNAL: 'false' }])
    expect(sponsorshipOf({ ...env, STATE_DIRECTORY: home })).toMatchObject({ journal: null, log: [] });
  const told = sponsorshipOf(token);
  expect(told).toMatchObject({
    journal: null,
    log: [{ level: 'warn', msg: expect.stringContaining('STATE_DIRECTORY') }],
  });
});

test('a lease key that cannot be used is reported, and the store says the same', () => {
  writeFileSync(join(home, 'lease-key'), 'k', { mode: 0o600 });
  const { journal, keys, log } = sponsorshipOf({ ...token, STATE_DIRECTORY: home });
  expect([journal, keys]).toEqual([join(home, 'sponsorship'), undefined]);
  expect(log.at(-1)).toMatchObject({ level: 'warn', msg: 'the lease key file cannot be used' });
});
