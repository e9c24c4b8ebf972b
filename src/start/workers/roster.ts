import { startPeerTimeout } from '../../upstream/peer-timeout.ts';
import { deferred } from './deferred.ts';
import type { EndedWorker } from './replacement-rule.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';
import type { WorkerEnd, WorkerProcess } from './worker-processes.ts';

interface WorkerListeners {
  readonly hear: (worker: WorkerProcess, message: FromWorker) => void;
  readonly leave: (worker: WorkerProcess, end: WorkerEnd) => void;
}

/** The worker processes that are alive, and which of them serve. */
export interface Roster {
  readonly serving: () => readonly WorkerProcess[];
  /** Tells all that are alive. */
  readonly tell: (message: ToWorker) => void;
  /** Adds a worker that was just started, and listens to it. */
  add(worker: WorkerProcess, listeners: WorkerListeners): void;
  /** Notes that a worker serves from now on, and tells all of them how many do. */
  noteServing(worker: WorkerProcess): void;
  /** Notes that a worker has ended, and tells the others how many serve. */
  remove(worker: WorkerProcess): EndedWorker;
  /**
   * Tells all workers to serve on for `drainMs` and to end, and kills those that have not after `withinMs` more. Resolves when
   * none is left.
   * @param cut called with the process ids of those that are killed
   */
  end(drainMs: number, withinMs: number, cut: (pids: readonly number[]) => void): Promise<void>;
}

/** @param now monotonic milliseconds */
export function createRoster(now: () => number): Roster {
  const alive = new Set<WorkerProcess>();
  /** The time at which each worker began to serve. */
  const servingSince = new Map<WorkerProcess, number>();
  const ended = deferred<void>();
  let isEnding = false;

  const tell = (message: ToWorker) => {
    for (const worker of alive) worker.send(message);
  };
  const tellAllHowManyServe = () => tell({ kind: 'serving', count: servingSince.size });

  return {
    serving: () => [...servingSince.keys()],
    tell,
    add(worker, { hear, leave }) {
      alive.add(worker);
      worker.onMessage((message) => hear(worker, message));
      worker.onEnd((end) => leave(worker, end));
    },
    noteServing(worker) {
      servingSince.set(worker, now());
      tellAllHowManyServe();
    },
    remove(worker) {
      const since = servingSince.get(worker);
      alive.delete(worker);
      servingSince.delete(worker);
      if (!isEnding) tellAllHowManyServe();
      else if (alive.size === 0) ended.resolve();
      return { servedMs: since === undefined ? null : now() - since, othersServe: servingSince.size > 0 };
    },
    async end(drainMs, withinMs, cut) {
      isEnding = true;
      if (alive.size === 0) return;
      tell({ kind: 'stop', drainMs });
      const stopWaiting = startPeerTimeout(drainMs + withinMs, () => {
        cut([...alive].map(({ pid }) => pid));
        for (const worker of alive) worker.kill();
      });
      await ended.promise;
      stopWaiting();
    },
  };
}
