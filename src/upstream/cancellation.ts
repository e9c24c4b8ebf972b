import type { Trace } from '../telemetry/trace.ts';
import { startPeerTimeout } from './peer-timeout.ts';

/** Why an operation ended early. `aborted`: its client left. `timeout`: its timeout expired. */
export type CancelCause = 'aborted' | 'timeout';

/** The part of an operation that layers of upstream calls see. */
export interface ServedOperation {
  /** Number of upstream calls begun for the operation. */
  calls: number;
  /** Memory of the client's request. A mutation keeps it until its upstream call has ended. */
  readonly held?: RequestMemory | undefined;
  /** Span of the operation. Left out or `null`: it is not traced. */
  readonly trace?: Trace | null | undefined;
  /** Key of the caller's rate limit. Left out: the gateway itself. */
  readonly caller?: string | undefined;
}

/** Counted memory of a request, freed after a `release` for every `keep`. */
export interface RequestMemory {
  keep(): void;
  release(): void;
}

/** A cancellation without what only the owner of the operation uses. */
export type Cancellation = Omit<OpenCancellation, 'cancel' | 'finish'>;

/** @param timeoutMs milliseconds after which the operation is cancelled with `timeout`; left out: no timeout */
export function createCancellation(timeoutMs?: number): OpenCancellation {
  return new OpenCancellation(timeoutMs);
}

const nothing = () => {};

/**
 * Cancels the work for an operation. Replaces an `AbortSignal`, which costs ten times as much and would be created for every
 * request; `signal` creates one on demand.
 */
export class OpenCancellation implements ServedOperation {
  bytesRead = 0;
  calls = 0;
  held?: RequestMemory | undefined;
  trace?: Trace | null | undefined = null;
  caller?: string | undefined = undefined;
  #cause: CancelCause | null = null;
  #isOver = false;
  #stopTimeout: () => void = nothing;
  #listeners: ((cause: CancelCause) => void)[] = [];
  #controller: AbortController | undefined;

  constructor(timeoutMs: number | undefined) {
    if (timeoutMs !== undefined) this.#stopTimeout = startPeerTimeout(timeoutMs, () => this.cancel('timeout'));
  }

  /** `null` while the operation runs. */
  get cause(): CancelCause | null {
    return this.#cause;
  }

  /** An `AbortSignal` for libraries that need one. Created on first use. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#cause) abort(this.#controller, this.#cause);
    }
    return this.#controller.signal;
  }

  /**
   * Calls `listener` once when the operation is cancelled, or immediately if it is cancelled already. Listeners must not
   * throw.
   * @returns a function that removes the listener
   */
  onCancel(listener: (cause: CancelCause) => void): () => void {
    if (this.#cause) listener(this.#cause);
    if (this.#isOver) return nothing;
    // A new list, because V8 reserves 17 places for a list that grows, and there may be ten thousand streams.
    this.#listeners = [...this.#listeners, listener];
    return () => {
      const at = this.#listeners.indexOf(listener);
      if (at >= 0) this.#listeners.splice(at, 1);
    };
  }

  /** Cancels the operation. A second call, or a call after `finish`, does nothing. */
  cancel(cause: CancelCause): void {
    if (this.#isOver) return;
    this.#cause = cause;
    const listeners = this.#listeners;
    // `finish` replaces the list, so a listener that removes itself now does not disturb this loop.
    this.finish();
    for (const listener of listeners) listener(cause);
    if (this.#controller) abort(this.#controller, cause);
  }

  /** Ends the operation: later cancellations do nothing. Safe to call twice. */
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
