import { vi } from 'vitest';
import type { FromWorker, ToWorker } from '../../src/start/workers/worker-messages.ts';
import { startWorkerPool } from '../../src/start/workers/worker-pool.ts';
import type { WorkerEnd, WorkerProcess } from '../../src/start/workers/worker-processes.ts';

const shared = { workers: 2, network: null, secret: 's' };
export const beginning = { shared, port: 4000, cursorKeys: null, files: {}, heartbeatMs: 1_000 };
export const facts = { url: 'http://127.0.0.1:4000', graphqlUrl: 'http://127.0.0.1:4000/graphql', schema: 'ledger' };

/** A worker's process as a test double: it sends what the test tells it to send. */
export class Puppet implements WorkerProcess {
  readonly pid: number;
  readonly told: ToWorker[] = [];
  #hear: (message: FromWorker) => void = () => {};
  #tell: (end: WorkerEnd) => void = () => {};

  constructor(pid: number) {
    this.pid = pid;
  }
  cpuMs() {
    return null;
  }
  send(message: ToWorker) {
    this.told.push(message);
  }
  onMessage(hear: (message: FromWorker) => void) {
    this.#hear = hear;
  }
  onEnd(tell: (end: WorkerEnd) => void) {
    this.#tell = tell;
  }
  kills = 0;
  kill() {
    this.kills += 1;
    this.end({ exitCode: null, signal: 'SIGKILL' });
  }
  says(message: FromWorker) {
    this.#hear(message);
  }
  end(end: WorkerEnd = { exitCode: 1, signal: null }) {
    this.#tell(end);
  }
  get kinds() {
    return this.told.map(({ kind }) => kind);
  }
}

/** Starts a pool of two workers on fake timers. */
export function startPool() {
  const started: Puppet[] = [];
  const seen: unknown[] = [];
  const pool = startWorkerPool({
    count: 2,
    beginning: () => beginning,
    startProcess: () => {
      const puppet = new Puppet(started.length + 1);
      started.push(puppet);
      return puppet;
    },
    now: () => Date.now(),
    startWithinMs: 90_000,
    endWithinMs: 20_000,
    maxRssBytes: 1_000,
    drainMs: 5_000,
    events: {
      grown: (...facts) => seen.push({ grown: facts }),
      lost: (loss) => seen.push(loss),
      cut: (pids) => seen.push({ cut: pids }),
      serves: (pid) => seen.push({ serves: pid }),
      schemaReplaced: (schema, { pid }) => seen.push({ schema, pid }),
      metricsRequested: ({ pid }) => seen.push({ metricsRequested: pid }),
    },
  });
  let isComplete = false;
  void pool.complete.then(() => {
    isComplete = true;
  });
  return { pool, started, seen, isComplete: () => isComplete };
}

/** The same when both workers serve. */
export async function startCompletePool() {
  const whole = startPool();
  for (const puppet of whole.started) puppet.says({ kind: 'ready', facts });
  await whole.pool.complete;
  whole.seen.length = 0;
  return whole;
}

export const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
