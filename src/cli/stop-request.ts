import { deferred } from '../start/workers/deferred.ts';

export interface StopRequestOptions {
  /** Clock in monotonic milliseconds. */
  readonly now: () => number;
  /** Called at a second signal that is not an echo of the first. */
  readonly onInsist: (signal: string) => void;
}

/**
 * At Ctrl-C the terminal signals the whole process group, and npm then passes on its own copy. Signals this close together, in
 * milliseconds, count as one.
 */
const echoMs = 250;

/** The first signal requests an orderly stop, the second an immediate one. */
export function createStopRequest({ now, onInsist }: StopRequestOptions) {
  const { promise, resolve } = deferred<string>();
  let firstAt: number | null = null;
  return {
    /** Resolves at the first signal, with its name. */
    requested: promise,
    /** Call for each stop signal of the operating system. */
    signal(name: string): void {
      if (firstAt !== null && now() - firstAt > echoMs) onInsist(name);
      firstAt ??= now();
      resolve(name);
    },
  };
}
