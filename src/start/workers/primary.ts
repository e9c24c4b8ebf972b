import { createServer } from 'node:net';
import { type Config, usualDrainMs } from '../../config/config.ts';
import { toGasBudgets } from '../../sponsor/gas-budgets.ts';
import type { Telemetry } from '../../telemetry/events.ts';
import { addMetrics, type Metrics, type MetricValues, toMetricsPage } from '../../telemetry/metrics.ts';
import { closeAll } from '../close-all.ts';
import { logReady } from '../log-ready.ts';
import { openMetricsServer } from '../open-listener.ts';
import type { Network } from '../open-network.ts';
import type { Shared, WorkerFacts } from '../siblings.ts';
import { watchLists } from '../watch-lists.ts';
import { workerHeartbeatMs } from './worker-failures.ts';
import type { Beginning } from './worker-messages.ts';
import { startWorkerPool } from './worker-pool.ts';
import type { StartWorkerProcess } from './worker-processes.ts';

/** Milliseconds between two rounds in which all workers check, so that a schema that changes back and forth costs little. */
const roundEveryMs = 1_000;

interface SchemaPollingOptions<Worker extends object> {
  /** Milliseconds between two checks of all workers together; 0 = only after a change. */
  readonly pollMs: number;
  /** The serving workers, in a stable order. */
  readonly workers: () => readonly Worker[];
  readonly check: (worker: Worker) => void;
}

/** Makes workers check the ledger's schema one after another, and all of them when one has seen a change. */
export function startSchemaPolling<Worker extends object>(options: SchemaPollingOptions<Worker>) {
  const { pollMs, workers, check } = options;
  let turn = 0;
  let known: string | null = null;
  let pause: NodeJS.Timeout | undefined;
  let isRoundWanted = false;

  const checkInTurn = () => {
    const all = workers();
    const next = all[turn++ % all.length];
    if (next) check(next);
  };
  const polling = pollMs > 0 ? setInterval(checkInTurn, pollMs) : undefined;

  const startRound = (reporter: object | null) => {
    for (const worker of workers()) if (worker !== reporter) check(worker);
    pause = setTimeout(() => {
      pause = undefined;
      if (!isRoundWanted) return;
      isRoundWanted = false;
      startRound(null);
    }, roundEveryMs);
  };

  return {
    /** A worker adopted this schema: the other workers check the ledger's schema, unless this one was reported before. */
    replaced(schema: string, worker: object): void {
      if (schema === known) return;
      known = schema;
      if (pause) isRoundWanted = true;
      else startRound(worker);
    },
    stop(): void {
      clearInterval(polling);
      clearTimeout(pause);
    },
  };
}

export interface WorkersOptions {
  readonly config: Config;
  /** Number of workers, at least 2. */
  readonly count: number;
  /** The files that the configuration was read from. */
  readonly files: Beginning['files'];
  /** Unguessable random text; workers derive their common secrets from it. */
  readonly secret: string;
  readonly telemetry: Telemetry;
  readonly metrics: Metrics;
  readonly startProcess: StartWorkerProcess;
  readonly network: Network;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

export type RunningWorkers = Awaited<ReturnType<typeof startWorkers>>;

/** Milliseconds in which a worker must serve, in addition to its two calls to the ledger, for schema and limits. */
const startMarginMs = 60_000;
/** Milliseconds in which a worker must exit after its last operation. */
const endMarginMs = 6_000;

/** Milliseconds in which a worker must exit; then it is killed. A dispatched mutation may run twice as long as its timeout. */
export function toEndWithinMs({ queryMs, mutationMs }: Config['timeouts']): number {
  return Math.max(queryMs, 2 * mutationMs) + endMarginMs;
}

/**
 * The primary of a gateway with several processes: starts workers, replaces those that exit, and holds the data that they
 * share. It serves no requests itself.
 * @returns once all workers serve
 */
export async function startWorkers(options: WorkersOptions) {
  const { config, count, secret, telemetry, metrics, startProcess, network, now } = options;
  const files = { ...options.files };
  /** With the clients in force. */
  const inForce = { ...config };
  if (network.running) telemetry.networkSimulated(config.profile.name);
  const port = config.port === 0 ? await choosePort(config.settings.HOST) : config.port;
  const shared: Shared = { workers: count, network: network.running, secret };
  const cursorKeys = config.cursorKeys?.map((key) => key.reveal()) ?? null;
  let isReady = false;

  const pool = startWorkerPool({
    count,
    beginning: () => ({ shared, port, cursorKeys, files, heartbeatMs: workerHeartbeatMs }),
    startProcess,
    now,
    startWithinMs: 2 * config.timeouts.queryMs + startMarginMs,
    endWithinMs: toEndWithinMs(config.timeouts),
    maxRssBytes: config.settings.WORKER_MAX_RSS_BYTES ?? Number.POSITIVE_INFINITY,
    drainMs: config.settings.DRAIN_MS ?? usualDrainMs,
    events: {
      grown: telemetry.workerGrown,
      lost: telemetry.workerLost,
      cut: telemetry.workersCut,
      serves: (pid) => isReady && telemetry.workerReplaced(pid),
      schemaReplaced: (schema, worker) => polling.replaced(schema, worker),
      metricsRequested: (worker) => worker.send({ kind: 'metrics page', page: metricsPage() }),
    },
  });
  /** Counts of all workers, exited ones included, and of this process; gauges per worker. */
  const metricsPage = () => {
    const { retired, workers } = pool.metrics();
    const counts = [retired, ...workers.map(({ values }) => values)];
    const totals = counts.reduce<MetricValues>(addMetrics, metrics.read());
    return toMetricsPage(
      totals,
      toGasBudgets(inForce).map(({ client }) => client),
      workers,
    );
  };
  const polling = startSchemaPolling({
    pollMs: config.settings.SCHEMA_POLL_MS,
    workers: pool.serving,
    check: (worker) => worker.send({ kind: 'check schema' }),
  });
  const watched = watchLists(config, {
    adopt: (lists, texts) => {
      // Otherwise a worker that starts later would accept removed clients again.
      Object.assign(files, texts);
      if (lists.clients) inForce.clients = lists.clients;
      pool.send({ kind: 'lists', lists });
    },
    telemetry,
  });
  let closing: Promise<void> | undefined;
  /** Each worker keeps serving for `drainMs`, finishes its operations and ends. Safe to call twice. */
  const close = (drainMs = 0) => {
    closing ??= closeAll([
      polling.stop,
      watched.stop,
      () => pool.stop(drainMs),
      () => metricsServer?.close(),
      () => network.close(),
    ]);
    return closing;
  };
  let metricsServer: Awaited<ReturnType<typeof openMetricsServer>> = null;
  let facts: WorkerFacts;
  try {
    metricsServer = await openMetricsServer(config, async () => metricsPage());
    facts = await Promise.race([pool.complete, pool.failed]);
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
  await network.hasHistory;
  isReady = true;
  logReady(telemetry, config, { ...facts, workers: count });
  return {
    /** Scheme, host and port that all workers serve. */
    url: facts.url,
    /** Reloads the files of clients and trusted documents for all workers, and logs the result. */
    reload: watched.reload,
    close,
    failed: pool.failed,
  };
}

/**
 * Finds a free port. All workers need the same one: if every worker asked for any port, the system would choose a new one
 * whenever all workers had exited.
 */
function choosePort(host: string): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
