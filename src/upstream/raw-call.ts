import type { Buffer } from 'node:buffer';
import type { CancelCause, ServedOperation } from './cancellation.ts';
import type { AddressState } from './choose-address.ts';
import type { UpstreamCallError } from './upstream-call-error.ts';

/**
 * Makes one HTTP call to an upstream, with callbacks, because signals, streams and promises would cost more than all other
 * work of a small request. If the call is impossible, the listener may be called before this returns.
 */
export type RawCall = (request: RawRequest, listener: RawListener) => CallInFlight;

/**
 * Wraps every call to an upstream, for example for sharing, a retry, a circuit breaker or a span. `connect-upstream.ts` has
 * them. The request contains the operation and the attempt.
 */
export type CallLayer = (next: RawCall) => RawCall;

export interface RawRequest {
  readonly method: 'GET' | 'POST';
  /** Absolute path and query below the upstream's origin. */
  readonly path: string;
  /** Alternating names and values, names in lower case. */
  readonly headers: readonly string[];
  readonly body: string | Uint8Array | null;
  /** Timeout of the whole call in milliseconds, to the last byte of the response. */
  readonly timeoutMs: number;
  /**
   * Marks a call that cannot be cancelled once sent, a mutation: milliseconds for which it may continue after `timeoutMs`. It
   * is not sent if the operation has ended. Once sent, neither timeout nor cancellation stops it.
   */
  readonly runOnMs?: number | undefined;
  /** The operation that made the call. Left out: none. A shared call has the operation of its first member. */
  readonly operation?: ServedOperation | undefined;
  /** Number of the attempt, from 1, for a layer that retries. Left out: 1. */
  readonly attempt?: number;
  /** Its response must arrive even if memory is short. */
  readonly isVital?: boolean;
  /** A read without data about its caller; identical ones in flight may share one call. */
  readonly isShareable?: boolean;
  /** The part of the body that differs between requests with the same document. Compared first, because it is shorter. */
  readonly variablesText?: string | undefined;
  /**
   * The oldest data with which the request can be answered, if the upstream has several addresses; `Infinity` = the newest that
   * any address has. Left out: any.
   */
  readonly least?: number | null | undefined;
  /** Size in bytes above which the listener may stream an incomplete response. Left out: never. */
  readonly streamAboveBytes?: number;
}

export interface CallInFlight {
  /** The call has a connection: it was sent, or is being sent. */
  readonly isSent: boolean;
  /** Waits for calls of its own caller, which has more than its share in flight. Left out: it does not. */
  readonly isHeldBack?: boolean;
  /** Cancels the call: its listener or sink gets the failure as its last event. Does nothing once the call has ended. */
  cancel(cause: CancelCause): void;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly chunks: readonly Buffer[];
  readonly size: number;
  /** The address that sent it, if the upstream has several. */
  from?: AnswerOrigin | undefined;
  /**
   * Reuses the memory of the chunks. Call only when nothing reads them any more, neither a socket nor another listener; without
   * a call they become garbage. Absent if there is nothing to reuse.
   */
  recycle?: (() => void) | undefined;
}

/** What tells whether an address serves the network in force. */
export type AnswerOrigin = Pick<AddressState, 'confirmedMs' | 'otherMs'>;

/**
 * Receives the end of a call: exactly one of `answered` and `failed` is called, once, unless `stream` took over the response.
 */
export interface RawListener {
  /** Called when the whole response has arrived. */
  answered(response: RawResponse): void;
  failed(error: UpstreamCallError): void;
  /**
   * Offers to stream a large, incomplete response. Called at most once. A listener that returns a sink reads the bytes
   * received so far from `begun`, and gets the rest through the sink; with `null` the response is buffered.
   * @param resume ends a pause; must not be called from within `data`
   */
  stream?(begun: RawResponse, resume: () => void): RawSink | null;
  /** Called with the end of a call that continued after `failed` had reported a timeout. */
  late?(outcome: RawResponse | UpstreamCallError): void;
}

/** Receives the rest of a streamed response. One of `end` and `failed` is called, once. */
export interface RawSink {
  /** @returns `false` to pause: until `resume`, only chunks that were already on their way follow */
  data(chunk: Buffer): boolean;
  end(): void;
  failed(error: UpstreamCallError): void;
}

/** Headers of a response. Tests may use a `Map`. */
export interface AnswerHeaders {
  /** @param name in lower case. @returns a list if the header came several times, in the order of the response */
  get(name: string): string | string[] | undefined;
}

export interface CallWatch {
  /** @param durationMs from the call to the end of the response */
  answered(status: number, durationMs: number): void;
  /**
   * @param durationMs left out if the call continues
   * @param caller key of the operation's caller; left out: the gateway itself
   */
  failed(error: UpstreamCallError, durationMs?: number, caller?: string): void;
}

/** A layer that makes a span of each call for an operation that is traced. @param host of the upstream */
export function traceCalls(upstream: string, host: string): CallLayer {
  return (next) => (request, listener) => {
    const trace = request.operation?.trace;
    if (!trace) return next(request, listener);
    const span = trace.startCall(upstream, host, request.method, request.attempt ?? 1);
    const watch: CallWatch = { answered: span.ended, failed: ({ failure }) => span.ended(failure) };
    const traced = { ...request, headers: [...request.headers, ...span.headers] };
    return next(traced, new WatchedListener(watch, listener, request));
  };
}

/** A layer that only observes calls. */
export function watchCalls(watch: CallWatch): CallLayer {
  return (next) => (request, listener) => next(request, new WatchedListener(watch, listener, request));
}

class WatchedListener implements RawListener, RawSink {
  readonly #watch: CallWatch;
  readonly #listener: RawListener;
  readonly #caller: string | undefined;
  readonly #startedMs = performance.now();
  #sink: RawSink | null = null;
  #status = 0;

  constructor(watch: CallWatch, listener: RawListener, { operation }: RawRequest) {
    this.#watch = watch;
    this.#listener = listener;
    this.#caller = operation?.caller;
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
    this.#watch.failed(error, performance.now() - this.#startedMs, this.#caller);
    (this.#sink ?? this.#listener).failed(error);
  }

  late(outcome: RawResponse | UpstreamCallError): void {
    this.#listener.late?.(outcome);
  }
}
