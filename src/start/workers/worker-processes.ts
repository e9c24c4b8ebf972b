import cluster, { type Worker } from 'node:cluster';
import { readFileSync } from 'node:fs';
import { countForWorkers } from '../../callers/rate-limiter.ts';
import { type FromWorker, openEnvelope, type ToWorker, toEnvelope } from './worker-messages.ts';

/** No exit code and no signal: the system did not start the process, for lack of memory or processes. */
export interface WorkerEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A worker's process, as the primary sees it. */
export interface WorkerProcess {
  readonly pid: number;
  /** CPU time used so far, in milliseconds; `null` if the system does not report it. */
  cpuMs(): number | null;
  /** Does nothing if the process has exited. */
  send(message: ToWorker): void;
  onMessage(hear: (message: FromWorker) => void): void;
  onEnd(tell: (end: WorkerEnd) => void): void;
  kill(): void;
}

/** Starts processes that share one listening address. */
export type StartWorkerProcess = () => WorkerProcess;

/** Starts workers, whose rate limits this process counts. @param program the file that workers run */
export function createWorkerProcesses(program: string, args: readonly string[]): StartWorkerProcess {
  cluster.setupPrimary({ exec: program, args: [...args] });
  countForWorkers();
  return () => {
    const worker = tryToFork();
    if (!worker) return toUnstarted();
    // Sending to a process that has just exited fails; `exit` reports this.
    worker.on('error', () => {});
    return {
      pid: worker.process.pid ?? 0,
      cpuMs: () => readCpuMs(worker.process.pid),
      send: (message) => {
        if (worker.isConnected()) worker.send(toEnvelope(message), () => {});
      },
      onMessage: (hear) =>
        worker.on('message', (received: unknown) => {
          const message = openEnvelope<FromWorker>(received);
          if (message) hear(message);
        }),
      onEnd: (tell) => {
        worker.on('exit', (exitCode, signal) => tell({ exitCode, signal }));
        if (worker.process.pid === undefined) worker.once('error', () => tell(unstarted));
      },
      kill: () => worker.process.kill('SIGKILL'),
    };
  };
}

const unstarted: WorkerEnd = { exitCode: null, signal: null };

/** @returns `null` if the system refuses immediately; it reports other refusals by an `error` event without an `exit` */
function tryToFork(): Worker | null {
  try {
    return cluster.fork();
  } catch {
    return null;
  }
}

/** Stands for a worker whose process could not be started: it is replaced like any that exited. */
function toUnstarted(): WorkerProcess {
  return {
    pid: 0,
    cpuMs: () => null,
    send() {},
    onMessage() {},
    onEnd: (tell) => setImmediate(tell, unstarted),
    kill() {},
  };
}

/** Linux counts CPU time of a process in hundredths of a second. */
const tickMs = 10;

/** Reads the CPU time from Linux; other systems have no such file. */
function readCpuMs(pid: number | undefined): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the program's name, which may contain spaces: the state, ten more fields, then user and system time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return Number.isFinite(ticks) ? ticks * tickMs : null;
  } catch {
    return null;
  }
}
