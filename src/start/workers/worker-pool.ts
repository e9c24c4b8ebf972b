import type { WorkerLoss } from '../../telemetry/events.ts';
import { layouts } from '../../telemetry/metric-table.ts';
import { addMetrics, type MetricValues } from '../../telemetry/metrics.ts';
import { startPeerTimeout } from '../../upstream/peer-timeout.ts';
import type { WorkerFacts } from '../siblings.ts';
import { deferred } from './deferred.ts';
import { createHeartbeatMonitor, createReplacementRule, type HeartbeatMonitor, isGrown } from './worker-failures.ts';
import type { Beginning, FromWorker, ToWorker } from './worker-messages.ts';
import type { StartWorkerProcess, WorkerEnd, WorkerProcess } from './worker-processes.ts';

export interface WorkerPoolEvents {
  readonly lost: (loss: WorkerLoss) => void;
  /** A worker exceeds the memory limit; its successor starts. */
  readonly grown: (pid: number, rssBytes: number, maxRssBytes: number) => void;
  /** Workers that were killed because they did not stop in time. */
  readonly cut: (pids: readonly number[]) => void;
  readonly serves: (pid: number) => void;
  readonly schemaReplaced: (schema: string, worker: WorkerProcess) => void;
  readonly metricsRequested: (worker: WorkerProcess) => void;
}

export interface WorkerPoolOptions {
  readonly count: number;
  readonly beginning: () => Beginning;
  readonly startProcess: StartWorkerProcess;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Milliseconds in which a worker must serve; then it is killed and replaced. */
  readonly startWithinMs: number;
  /** Milliseconds in which a worker must exit after the stop message. */
  readonly endWithinMs: number;
  /** Resident memory above which a worker is replaced. */
  readonly maxRssBytes: number;
  /** Milliseconds for which a worker that is replaced keeps serving its connections. */
  readonly drainMs: number;
  readonly events: WorkerPoolEvents;
}

export type WorkerPool = ReturnType<typeof startWorkerPool>;

interface Member {
  readonly worker: WorkerProcess;
  /** Cancels the timeout of its start, or of its stop. */
  stopAwaiting: () => void;
  heartbeats: HeartbeatMonitor | null;
  /** When the worker began to serve, by the pool's clock. */
  servingSinceMs: number | null;
  /** The worker's latest metrics, and when they arrived by the pool's clock. */
  metrics: { readonly values: MetricValues; readonly atMs: number } | null;
  /** Position among the workers, from 1. A replacement takes the first that is free. */
  readonly position: number;
  reason: string | null;
  /** Its successor serves, and the worker was told to stop. */
  isReplaced: boolean;
}

/** Starts `count` workers, and replaces those that exit, freeze or use too much memory. */
export function startWorkerPool(options: WorkerPoolOptions) {
  const { count, beginning, startProcess, now, startWithinMs, endWithinMs, maxRssBytes, events } = options;
  const pauseAfter = createReplacementRule(count);
  const members = new Set<Member>();
  const restarts = new Set<NodeJS.Timeout>();
  /** Resolves when `count` workers serve for the first time. */
  const complete = deferred<WorkerFacts>();
  /** Rejects if workers cannot start, or if none serves any more and new ones do not start; never resolves. */
  const failed = deferred<never>();
  const ended = deferred<void>();
  // While the gateway stops, no caller awaits this promise, and its rejection must not end the process.
  failed.promise.catch(() => {});
  let retired = addMetrics(null, []);
  let isComplete = false;
  let isStopping = false;
  /** The worker that is being replaced for its memory: one at a time. */
  let grown: Member | null = null;

  const serving = () =>
    [...members].filter((each) => each.servingSinceMs !== null && !each.isReplaced).map((each) => each.worker);
  /** Sends a message to all workers, also to those that are starting. */
  const send = (message: ToWorker) => {
    for (const { worker } of members) worker.send(message);
  };

  const freePosition = () => {
    const taken = new Set([...members].map(({ position }) => position));
    let position = 1;
    while (taken.has(position)) position += 1;
    return position;
  };

  const start = (): void => {
    const worker = startProcess();
    const late = () => kill(member, `it did not serve within ${startWithinMs} ms`);
    const stopAwaiting = startPeerTimeout(startWithinMs, late);
    const member: Member = {
      worker,
      stopAwaiting,
      heartbeats: null,
      servingSinceMs: null,
      metrics: null,
      position: freePosition(),
      reason: null,
      isReplaced: false,
    };
    members.add(member);
    worker.onMessage((message) => onWorkerMessage(member, message));
    worker.onEnd((end) => leave(member, end));
  };

  const onWorkerMessage = (member: Member, message: FromWorker): void => {
    const { worker } = member;
    switch (message.kind) {
      case 'hello':
        if (isStopping) worker.send({ kind: 'stop', drainMs: 0 });
        else {
          const begin = beginning();
          member.heartbeats = createHeartbeatMonitor(worker, begin.heartbeatMs);
          worker.send({ kind: 'begin', beginning: begin });
        }
        break;
      case 'alive':
        member.heartbeats?.noteHeartbeat();
        if (message.metrics) member.metrics = { values: message.metrics, atMs: now() };
        replaceIfGrown(member);
        break;
      case 'metrics requested':
        events.metricsRequested(worker);
        break;
      case 'schema replaced':
        events.schemaReplaced(message.schema, worker);
        break;
      case 'failed':
        member.reason = message.reason;
        // Once the gateway serves, the cause may be temporary: replace the worker like any other.
        if (!isComplete) failed.reject(toError(message));
        break;
      case 'ready':
        member.stopAwaiting();
        member.servingSinceMs = now();
        if (serving().length > count) stopGrown();
        send({ kind: 'serving', count: serving().length });
        events.serves(worker.pid);
        if (serving().length < count) break;
        isComplete = true;
        complete.resolve(message.facts);
    }
  };

  const replaceIfGrown = (member: Member): void => {
    const { worker, servingSinceMs, metrics } = member;
    const isOther = grown !== null || isStopping || !isComplete;
    if (isOther || servingSinceMs === null || metrics === null) return;
    const rssBytes = metrics.values[layouts.process_resident_memory_bytes.start] ?? 0;
    if (!isGrown(rssBytes, now() - servingSinceMs, maxRssBytes)) return;
    grown = member;
    events.grown(worker.pid, rssBytes, maxRssBytes);
    start();
  };
  /** Stops the grown worker, now that its successor serves. */
  const stopGrown = (): void => {
    if (grown === null) return;
    const { worker } = grown;
    grown.isReplaced = true;
    // It sends no more heartbeats.
    grown.heartbeats = null;
    worker.send({ kind: 'stop', drainMs: options.drainMs, isReplaced: true });
    grown.stopAwaiting = startPeerTimeout(options.drainMs + endWithinMs, () => {
      events.cut([worker.pid]);
      worker.kill();
    });
  };

  const kill = (member: Member, reason: string): void => {
    member.reason = `it was killed: ${reason}`;
    // SIGKILL ends even a stopped process.
    member.worker.kill();
  };
  const checking = setInterval(() => {
    for (const member of members) {
      const silentMs = member.heartbeats?.check() ?? null;
      if (silentMs === null) continue;
      member.heartbeats = null;
      kill(member, `no sign of life for ${silentMs} ms`);
    }
  }, beginning().heartbeatMs).unref();

  const leave = (member: Member, end: WorkerEnd): void => {
    member.stopAwaiting();
    members.delete(member);
    if (member.metrics) retired = addMetrics(retired, member.metrics.values);
    if (isStopping) {
      if (members.size === 0) ended.resolve();
      return;
    }
    if (member === grown) grown = null;
    if (member.isReplaced) return;
    const { reason, servingSinceMs, worker } = member;
    const others = serving().length;
    send({ kind: 'serving', count: others });
    const servedMs = servingSinceMs === null ? null : now() - servingSinceMs;
    const againInMs = pauseAfter({ servedMs, othersServe: others > 0 });
    if (againInMs === null) {
      const last = reason ?? describeEnd(end);
      failed.reject(new Error(`the workers keep ending before they serve, the last one: ${last}`));
      return;
    }
    events.lost({ worker: worker.pid, ...end, ...(reason !== null && { reason }), againInMs });
    // The successor of a worker that was being replaced starts already.
    if (members.size + restarts.size >= count + (grown === null ? 0 : 1)) return;
    const restart = setTimeout(() => {
      restarts.delete(restart);
      start();
    }, againInMs);
    restarts.add(restart);
  };

  /**
   * Stops all workers and starts no more. Resolves when they have exited.
   * @param drainMs for which serving workers keep serving
   */
  const stop = async (drainMs = 0): Promise<void> => {
    isStopping = true;
    clearInterval(checking);
    for (const restart of restarts) clearTimeout(restart);
    if (members.size === 0) return;
    send({ kind: 'stop', drainMs });
    const stopWaiting = startPeerTimeout(drainMs + endWithinMs, () => {
      events.cut([...members].map(({ worker }) => worker.pid));
      for (const { worker } of members) worker.kill();
    });
    await ended.promise;
    stopWaiting();
  };

  for (let started = 0; started < count; started += 1) start();
  /** The metrics of workers that have exited, and of each worker that serves. */
  const metrics = () => ({
    retired,
    workers: [...members].flatMap(({ metrics: last, position }) =>
      last ? { worker: String(position), values: last.values, ageSeconds: (now() - last.atMs) / 1_000 } : [],
    ),
  });
  return { complete: complete.promise, failed: failed.promise, serving, send, metrics, stop };
}

function describeEnd({ exitCode, signal }: WorkerEnd): string {
  if (signal !== null) return `signal ${signal}`;
  return exitCode === null ? 'the system did not start it' : `exit code ${exitCode}`;
}

/** The error that stopped a worker, rebuilt from its message. */
function toError({ reason, stack }: FromWorker & { readonly kind: 'failed' }): Error {
  return Object.assign(new Error(reason), { stack });
}
