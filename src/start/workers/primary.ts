import type { Config } from '../../config/config.ts';
import type { Telemetry } from '../../telemetry/events.ts';
import { openNetwork } from '../open-network.ts';
import type { Shared, WorkerFacts } from '../siblings.ts';
import { tellReady } from '../tell-ready.ts';
import { watchClientsOf } from '../watch-clients.ts';
import { choosePort } from './choose-port.ts';
import { startLooksInTurn } from './looks-in-turn.ts';
import { beatMs } from './signs-of-life.ts';
import { startStaff } from './staff.ts';
import type { Beginning } from './worker-messages.ts';
import type { StartWorkerProcess } from './worker-processes.ts';

export interface WorkersOptions {
  readonly config: Config;
  /** How many are to serve; at least 2. */
  readonly count: number;
  /** What the configuration was read from. */
  readonly files: Beginning['files'];
  /** Random text that nobody can guess; the workers derive their common secrets from it. */
  readonly secret: string;
  readonly telemetry: Telemetry;
  readonly startProcess: StartWorkerProcess;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

export interface RunningWorkers {
  /** Scheme, host and port that all of them serve. */
  readonly url: string;
  /** Reads the clients file again, for all of them, and tells in the log what came of it. */
  reload(): Promise<void>;
  /** Lets each worker serve on for `drainMs` (0) and finish what runs, and ends it. Safe to call twice. */
  close(drainMs?: number): Promise<void>;
  /** Rejects when none serves any more and new ones do not come up; never resolves. */
  readonly failed: Promise<never>;
}

/** Milliseconds that a worker may take to serve, beside the two calls for which it waits: the ledger's schema and its limits. */
const startMarginMs = 60_000;
/** Milliseconds that a worker may take to end behind the last of what runs. */
const endMarginMs = 6_000;

/**
 * Milliseconds in which a worker has to end; then it is killed. A mutation that was sent goes on for as long again as its caller
 * waited for it.
 */
export function toEndWithinMs({ queryMs, mutationMs }: Config['timeouts']): number {
  return Math.max(queryMs, 2 * mutationMs) + endMarginMs;
}

/**
 * One gateway of several processes: this one starts the others, replaces those that end, and holds what they share. It
 * serves nothing itself.
 * @returns once all of them serve
 */
export async function startWorkers(options: WorkersOptions): Promise<RunningWorkers> {
  const { config, count, secret, telemetry, startProcess, now } = options;
  const files = { ...options.files };
  const network = await openNetwork(config, telemetry);
  const port = config.port === 0 ? await choosePort(config.host) : config.port;
  const shared: Shared = { workers: count, network: network.running, secret };
  let isReady = false;

  const staff = startStaff({
    count,
    beginning: () => ({ shared, port, files, beatMs }),
    startProcess,
    now,
    startWithinMs: 2 * config.timeouts.queryMs + startMarginMs,
    endWithinMs: toEndWithinMs(config.timeouts),
    events: {
      lost: telemetry.workerLost,
      cut: telemetry.workersCut,
      serves: (pid) => isReady && telemetry.workerReplaced(pid),
      schemaReplaced: (schema, worker) => looks.replaced(schema, worker),
    },
  });
  const looks = startLooksInTurn({
    pollMs: config.schema.pollMs,
    workers: staff.serving,
    tellToLook: (worker) => worker.send({ kind: 'look' }),
  });
  const watched = watchClientsOf(config, {
    adopt: (clients, text) => {
      // A worker that is started later would else let in again who was removed meanwhile.
      if (config.clientsFile !== null) files[config.clientsFile] = text;
      staff.tell({ kind: 'clients', clients });
    },
    telemetry,
  });
  let closing: Promise<void> | undefined;
  const close = (drainMs = 0) => {
    closing ??= closeAll(drainMs);
    return closing;
  };
  const closeAll = async (drainMs: number) => {
    looks.stop();
    watched?.stop();
    await staff.stop(drainMs);
    await network.close();
  };
  let facts: WorkerFacts;
  try {
    facts = await Promise.race([staff.complete, staff.failed]);
  } catch (error) {
    await close();
    throw error;
  }
  isReady = true;
  tellReady(telemetry, config, { ...facts, workers: count });
  return { url: facts.url, reload: async () => watched?.reload(), close, failed: staff.failed };
}
