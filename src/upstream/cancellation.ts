import { startPeerTimeout } from './peer-timeout.ts';

/** Why an operation ended early. `aborted`: its client left. `timeout`: its deadline passed. */
export type CancelCause = 'aborted' | 'timeout';

/** An operation as the layers of upstream calls see it. */
export interface ServedOperation {
  /** Calls to upstreams that were begun for it. */
  calls: number;
  /** Memory of the client's request. A mutation keeps it until its call is over. */
  readonly held?: Held | undefined;
}

/**
 * Cancels the work for an operation. Used in place of an `AbortSignal`, which costs ten times as much and would be made for
 * every request; `signal` makes one when it is needed.
 */
export interface Cancellation extends ServedOperation {
  /** `null` while the operation goes on. */
  readonly cause: CancelCause | null;
  /**
   * Calls `listener` once when the operation is cancelled, or at once if it already is. Listeners must not throw.
   * @returns a function that stops listening
   */
  onCancel(listener: (cause: CancelCause) => void): () => void;
  /** An `AbortSignal` for libraries that need one. Made when first read. */
  readonly signal: AbortSignal;
  /** Bytes that upstreams have answered for the operation. */
  bytesRead: number;
  held?: Held | undefined;
}

/** Counted memory of a request, freed when every `keep` was followed by a `release`. */
export interface Held {
  keep(): void;
  release(): void;
}

/** The side of a cancellation that the owner of the operation holds. */
export interface OpenCancellation extends Cancellation {
  /** Cancels the operation. Does nothing the second time, or after `finish`. */
  cancel(cause: CancelCause): void;
  /** Ends the operation: later cancellations do nothing. Safe to call twice. */
  finish(): void;
}

/** @param timeoutMs milliseconds after which the operation is cancelled with `timeout`; left out: never */
export function createCancellation(timeoutMs?: number): OpenCancellation {
  return new TimedCancellation(timeoutMs);
}

const nothing = () => {};

class TimedCancellation implements OpenCancellation {
  bytesRead = 0;
  calls = 0;
  held: Held | undefined;
  #cause: CancelCause | null = null;
  #isOver = false;
  #stopTimeout: () => void = nothing;
  #listeners: ((cause: CancelCause) => void)[] = [];
  #controller: AbortController | undefined;

  constructor(timeoutMs: number | undefined) {
    if (timeoutMs !== undefined) this.#stopTimeout = startPeerTimeout(timeoutMs, () => this.cancel('timeout'));
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
    // `finish` replaces the list, so a listener that stops listening now does not disturb this loop.
    this.finish();
    for (const listener of listeners) listener(cause);
    if (this.#controller) abort(this.#controller, cause);
  }

  finish(): void {
    this.#isOver = true;
    this.#stopTimeout();
    // Drop the listeners: an owner that keeps this object must not keep the calls in memory.
    this.#listeners = [];
  }
}

/** Aborts with the same reasons as `AbortSignal.timeout` and `AbortController.abort`. */
function abort(controller: AbortController, cause: CancelCause): void {
  controller.abort(cause === 'timeout' ? new DOMException('The operation timed out.', 'TimeoutError') : undefined);
}
