import type { WorkerLoss } from '../../telemetry/events.ts';
import { startPeerTimeout } from '../../upstream/peer-timeout.ts';
import type { WorkerFacts } from '../siblings.ts';
import { deferred } from './deferred.ts';
import { createReplacementRule } from './replacement-rule.ts';
import { createRoster } from './roster.ts';
import { watchSignsOfLife } from './signs-of-life.ts';
import type { Beginning, FromWorker, ToWorker } from './worker-messages.ts';
import type { StartWorkerProcess, WorkerEnd, WorkerProcess } from './worker-processes.ts';

export interface StaffEvents {
  readonly lost: (loss: WorkerLoss) => void;
  /** These workers were killed, because they did not end in time. */
  readonly cut: (pids: readonly number[]) => void;
  readonly serves: (pid: number) => void;
  readonly schemaReplaced: (schema: string, worker: WorkerProcess) => void;
}

export interface StaffOptions {
  readonly count: number;
  /** For a worker that is up now. */
  readonly beginning: () => Beginning;
  readonly startProcess: StartWorkerProcess;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Milliseconds that a worker may take to serve; then it is killed, and replaced like any that ended. */
  readonly startWithinMs: number;
  /** Milliseconds that a worker may take to end once it was told to. */
  readonly endWithinMs: number;
  readonly events: StaffEvents;
}

/** The workers of one gateway. */
export interface Staff {
  /** Resolves when `count` workers serve, for the first time. */
  readonly complete: Promise<WorkerFacts>;
  /** Rejects when they cannot start, or when none serves any more and new ones do not come up; never resolves. */
  readonly failed: Promise<never>;
  readonly serving: () => readonly WorkerProcess[];
  /** Tells all workers, those that are starting too. */
  readonly tell: (message: ToWorker) => void;
  /** Ends all workers, and starts no more. Resolves when they have ended. @param drainMs for which those that serve go on */
  stop(drainMs?: number): Promise<void>;
}

/** Starts `count` workers, and replaces those that end or freeze. */
export function startStaff(options: StaffOptions): Staff {
  const { count, beginning, startProcess, now, startWithinMs, endWithinMs, events } = options;
  const rule = createReplacementRule(count);
  const roster = createRoster(now);
  /** Why workers ended, as far as it is known. */
  const reasons = new WeakMap<WorkerProcess, string>();
  /** Workers that give signs of life: those that were told what to begin with. */
  const begun = new Set<WorkerProcess>();
  /** For workers that do not serve yet: stops waiting for that. */
  const starting = new Map<WorkerProcess, () => void>();
  const starts = createDelayedCalls();
  const complete = deferred<WorkerFacts>();
  const failed = deferred<never>();
  // If nobody listens, as when the gateway is being stopped, a rejection must not end the process.
  failed.promise.catch(() => {});
  let isComplete = false;
  let isStopping = false;
  const killFor = (worker: WorkerProcess, reason: string) => {
    reasons.set(worker, `it was killed: ${reason}`);
    // Even a stopped process obeys this.
    worker.kill();
  };
  const signs = watchSignsOfLife({
    everyMs: beginning().beatMs,
    workers: () => begun,
    frozen: (worker, silentMs) => killFor(worker, `no sign of life for ${silentMs} ms`),
  });
  const stopAwaiting = (worker: WorkerProcess) => {
    starting.get(worker)?.();
    starting.delete(worker);
  };

  const hear = (worker: WorkerProcess, message: FromWorker): void => {
    switch (message.kind) {
      case 'hello':
        if (isStopping) worker.send({ kind: 'stop', drainMs: 0 });
        else {
          begun.add(worker);
          worker.send({ kind: 'begin', beginning: beginning() });
        }
        break;
      case 'alive':
        signs.noteSign(worker);
        break;
      case 'schema replaced':
        events.schemaReplaced(message.schema, worker);
        break;
      case 'failed':
        reasons.set(worker, message.reason);
        // Once the gateway serves, the cause may be a passing one: the worker is replaced like any that ended.
        if (!isComplete) failed.reject(toError(message));
        break;
      case 'ready':
        stopAwaiting(worker);
        roster.noteServing(worker);
        events.serves(worker.pid);
        if (roster.serving().length < count) break;
        isComplete = true;
        complete.resolve(message.facts);
    }
  };

  const leave = (worker: WorkerProcess, end: WorkerEnd): void => {
    begun.delete(worker);
    stopAwaiting(worker);
    const ended = roster.remove(worker);
    if (isStopping) return;
    const againInMs = rule.afterEndOf(ended);
    const reason = reasons.get(worker);
    if (againInMs === null) failed.reject(toHopelessError(end, reason));
    else {
      events.lost({ worker: worker.pid, ...end, ...(reason !== undefined && { reason }), againInMs });
      starts.after(againInMs, start);
    }
  };

  const start = (): void => {
    const worker = startProcess();
    const late = () => killFor(worker, `it did not serve within ${startWithinMs} ms`);
    starting.set(worker, startPeerTimeout(startWithinMs, late));
    roster.add(worker, { hear, leave });
  };

  const stop = (drainMs = 0): Promise<void> => {
    isStopping = true;
    starts.cancel();
    signs.stop();
    for (const worker of [...starting.keys()]) stopAwaiting(worker);
    return roster.end(drainMs, endWithinMs, events.cut);
  };

  for (let started = 0; started < count; started += 1) start();
  return { complete: complete.promise, failed: failed.promise, serving: roster.serving, tell: roster.tell, stop };
}

function createDelayedCalls() {
  const timers = new Set<NodeJS.Timeout>();
  return {
    after(delayMs: number, call: () => void): void {
      const timer = setTimeout(() => {
        timers.delete(timer);
        call();
      }, delayMs);
      timers.add(timer);
    },
    cancel(): void {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

function toHopelessError(end: WorkerEnd, reason: string | undefined): Error {
  return new Error(`the workers keep ending before they serve, the last one: ${reason ?? toWords(end)}`);
}

function toWords({ exitCode, signal }: WorkerEnd): string {
  if (signal !== null) return `signal ${signal}`;
  return exitCode === null ? 'the system did not start it' : `exit code ${exitCode}`;
}

/** The error that stopped a worker, made of what it sent. */
function toError({ reason, stack }: FromWorker & { readonly kind: 'failed' }): Error {
  return Object.assign(new Error(reason), { stack });
}
