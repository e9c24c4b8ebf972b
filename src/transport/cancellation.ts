/** Why an operation is over before its end: nobody waits for it any more, or its time is up. */
export type CancelCause = 'aborted' | 'timeout';

/**
 * What ends an operation early, as those see it who work for it. An `AbortSignal` says the same at ten times the cost,
 * which shows when there is one in every request; who needs one gets it made.
 */
export interface Cancellation {
  /** `null` while the operation goes on. */
  readonly cause: CancelCause | null;
  /**
   * Tells once when the operation is cancelled; at once if it already is. Listeners must not throw.
   * @returns how to stop listening
   */
  onCancel(listener: (cause: CancelCause) => void): () => void;
  /** The same for those who understand nothing else. Made when first asked for. */
  readonly signal: AbortSignal;
}

/** A cancellation in the hands of whoever opened the operation. */
export interface OpenCancellation extends Cancellation {
  /** The first cause counts. Does nothing after `finish`. */
  cancel(cause: CancelCause): void;
  /** The operation is done: nothing cancels it now, and nobody is told. Safe to call twice. */
  finish(): void;
}

/** @param timeoutMs after which the operation is cancelled by itself; without it there is no such time */
export function createCancellation(timeoutMs?: number): OpenCancellation {
  return new TimedCancellation(timeoutMs);
}

const nothing = () => {};

class TimedCancellation implements OpenCancellation {
  #cause: CancelCause | null = null;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;
  #listeners: ((cause: CancelCause) => void)[] = [];
  #controller: AbortController | undefined;

  constructor(timeoutMs: number | undefined) {
    if (timeoutMs !== undefined) this.#timer = setTimeout(() => this.cancel('timeout'), timeoutMs);
  }

  get cause(): CancelCause | null {
    return this.#cause;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#cause) abort(this.#controller, this.#cause);
    }
    return this.#controller.signal;
  }

  onCancel(listener: (cause: CancelCause) => void): () => void {
    if (this.#cause) listener(this.#cause);
    if (this.#isOver) return nothing;
    this.#listeners.push(listener);
    return () => {
      const at = this.#listeners.indexOf(listener);
      if (at >= 0) this.#listeners.splice(at, 1);
    };
  }

  cancel(cause: CancelCause): void {
    if (this.#isOver) return;
    this.#cause = cause;
    const listeners = this.#listeners;
    // From here on a listener that stops listening takes nobody else out of the list.
    this.finish();
    for (const listener of listeners) listener(cause);
    if (this.#controller) abort(this.#controller, cause);
  }

  finish(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    // Whoever holds the operation for longer than it runs holds none of its calls.
    this.#listeners = [];
  }
}

/** With the reason that the platform's own signals have. */
function abort(controller: AbortController, cause: CancelCause): void {
  controller.abort(cause === 'timeout' ? new DOMException('The operation timed out.', 'TimeoutError') : undefined);
}
