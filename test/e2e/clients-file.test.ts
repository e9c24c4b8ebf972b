import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashApiKey, toApiKey } from '../../src/config/client.ts';
import { type RunningCli, runCli } from '../support/run-cli.ts';
import { type ScriptedLedger, startScriptedLedger } from '../support/scripted-ledger.ts';
import { until } from '../support/until.ts';

const keyOf = (id: string, number: number) => toApiKey(id, new Uint8Array(32).fill(number)).reveal();
const keys = { app: keyOf('app', 1), ops: keyOf('ops', 2) };
const entry = (id: string, key: string) => ({ id, hash: hashApiKey(key), scopes: ['read'] });
const app = entry('app', keys.app);
const ops = entry('ops', keys.ops);

describe('the clients file of two workers', () => {
  let folder = '';
  let file = '';
  let ledger: ScriptedLedger;
  let cli: RunningCli;
  let url = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clients-'));
    file = join(folder, 'clients.json');
    await writeFile(file, JSON.stringify([app]));
    ledger = await startScriptedLedger('type Query { chainIdentifier: String! }');
    const env = { WORKERS: '2', PORT: '0', CLIENTS_FILE: file, RATE_LIMIT_PER_MINUTE: '0' };
    cli = runCli(['serve'], { ...env, LEDGER_GRAPHQL_URL: ledger.url });
    [, url = ''] = await cli.waitFor(/"url":"(http:[^"]+)"[^\n]*"msg":"ready"/);
  });
  afterAll(async () => {
    cli?.child.kill('SIGKILL');
    await ledger?.close();
    await rm(folder, { recursive: true });
  });

  /** On a connection of its own, so that any of the workers may have to answer. */
  const status = async (key: string) => {
    const headers = { 'content-type': 'application/json', connection: 'close', 'x-api-key': key };
    const response = await fetch(url, { method: 'POST', headers, body: '{"query":"{ viewer { id } }"}' });
    await response.text();
    return response.status;
  };
  /** What several connections are answered, sorted. */
  const statuses = async (key: string) => {
    const all = await Promise.all(Array.from({ length: 8 }, () => status(key)));
    return [...new Set(all)].sort();
  };
  const linesOf = (message: string) =>
    cli
      .out()
      .split('\n')
      .filter((line) => line.includes(message))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const readAgain = () => linesOf('clients file reloaded');
  const refused = () => linesOf('clients file rejected');

  /** As careful programs replace a file. */
  const put = async (text: string) => {
    await writeFile(`${file}~`, text);
    await rename(`${file}~`, file);
  };

  test('is taken from the disk when it has changed, in each process, and said once', async () => {
    expect([await statuses(keys.app), await statuses(keys.ops)]).toEqual([[200], [401]]);
    await put(JSON.stringify([ops]));
    await until(() => readAgain().length > 0, 'the file to be read again');
    await until(async () => (await statuses(keys.ops)).join() === '200', 'the new key to be known everywhere');
    expect(await statuses(keys.app)).toEqual([401]);
    expect(readAgain()).toMatchObject([{ added: ['ops'], removed: ['app'], changed: [], clients: 1 }]);
  });

  test('is refused where it has mistakes: all of them are logged, and everything stays as it was', async () => {
    await put('- { id: Bad, hash: 7 }');
    cli.child.kill('SIGHUP');
    await until(() => refused().length > 0, 'the refusal');
    const [{ mistakes } = {}] = refused();
    expect(mistakes).toEqual([
      expect.stringMatching(/^CLIENTS_FILE.0.id: /),
      expect.stringMatching(/^CLIENTS_FILE.0.hash: /),
    ]);
    expect([await statuses(keys.ops), await statuses(keys.app)]).toEqual([[200], [401]]);
  });

  test('is, for a worker that is started later, what is in force and not what was', async () => {
    const pids = new Set(linesOf('"msg":"request"').map(({ pid }) => pid));
    const first = Number([...pids][0]);
    process.kill(first, 'SIGKILL');
    await until(() => linesOf('a new worker serves').length > 0, 'another worker');
    expect([await statuses(keys.ops), await statuses(keys.app)]).toEqual([[200], [401]]);
  });

  test('is read at once when the process is told to', async () => {
    const before = readAgain().length;
    await put(JSON.stringify([app, ops]));
    cli.child.kill('SIGHUP');
    await until(() => readAgain().length > before, 'the file to be read again');
    await until(async () => (await statuses(keys.app)).join() === '200', 'the key to be known everywhere');
    // Whoever asks is told, even if nothing changed; what was found by looking is not told again.
    cli.child.kill('SIGHUP');
    await until(() => readAgain().length > before + 1, 'the answer to that');
    expect(readAgain().at(-1)).toMatchObject({ added: [], removed: [], changed: [], clients: 2 });
    expect(cli.child.exitCode).toBeNull();
    const log = cli.out();
    for (const secret of [keys.app, keys.ops, app.hash, ops.hash]) expect(log).not.toContain(secret);
  });
});
