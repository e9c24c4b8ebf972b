import type { WorkerProcess } from './worker-processes.ts';

/** Milliseconds between two signs of life of a worker. */
export const beatMs = 1_000;
/**
 * Signs that a worker may owe, one after another. Nothing that it does for a caller takes its thread for a tenth of the time
 * between two of them; a machine that has too much to do may delay a few.
 */
const mostOwed = 10;

export interface SignsOfLife {
  /** A worker gave one. */
  noteSign(worker: WorkerProcess): void;
  stop(): void;
}

export interface SignsOfLifeOptions {
  /** Milliseconds between two signs. */
  readonly everyMs: number;
  /** Those that must give them. */
  readonly workers: () => readonly WorkerProcess[];
  /** Called for a worker that gives none any more: it is stopped, or its thread is stuck. @param silentMs about so long */
  readonly frozen: (worker: WorkerProcess, silentMs: number) => void;
}

/**
 * Notices workers that are alive for the system, take connections, and answer none of them. Counts how often it looked in
 * vain, and not the time: if this process or the whole machine stood still, that is no worker's fault.
 */
export function watchSignsOfLife({ everyMs, workers, frozen }: SignsOfLifeOptions): SignsOfLife {
  const owed = new WeakMap<WorkerProcess, number>();
  const look = () => {
    for (const worker of workers()) {
      const count = (owed.get(worker) ?? 0) + 1;
      owed.set(worker, count);
      if (count === mostOwed + 1) frozen(worker, count * everyMs);
    }
  };
  const looking = setInterval(look, everyMs).unref();
  return {
    noteSign: (worker) => void owed.set(worker, 0),
    stop: () => clearInterval(looking),
  };
}
