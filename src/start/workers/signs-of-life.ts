import type { WorkerProcess } from './worker-processes.ts';

/** Milliseconds between two signs of life of a worker. */
export const beatMs = 1_000;
/** Signs in a row that a worker may owe whose process does nothing: it is stopped, or waits for ever. */
const mostOwed = 10;
/**
 * Signs in a row that a worker may owe while its process uses the processor: one turn of its event loop may take long, or the
 * machine has too much to do. An endless loop looks the same, so this is when it is killed.
 */
const mostOwedBusy = 30;
/** The part of the silence for which a busy process has used the processor, even if many others want it. A stopped one uses none. */
const busyPart = 0.01;

export interface SignsOfLife {
  /** A worker gave one. */
  noteSign(worker: WorkerProcess): void;
  stop(): void;
}

export interface SignsOfLifeOptions {
  /** Milliseconds between two signs. */
  readonly everyMs: number;
  /** Those that must give them. */
  readonly workers: () => Iterable<WorkerProcess>;
  /** Called once for a worker that gives none any more. @param silentMs about so long */
  readonly frozen: (worker: WorkerProcess, silentMs: number) => void;
}

interface Silence {
  /** Signs that the worker owes. */
  readonly owed: number;
  /** Processor time of its process when the silence began; `null` where the system does not tell. */
  readonly cpuMs: number | null;
}

/**
 * Notices workers that are alive for the system, take connections, and answer none of them. Counts how often it looked in
 * vain, and not the time: if this process or the whole machine stood still, that is no worker's fault.
 */
export function watchSignsOfLife({ everyMs, workers, frozen }: SignsOfLifeOptions): SignsOfLife {
  const silences = new WeakMap<WorkerProcess, Silence>();
  const told = new WeakSet<WorkerProcess>();
  const look = () => {
    for (const worker of workers()) {
      const before = silences.get(worker);
      const owed = (before?.owed ?? 0) + 1;
      const cpuMs = before ? before.cpuMs : worker.cpuMs();
      silences.set(worker, { owed, cpuMs });
      if (owed <= mostOwed || told.has(worker)) continue;
      const silentMs = owed * everyMs;
      if (owed <= mostOwedBusy && isBusy(cpuMs, worker.cpuMs(), silentMs)) continue;
      told.add(worker);
      frozen(worker, silentMs);
    }
  };
  const looking = setInterval(look, everyMs).unref();
  return {
    noteSign: (worker) => void silences.delete(worker),
    stop: () => clearInterval(looking),
  };
}

function isBusy(beforeMs: number | null, nowMs: number | null, silentMs: number): boolean {
  return beforeMs !== null && nowMs !== null && nowMs - beforeMs >= silentMs * busyPart;
}
