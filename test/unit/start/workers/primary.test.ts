import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseConfig } from '../../../../src/config/parse-config.ts';
import { startWorkers, toEndWithinMs } from '../../../../src/start/workers/primary.ts';
import { createTelemetry } from '../../../../src/telemetry/events.ts';
import { createLogger } from '../../../../src/telemetry/logger.ts';
import { Metrics } from '../../../../src/telemetry/metrics.ts';
import { until } from '../../../support/until.ts';
import { facts, Puppet } from '../../../support/worker-puppets.ts';

test('workers get the time for which a sent mutation may run on, or the longest query timeout', () => {
  expect(toEndWithinMs({ queryMs: 15_000, mutationMs: 30_000 })).toBe(66_000);
  expect(toEndWithinMs({ queryMs: 90_000, mutationMs: 30_000 })).toBe(96_000);
});

describe('the primary of two workers', () => {
  const oneClient = `- { id: one, hash: ${'a'.repeat(64)} }`;
  let folder: string;
  let clientsFile: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'primary-'));
    clientsFile = join(folder, 'clients.yaml');
    writeFileSync(clientsFile, oneClient);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Starts it with processes that do what a test tells them to do. */
  async function begin(env: Readonly<Record<string, string>> = {}) {
    const started: Puppet[] = [];
    const lines: Record<string, unknown>[] = [];
    const metrics = new Metrics();
    const config = parseConfig({
      env: { PORT: '0', CLIENTS_FILE: clientsFile, ...env },
      readFile: (path) => readFileSync(path, 'utf8'),
    });
    const network = { closes: 0 };
    const starting = startWorkers({
      config,
      count: 2,
      files: { [clientsFile]: oneClient },
      secret: 's',
      telemetry: createTelemetry(
        createLogger({ level: 'info', destination: { write: (line) => void lines.push(JSON.parse(line)) } }),
        metrics,
      ),
      metrics,
      startProcess: () => {
        const puppet = new Puppet(started.length + 1);
        started.push(puppet);
        return puppet;
      },
      network: {
        addressesOf: () => null,
        config,
        running: null,
        hasHistory: Promise.resolve(),
        close: async () => {
          network.closes += 1;
        },
      },
      now: () => performance.now(),
    });
    await until(() => started.length === 2, 'two processes');
    for (const puppet of started) puppet.says({ kind: 'hello' });
    const logged = (message: string) => lines.filter(({ msg }) => msg === message).length;
    /** Ends all processes once they were told to stop. */
    const endAll = async () => {
      await until(() => started.slice(-2).every(({ kinds }) => kinds.includes('stop')), 'the stop message');
      for (const puppet of started.slice(-2)) puppet.end({ exitCode: 0, signal: null });
    };
    return { starting, started, network, logged, endAll };
  }

  async function start(env: Readonly<Record<string, string>> = {}) {
    const begun = await begin(env);
    for (const puppet of begun.started) puppet.says({ kind: 'ready', facts });
    const workers = await begun.starting;
    const stop = async () => {
      const closing = workers.close();
      await begun.endAll();
      await closing;
    };
    return { ...begun, workers, stop };
  }

  const beginningOf = (puppet: Puppet | undefined) =>
    puppet?.told.flatMap((each) => (each.kind === 'begin' ? each.beginning : []))[0];

  test('gives later workers the same port, and the clients in force', async () => {
    const { started, workers, logged, stop } = await start();
    const { port } = beginningOf(started[0]) ?? {};
    expect(port).toBeGreaterThan(0);
    const twoClients = `${oneClient}\n- { id: two, hash: ${'b'.repeat(64)} }`;
    writeFileSync(clientsFile, twoClients);
    await workers.reload();
    expect(started.map(({ told }) => told.at(-1))).toMatchObject(
      Array(2).fill({ kind: 'lists', lists: { clients: { clients: [{ id: 'one' }, { id: 'two' }] } } }),
    );
    expect(logged('a new worker serves')).toBe(0);
    started[0]?.end();
    await until(() => started.length === 3, 'a new process');
    started[2]?.says({ kind: 'hello' });
    started[2]?.says({ kind: 'ready', facts });
    expect(beginningOf(started[2])).toMatchObject({ port, files: { [clientsFile]: twoClients } });
    expect(logged('a new worker serves')).toBe(1);
    await stop();
  });

  test('makes the other worker check the schema when one has adopted a new one', async () => {
    const { started, stop } = await start();
    started[0]?.says({ kind: 'schema replaced', schema: 'new' });
    expect(started.map(({ kinds }) => kinds.includes('check schema'))).toEqual([false, true]);
    await stop();
  });

  test('sends the page of metrics to the worker that requests it', async () => {
    const { started, stop } = await start();
    started[1]?.says({ kind: 'metrics requested' });
    expect(started.map(({ told }) => told.at(-1))).toEqual([
      expect.objectContaining({ kind: 'serving' }),
      { kind: 'metrics page', page: expect.stringContaining('# TYPE') },
    ]);
    await stop();
  });

  test('closes once, with its page of metrics and the network', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await until(() => free.listening, 'a free port');
    const { port } = free.address() as { port: number };
    await new Promise((resolve) => free.close(resolve));
    const { workers, network, endAll } = await start({ METRICS_PORT: String(port) });
    const ask = () => fetch(`http://127.0.0.1:${port}/metrics`).then(({ status }) => status);
    expect(await ask()).toBe(200);
    const closing = workers.close();
    expect(workers.close()).toBe(closing);
    await endAll();
    await closing;
    expect(network.closes).toBe(1);
    await expect(ask()).rejects.toThrow();
  });

  test('leaves no interval behind', async () => {
    const [set, clear] = [vi.spyOn(globalThis, 'setInterval'), vi.spyOn(globalThis, 'clearInterval')];
    onTestFinished(() => void vi.restoreAllMocks());
    const { stop } = await start();
    // For the schema, the file of clients, and the heartbeats.
    expect(set).toHaveBeenCalledTimes(3);
    await stop();
    const cleared = clear.mock.calls.map(([timer]) => timer);
    expect(set.mock.results.map(({ value }) => cleared.includes(value))).toEqual([true, true, true]);
  });

  test('that cannot start stops the workers and closes the network before it reports the reason', async () => {
    const { starting, started, network, endAll } = await begin();
    const failed = starting.catch((error: Error) => `${error.message}, after ${network.closes} close`);
    started[0]?.says({ kind: 'failed', reason: 'listen EADDRINUSE', stack: '' });
    await endAll();
    expect(await failed).toBe('listen EADDRINUSE, after 1 close');
  });
});
