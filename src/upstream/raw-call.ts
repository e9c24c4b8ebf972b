import type { Buffer } from 'node:buffer';
import type { CancelCause, ServedOperation } from './cancellation.ts';
import type { UpstreamCallError } from './upstream-call-error.ts';

/**
 * Makes one HTTP call to an upstream, with callbacks: signals, streams and promises would cost more than all else of a small
 * request. If the call is impossible, the listener may be called before this returns.
 */
export type RawCall = (request: RawRequest, listener: RawListener) => CallInFlight;

/**
 * Adds something to every call to an upstream, such as sharing, a retry, a circuit breaker or a span. `connect-upstream.ts`
 * has the list. A layer sees the operation and the attempt in the request.
 * @param upstream its name
 */
export type CallLayer = (next: RawCall, upstream: string) => RawCall;

export interface RawRequest {
  readonly method: 'GET' | 'POST';
  /** Absolute path and query below the upstream's origin. */
  readonly path: string;
  /** Names and values by turns, names in lower case. */
  readonly headers: readonly string[];
  readonly body: string | Uint8Array | null;
  /** Milliseconds that the whole call may take, to the last byte of its answer. */
  readonly timeoutMs: number;
  /**
   * Marks a call that cannot be undone, a mutation: milliseconds that it may go on beyond `timeoutMs`. It is not begun once
   * the operation is over. Once it is sent, neither its deadline nor a cancellation cuts it.
   */
  readonly runOnMs?: number | undefined;
  /** The operation that the call serves. Left out: none. A shared call serves that of its first member. */
  readonly operation?: ServedOperation | undefined;
  /** Which attempt of a call that is retried, from 1. Left out: the first. */
  readonly attempt?: number;
  /** Its answer is not given up for want of memory. */
  readonly isVital?: boolean;
  /** A read that carries nothing of its caller; identical ones in flight may share one call. */
  readonly isShareable?: boolean;
  /** The part of the body in which requests with the same document differ. Compared first, because it is shorter. */
  readonly variablesText?: string | undefined;
  /** Bytes of an incomplete answer above which the listener is offered to stream it. Left out: never. */
  readonly streamAboveBytes?: number;
}

export interface CallInFlight {
  /** The call has a connection: it was written to it, or is about to be. */
  readonly isSent: boolean;
  /** Cancels the call: its listener or sink is called with the failure, and not again. Does nothing once the call is over. */
  cancel(cause: CancelCause): void;
}

/** An answer as it arrived. */
export interface RawResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly chunks: readonly Buffer[];
  /** Bytes of all chunks. */
  readonly size: number;
}

/** Receives the end of a call: one of `answered` and `failed` is called, once, unless `stream` took the answer over. */
export interface RawListener {
  /** Called when the whole answer has arrived. */
  answered(response: RawResponse): void;
  failed(error: UpstreamCallError): void;
  /**
   * Offers to stream an answer that is large and not yet complete. Called at most once. A listener that returns a sink takes
   * what has arrived from `begun`, and gets the rest through the sink; with `null` the answer is collected.
   * @param resume asks for more after a pause; must not be called from within `data`
   */
  stream?(begun: RawResponse, resume: () => void): RawSink | null;
  /** Called with the end of a call that went on after `failed` had reported a timeout. */
  late?(outcome: RawResponse | UpstreamCallError): void;
}

/** Receives the rest of a streamed answer. One of `end` and `failed` is called, once. */
export interface RawSink {
  /** @returns `false` to pause; until `resume` only chunks that were already on their way follow */
  data(chunk: Buffer): boolean;
  /** The answer is complete. */
  end(): void;
  failed(error: UpstreamCallError): void;
}

/** Headers of an answer. Tests may use a `Map`. */
export interface AnswerHeaders {
  /** @param name in lower case. @returns a list if the header came several times, in the order of the answer */
  get(name: string): string | string[] | undefined;
}

/** Receives the outcome of one call. */
export interface CallWatch {
  /** @param durationMs from the call to the end of the response */
  answered(status: number, durationMs: number): void;
  /** @param durationMs left out if the call goes on */
  failed(error: UpstreamCallError, durationMs?: number): void;
}

/** A layer that only observes calls. @param begin called for each call before it is made */
export function watchCalls(begin: (request: RawRequest, upstream: string) => CallWatch): CallLayer {
  return (next, upstream) => (request, listener) =>
    next(request, new WatchedListener(begin(request, upstream), listener));
}

class WatchedListener implements RawListener, RawSink {
  readonly #watch: CallWatch;
  readonly #listener: RawListener;
  readonly #startedMs = performance.now();
  #sink: RawSink | null = null;
  #status = 0;

  constructor(watch: CallWatch, listener: RawListener) {
    this.#watch = watch;
    this.#listener = listener;
  }

  answered(response: RawResponse): void {
    this.#watch.answered(response.status, performance.now() - this.#startedMs);
    this.#listener.answered(response);
  }

  stream(begun: RawResponse, resume: () => void): RawSink | null {
    this.#status = begun.status;
    this.#sink = this.#listener.stream?.(begun, resume) ?? null;
    return this.#sink && this;
  }

  data(chunk: Buffer): boolean {
    return this.#sink?.data(chunk) ?? true;
  }

  end(): void {
    this.#watch.answered(this.#status, performance.now() - this.#startedMs);
    this.#sink?.end();
  }

  failed(error: UpstreamCallError): void {
    this.#watch.failed(error, performance.now() - this.#startedMs);
    (this.#sink ?? this.#listener).failed(error);
  }

  late(outcome: RawResponse | UpstreamCallError): void {
    this.#listener.late?.(outcome);
  }
}
