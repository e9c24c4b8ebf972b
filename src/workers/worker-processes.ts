import cluster from 'node:cluster';
import { countForWorkers } from '../admission/cluster-rate-store.ts';
import { type FromWorker, openEnvelope, type ToWorker, toEnvelope } from './worker-messages.ts';

export interface WorkerEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A process that is to serve. */
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

/** Has this process count the callers of all it starts. @param program what each of them runs, with these arguments */
export function createWorkerProcesses(program: string, args: readonly string[]): StartWorkerProcess {
  cluster.setupPrimary({ exec: program, args: [...args] });
  countForWorkers();
  return () => {
    const worker = cluster.fork();
    // A message to one that has just ended fails; that it ended is told by `exit`.
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
      onEnd: (tell) => worker.on('exit', (exitCode, signal) => tell({ exitCode, signal })),
      kill: () => worker.process.kill('SIGKILL'),
    };
  };
}
