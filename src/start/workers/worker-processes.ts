import cluster, { type Worker } from 'node:cluster';
import { readFileSync } from 'node:fs';
import { countForWorkers } from '../../callers/rate-store.ts';
import { type FromWorker, openEnvelope, type ToWorker, toEnvelope } from './worker-messages.ts';

/** Without a code and without a signal: the system did not start it, for want of memory or of processes. */
export interface WorkerEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A worker's process, as the primary sees it. */
export interface WorkerProcess {
  readonly pid: number;
  /** Milliseconds of processor time that it has used; `null` where the system does not tell. */
  cpuMs(): number | null;
  /** Does nothing once the process has ended. */
  send(message: ToWorker): void;
  onMessage(hear: (message: FromWorker) => void): void;
  onEnd(tell: (end: WorkerEnd) => void): void;
  /** Ends it at once. */
  kill(): void;
}

/** Starts processes that share one listening address. */
export type StartWorkerProcess = () => WorkerProcess;

/** Lets this process count the callers of all workers that it starts. @param program the file that workers run */
export function createWorkerProcesses(program: string, args: readonly string[]): StartWorkerProcess {
  cluster.setupPrimary({ exec: program, args: [...args] });
  countForWorkers();
  return () => {
    const worker = tryToFork();
    if (!worker) return toUnstarted();
    // Sending to a process that has just ended fails; `exit` reports its end.
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

/** @returns `null` where the system refuses at once; of other refusals the worker tells by an `error`, without an `exit` */
function tryToFork(): Worker | null {
  try {
    return cluster.fork();
  } catch {
    return null;
  }
}

/** In place of one that could not be started while others serve: it is tried again like any that ended. */
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

/** Linux counts the processor time of a process in hundredths of a second. */
const tickMs = 10;

/** Reads it from Linux; other systems have no such file. */
function readCpuMs(pid: number | undefined): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Behind the name of the program, which may hold spaces: the state, then ten fields, then user and system time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return Number.isFinite(ticks) ? ticks * tickMs : null;
  } catch {
    return null;
  }
}
