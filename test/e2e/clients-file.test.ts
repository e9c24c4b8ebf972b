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
  let documents = '';
  let ledger: ScriptedLedger;
  let cli: RunningCli;
  let url = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clients-'));
    file = join(folder, 'clients.json');
    await writeFile(file, JSON.stringify([app]));
    documents = join(folder, 'documents.json');
    await writeFile(documents, JSON.stringify({ first: '{ viewer { id } }' }));
    ledger = await startScriptedLedger('type Query { chainIdentifier: String! }');
    const env = {
      WORKERS: '2',
      PORT: '0',
      CLIENTS_FILE: file,
      TRUSTED_DOCUMENTS_FILE: documents,
      RATE_LIMIT_PER_MINUTE: '0',
    };
    cli = runCli(['serve'], { ...env, LEDGER_GRAPHQL_URL: ledger.url });
    [, url = ''] = await cli.waitFor(/"url":"(http:[^"]+)"[^\n]*"msg":"ready"/);
  });
  afterAll(async () => {
    cli?.child.kill('SIGKILL');
    await ledger?.close();
    await rm(folder, { recursive: true });
  });

  /** On a new connection, so that any worker may serve it. */
  const status = async (key: string) => {
    const headers = { 'content-type': 'application/json', connection: 'close', 'x-api-key': key };
    const response = await fetch(url, { method: 'POST', headers, body: '{"query":"{ viewer { id } }"}' });
    await response.text();
    return response.status;
  };
  /** The responses on several connections, sorted. */
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

  /** Replaces the file atomically, as careful programs do. */
  const put = async (text: string, path = file) => {
    await writeFile(`${path}~`, text);
    await rename(`${path}~`, path);
  };

  test('is read again after a change, in each process, and the change is logged once', async () => {
    expect([await statuses(keys.app), await statuses(keys.ops)]).toEqual([[200], [401]]);
    await put(JSON.stringify([ops]));
    await until(() => readAgain().length > 0, 'the file to be read again');
    await until(async () => (await statuses(keys.ops)).join() === '200', 'the new key to be known everywhere');
    expect(await statuses(keys.app)).toEqual([401]);
    expect(readAgain()).toMatchObject([{ added: ['ops'], removed: ['app'], changed: [], clients: 1 }]);
  });

  test('is rejected if it has mistakes: all are logged, and the previous clients stay', async () => {
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

  test('gives a worker that starts later the clients in force, not the newest file', async () => {
    const pids = new Set(linesOf('"msg":"request"').map(({ pid }) => pid));
    const first = Number([...pids][0]);
    process.kill(first, 'SIGKILL');
    await until(() => linesOf('a new worker serves').length > 0, 'another worker');
    expect([await statuses(keys.ops), await statuses(keys.app)]).toEqual([[200], [401]]);
  });

  test('has trusted documents beside it, whose changes reach each process', async () => {
    /** Results by id on several connections, sorted. */
    const answers = async (documentId: string) => {
      const headers = { 'content-type': 'application/json', connection: 'close', 'x-api-key': keys.ops };
      const init = { method: 'POST', headers, body: JSON.stringify({ documentId }) };
      const texts = Array.from({ length: 8 }, async () => (await (await fetch(url, init)).json()) as object);
      return [...new Set((await Promise.all(texts)).flatMap((each) => Object.keys(each)))];
    };
    expect([await answers('first'), await answers('second')]).toEqual([['data'], ['errors']]);
    await put(JSON.stringify({ second: '{ viewer { kind } }' }), documents);
    await until(async () => (await answers('second')).join() === 'data', 'the new document to be known everywhere');
    expect(await answers('first')).toEqual(['errors']);
    // SIGHUP logs a result even if nothing changed.
    const changes = () => linesOf('trusted documents reloaded').filter(({ added }) => added !== 0);
    expect(changes()).toMatchObject([{ added: 1, removed: 1, documents: 1 }]);
  });

  test('is read immediately on SIGHUP', async () => {
    const before = readAgain().length;
    await put(JSON.stringify([app, ops]));
    cli.child.kill('SIGHUP');
    await until(() => readAgain().length > before, 'the file to be read again');
    await until(async () => (await statuses(keys.app)).join() === '200', 'the key to be known everywhere');
    // SIGHUP logs a result even if nothing changed; a polled change is logged once.
    cli.child.kill('SIGHUP');
    await until(() => readAgain().length > before + 1, 'the answer to that');
    expect(readAgain().at(-1)).toMatchObject({ added: [], removed: [], changed: [], clients: 2 });
    expect(cli.child.exitCode).toBeNull();
    const log = cli.out();
    for (const secret of [keys.app, keys.ops, app.hash, ops.hash]) expect(log).not.toContain(secret);
  });
});
