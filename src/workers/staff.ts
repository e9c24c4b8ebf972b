import type { WorkerFacts } from '../start/siblings.ts';
import type { WorkerLoss } from '../telemetry/events.ts';
import { deferred } from './deferred.ts';
import { createReplacementRule } from './replacement-rule.ts';
import type { Beginning, FromWorker } from './worker-messages.ts';
import type { StartWorkerProcess, WorkerEnd, WorkerProcess } from './worker-processes.ts';

export interface StaffEvents {
  readonly lost: (loss: WorkerLoss) => void;
  /** Had to be ended: they did not end in time. */
  readonly cut: (pids: readonly number[]) => void;
  readonly serves: (pid: number) => void;
  readonly schemaReplaced: (schema: string, worker: WorkerProcess) => void;
}

export interface StaffOptions {
  readonly count: number;
  readonly beginning: Beginning;
  readonly startProcess: StartWorkerProcess;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** What a worker may take to end once it was told to, in milliseconds. */
  readonly endWithinMs: number;
  readonly events: StaffEvents;
}

/** The workers there are. */
export interface Staff {
  /** Resolves when as many serve as there are to be, for the first time. */
  readonly complete: Promise<WorkerFacts>;
  /** Rejects when that cannot be, or none serves any more and new ones do not come up; never resolves. */
  readonly failed: Promise<never>;
  readonly serving: () => readonly WorkerProcess[];
  /** Has all of them end, and starts no more. Resolves when they have ended. */
  stop(): Promise<void>;
}

/** Keeps so many workers at work. */
export function startStaff(options: StaffOptions): Staff {
  const { count, beginning, startProcess, now, endWithinMs, events } = options;
  const rule = createReplacementRule(count);
  const alive = new Set<WorkerProcess>();
  /** Since when each serves. */
  const servingSince = new Map<WorkerProcess, number>();
  /** Why they could not start, of those that said so. */
  const reasons = new WeakMap<WorkerProcess, string>();
  const pauses = new Set<NodeJS.Timeout>();
  const complete = deferred<WorkerFacts>();
  const failed = deferred<never>();
  const ended = deferred<void>();
  // Whoever stops before anything failed does not listen.
  failed.promise.catch(() => {});
  let isComplete = false;
  let isStopping = false;

  const tellAllHowManyServe = () => {
    for (const worker of alive) worker.send({ kind: 'serving', count: servingSince.size });
  };

  const hear = (worker: WorkerProcess, message: FromWorker): void => {
    switch (message.kind) {
      case 'hello':
        worker.send(isStopping ? { kind: 'stop' } : { kind: 'begin', beginning });
        break;
      case 'schema replaced':
        events.schemaReplaced(message.schema, worker);
        break;
      case 'failed':
        reasons.set(worker, message.reason);
        // Later ones may fail for what passes, while others serve: those are replaced like any that ended.
        if (!isComplete) failed.reject(toError(message));
        break;
      case 'ready':
        servingSince.set(worker, now());
        tellAllHowManyServe();
        events.serves(worker.pid);
        if (servingSince.size < count) break;
        isComplete = true;
        complete.resolve(message.facts);
    }
  };

  const leave = (worker: WorkerProcess, { exitCode, signal }: WorkerEnd): void => {
    const since = servingSince.get(worker);
    alive.delete(worker);
    servingSince.delete(worker);
    if (isStopping) {
      if (alive.size === 0) ended.resolve();
      return;
    }
    tellAllHowManyServe();
    const againInMs = rule.afterEndOf({
      servedMs: since === undefined ? null : now() - since,
      othersServe: servingSince.size > 0,
    });
    const reason = reasons.get(worker);
    if (againInMs === null) {
      const how = reason ?? toWords(exitCode, signal);
      failed.reject(new Error(`the workers keep ending before they serve, the last one: ${how}`));
      return;
    }
    events.lost({ worker: worker.pid, exitCode, signal, ...(reason !== undefined && { reason }), againInMs });
    const pause = setTimeout(() => {
      pauses.delete(pause);
      start();
    }, againInMs);
    pauses.add(pause);
  };

  const start = (): void => {
    const worker = startProcess();
    alive.add(worker);
    worker.onMessage((message) => hear(worker, message));
    worker.onEnd((end) => leave(worker, end));
  };

  const stop = async (): Promise<void> => {
    isStopping = true;
    for (const pause of pauses) clearTimeout(pause);
    if (alive.size === 0) return;
    for (const worker of alive) worker.send({ kind: 'stop' });
    const fuse = setTimeout(() => {
      events.cut([...alive].map(({ pid }) => pid));
      for (const worker of alive) worker.kill();
    }, endWithinMs);
    await ended.promise;
    clearTimeout(fuse);
  };

  for (let started = 0; started < count; started += 1) start();
  return { complete: complete.promise, failed: failed.promise, serving: () => [...servingSince.keys()], stop };
}

function toWords(exitCode: number | null, signal: string | null): string {
  if (signal !== null) return `signal ${signal}`;
  return exitCode === null ? 'the system did not start it' : `exit code ${exitCode}`;
}

/** The error of another process, as far as it was told. */
function toError({ reason, stack }: FromWorker & { readonly kind: 'failed' }): Error {
  return Object.assign(new Error(reason), { stack });
}
