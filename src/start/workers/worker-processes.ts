import cluster, { type Worker } from 'node:cluster';
import { countForWorkers } from '../../callers/rate/cluster-rate-store.ts';
import { type FromWorker, openEnvelope, type ToWorker, toEnvelope } from './worker-messages.ts';

/** Without a code and without a signal: the system did not start it, for want of memory or of processes. */
export interface WorkerEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A worker's process, as the primary sees it. */
export interface WorkerProcess {
  readonly pid: number;
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
  return { pid: 0, send() {}, onMessage() {}, onEnd: (tell) => setImmediate(tell, unstarted), kill() {} };
}
