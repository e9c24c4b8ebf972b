import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { startWorkerPool, type WorkerPool } from '../../src/start/workers/worker-pool.ts';
import { createWorkerProcesses } from '../../src/start/workers/worker-processes.ts';
import type { WorkerLoss } from '../../src/telemetry/events.ts';
import { builtProgram } from '../support/built-program.ts';
import { runCli } from '../support/run-cli.ts';
import { startScriptedLedger } from '../support/scripted-ledger.ts';
import { until } from '../support/until.ts';

// The worker program.
builtProgram();

const program = fileURLToPath(new URL('../support/beating-worker.mjs', import.meta.url));

interface Whole {
  readonly pool: WorkerPool;
  readonly losses: WorkerLoss[];
  /** Messages of the workers about the schema. */
  readonly said: string[];
  /** Process ids, in the order in which they served. */
  readonly serving: number[];
}

/** Two workers, the first of which runs `act`. */
async function withWorkers(act: string | null, use: (whole: Whole) => Promise<void>): Promise<void> {
  const losses: WorkerLoss[] = [];
  const said: string[] = [];
  const serving: number[] = [];
  const dir = await mkdtemp(join(tmpdir(), 'ledger-gateway-'));
  const pool = startWorkerPool({
    count: 2,
    // Ten missed heartbeats are tolerated: enough for a busy machine to run the other worker.
    beginning: () => ({
      shared: { workers: 2, network: null, secret: 's' },
      port: 1,
      cursorKeys: null,
      files: {},
      heartbeatMs: 200,
    }),
    startProcess: createWorkerProcesses(program, act === null ? [] : [act, join(dir, 'first')]),
    now: () => performance.now(),
    startWithinMs: act === 'hang' ? 4_000 : 60_000,
    endWithinMs: 10_000,
    maxRssBytes: Number.POSITIVE_INFINITY,
    drainMs: 0,
    events: {
      grown: () => {},
      lost: (loss) => losses.push(loss),
      cut: (pids) => expect(pids).toEqual([]),
      serves: (pid) => serving.push(pid),
      schemaReplaced: (schema) => said.push(schema),
      metricsRequested: () => {},
    },
  });
  try {
    await use({ pool, losses, said, serving });
  } finally {
    await pool.stop();
    await rm(dir, { recursive: true });
  }
}

const replaced = ({ pool, losses }: Whole) =>
  until(() => losses.length > 0 && pool.serving().length === 2, 'another in its place', 60_000);

test('a stopped worker, which neither exits nor responds, is killed and replaced; the other continues', () =>
  withWorkers(null, async (whole) => {
    const { pool, losses, serving } = whole;
    await Promise.race([pool.complete, pool.failed]);
    const [frozen = 0, other = 0] = serving;
    process.kill(frozen, 'SIGSTOP');
    await replaced(whole);
    expect(losses).toMatchObject([{ worker: frozen, signal: 'SIGKILL' }]);
    expect(losses[0]?.reason).toMatch(/^it was killed: no sign of life for \d+ ms$/);
    const pids = pool.serving().map(({ pid }) => pid);
    expect(pids).toContain(other);
    expect(pids).not.toContain(frozen);
  }));

// Other systems do not report a process's CPU time.
describe.runIf(process.platform === 'linux')('a busy worker', () => {
  test('is not killed if it is silent for more than ten heartbeats and then continues', () =>
    withWorkers('busy', async ({ losses, said }) => {
      await until(() => said.length + losses.length > 0, 'it has computed, or is lost');
      expect([said, losses]).toEqual([['computed'], []]);
    }));

  test('is killed after thirty heartbeats', () =>
    withWorkers('loop', async (whole) => {
      await replaced(whole);
      expect(whole.losses).toMatchObject([{ signal: 'SIGKILL' }]);
      const silentMs = Number(/no sign of life for (\d+) ms/.exec(whole.losses[0]?.reason ?? '')?.[1]);
      expect(silentMs).toBe(31 * 200);
    }));
});

test('a worker that hangs at its start is killed and replaced, even if it sends heartbeats', () =>
  withWorkers('hang', async (whole) => {
    await replaced(whole);
    expect(whole.losses).toMatchObject([
      { signal: 'SIGKILL', reason: 'it was killed: it did not serve within 4000 ms' },
    ]);
    expect(whole.serving).toHaveLength(2);
  }));

/** Sends a query on a connection of its own. @returns the status and the response, or the error */
const ask = (url: string) =>
  new Promise<string>((resolve) => {
    const headers = { 'content-type': 'application/json' };
    request(url, { method: 'POST', agent: false, headers }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      res.on('error', (error) => resolve(String(error)));
      res.on('end', () => resolve(`${res.statusCode} ${text}`));
    })
      .on('error', (error) => resolve(String(error)))
      .end('{"query":"{ chainIdentifier }"}');
  });

test('workers above WORKER_MAX_RSS_BYTES are replaced one after another, and no request fails', async () => {
  const ledger = await startScriptedLedger('type Query { chainIdentifier: String! }', {
    Query: { chainIdentifier: () => 'c1' },
  });
  const cli = runCli(['serve'], {
    ...{ WORKERS: '2', PORT: '0', HOST: '127.0.0.1', LEDGER_GRAPHQL_URL: ledger.url },
    // Below the memory of any worker.
    ...{ WORKER_MAX_RSS_BYTES: String(64 * 1024 * 1024), DRAIN_MS: '500', RATE_LIMIT_PER_MINUTE: '0' },
  });
  try {
    const [, url = ''] = await cli.waitFor(/"url":"(http:[^"]+)"[^\n]*"msg":"ready"/);
    const answers = new Set<string>();
    let isOver = false;
    const load = async () => {
      while (!isOver) answers.add(await ask(url));
    };
    const loads = [load(), load(), load(), load()];
    const count = (text: string) => cli.out().split(text).length - 1;
    await until(() => count('"msg":"worker stopped"') >= 2, 'two workers to be replaced', 240_000, 100);
    isOver = true;
    await Promise.all(loads);
    expect([...answers]).toEqual(['200 {"data":{"chainIdentifier":"c1"}}']);
    expect(count('"msg":"a new worker serves"')).toBeGreaterThanOrEqual(2);
    expect(count('"msg":"a worker uses too much memory; starting a replacement before it stops"')).toBeGreaterThan(1);
    expect(count('"msg":"a worker exited')).toBe(0);
    const page = await (await fetch(new URL('/metrics', url))).text();
    expect(page).toMatch(/^ledger_gateway_worker_memory_replacements_total [2-9]\d*$/m);
    cli.child.kill('SIGTERM');
    expect(await cli.ended).toBe(0);
  } finally {
    cli.child.kill('SIGKILL');
    await ledger.close();
  }
}, 300_000);
