export interface StopRequestOptions {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Called when somebody insists. */
  readonly onInsist: (signal: string) => void;
}

export interface StopRequest {
  /** Resolves at the first signal. */
  readonly requested: Promise<void>;
  /** Takes note of a signal of the operating system. */
  signal(name: string): void;
}

/**
 * At Ctrl-C the terminal signals the whole group, and npm then passes its own copy on: two signals a moment apart are
 * one wish.
 */
const echoMs = 250;

/** Tells the first wish to stop from the second, which means at once. */
export function createStopRequest({ now, onInsist }: StopRequestOptions): StopRequest {
  const { promise, resolve } = deferred();
  let firstAt: number | null = null;
  return {
    requested: promise,
    signal(name) {
      if (firstAt !== null && now() - firstAt > echoMs) onInsist(name);
      firstAt ??= now();
      resolve();
    },
  };
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
