import type { Buffer } from 'node:buffer';
import type { Dispatcher } from 'undici';
import type { CancelCause } from './cancellation.ts';
import { startPeerTimeout } from './peer-timeout.ts';
import {
  type CallUnderWay,
  type RawListener,
  type RawResponse,
  type RawSink,
  type SentCall,
  toAnswerHeaders,
} from './raw-answer.ts';
import { toCancelledError, toConnectionError, UpstreamCallError } from './upstream-call-error.ts';
import type { CallWatch } from './upstream-health.ts';

export interface RawRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query, beginning with `/`. */
  readonly path: string;
  /** Names and values by turns, names in lower case. */
  readonly headers: readonly string[];
  readonly body: string | Uint8Array | null;
  /** Milliseconds that the whole call may take, to the last byte of its answer. */
  readonly timeoutMs: number;
  /**
   * Marks a call that cannot be undone, a mutation: milliseconds that it may go on beyond `timeoutMs`. Once it is sent, neither
   * its deadline nor a cancellation cuts it.
   */
  readonly runOnMs?: number | undefined;
  /** A read that carries nothing of its caller; identical ones under way may share one call. */
  readonly isShareable?: boolean;
  /** The part of the body in which requests with the same document differ. Compared first, because it is shorter. */
  readonly variablesText?: string;
  /** Bytes of an incomplete answer after which the listener is offered to stream it; left out: never. */
  readonly streamAboveBytes?: number;
}

/** Calls an upstream. If the call is impossible, the listener may be told before this returns. */
export type RawCall = (request: RawRequest, listener: RawListener) => CallUnderWay;

export type SendingCall = (request: RawRequest, listener: RawListener) => SentCall;

export interface RawCallOptions {
  /** The connections to one origin. */
  readonly dispatcher: Dispatcher;
  /**
   * Bytes of the largest answer. Larger ones are refused, streamed ones too: whether an answer is streamed depends on other
   * requests, and must not decide whether a client is served.
   */
  readonly maxResponseBytes: number;
  /** Answers that are streamed at once; further ones are collected. Left out: any number. */
  readonly maxStreams?: number;
  /** Milliseconds that a streamed answer may be paused; then the call is cut. */
  readonly maxPauseMs?: number;
  /** Sent with requests that have no authorization header of their own; `null` = none. */
  readonly authorization?: string | null;
  readonly watch?: CallWatch;
}

/**
 * A pause lasts until the client has read what is buffered, some 64 KiB, and holds a connection meanwhile. Any client that
 * reads at all has done so in this time; one that does not must not hold the connection until the deadline of the call.
 */
const defaultMaxPauseMs = 5_000;

const nothing = () => {};
const unwatched: CallWatch = { answered: nothing, failed: nothing };

/**
 * Makes calls to one upstream, with callbacks: signals, streams and promises would cost more than all else of a small
 * request. Follows no redirects and never retries.
 */
export function createRawCall(options: RawCallOptions): SendingCall {
  const { dispatcher, maxResponseBytes: maxBytes, authorization = null, watch = unwatched } = options;
  const { maxStreams = Number.POSITIVE_INFINITY, maxPauseMs = defaultMaxPauseMs } = options;
  const shared: SharedState = { watch, maxBytes, maxStreams, maxPauseMs, streams: 0 };
  return ({ method, path, headers, body, timeoutMs, streamAboveBytes = Number.POSITIVE_INFINITY }, listener) => {
    const call = new AnswerCollector(listener, shared, timeoutMs, streamAboveBytes);
    const sent = authorization === null ? headers : withAuthorization(headers, authorization);
    dispatcher.dispatch({ method, path, headers: sent as string[], body }, call);
    return call;
  };
}

function withAuthorization(headers: readonly string[], authorization: string): readonly string[] {
  const hasOwn = headers.some((name, index) => index % 2 === 0 && name === 'authorization');
  return hasOwn ? headers : ['authorization', authorization, ...headers];
}

/** What all calls to one upstream share. */
interface SharedState {
  readonly watch: CallWatch;
  readonly maxBytes: number;
  readonly maxStreams: number;
  readonly maxPauseMs: number;
  /** Answers that are streamed at this moment. */
  streams: number;
}

const noHeaders: readonly Buffer[] = [];

/**
 * Collects one answer, or streams it. The first of these events settles the call: the answer, a failure, the deadline, or a
 * cancellation. Implements the older form of undici's handlers, since the newer one builds an object of all headers.
 */
class AnswerCollector implements Dispatcher.DispatchHandler, SentCall {
  readonly #listener: RawListener;
  readonly #upstream: SharedState;
  readonly #stopDeadline: () => void;
  #streamAboveBytes: number;
  #sink: RawSink | null = null;
  #resume = nothing;
  #stopPause: (() => void) | undefined;
  #abort: ((error?: Error) => void) | undefined;
  #gaveUp: UpstreamCallError | undefined;
  #isSettled = false;
  #status = 0;
  #headers: readonly Buffer[] = noHeaders;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(listener: RawListener, upstream: SharedState, timeoutMs: number, streamAboveBytes: number) {
    this.#listener = listener;
    this.#upstream = upstream;
    this.#streamAboveBytes = streamAboveBytes;
    this.#stopDeadline = startPeerTimeout(timeoutMs, () =>
      this.#giveUp(new UpstreamCallError('timeout', `no answer within ${timeoutMs} ms`)),
    );
  }

  /** undici calls `onConnect` when it is about to write the request. */
  get isSent(): boolean {
    return this.#abort !== undefined;
  }

  /** Called for every call, mostly after its end, so it must cost nothing then. */
  cancel(cause: CancelCause): void {
    if (!this.#isSettled) this.#giveUp(toCancelledError(cause));
  }

  onConnect(abort: (error?: Error) => void): void {
    this.#abort = abort;
    // The call may have been given up while it waited for a connection.
    if (this.#gaveUp) abort(this.#gaveUp);
  }

  /** Called for interim answers (1xx) too; the last call counts. */
  onHeaders(status: number, headers: Buffer[], resume: () => void): boolean {
    this.#status = status;
    this.#headers = headers;
    this.#resume = resume;
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.#isSettled) return true;
    this.#size += chunk.length;
    if (this.#size > this.#upstream.maxBytes) {
      this.#refuseSize();
      return true;
    }
    if (this.#sink) return this.#sink.data(chunk) || this.#awaitResume();
    this.#chunks.push(chunk);
    if (this.#size > this.#streamAboveBytes) this.#offerStream();
    return true;
  }

  #refuseSize(): void {
    this.#giveUp(new UpstreamCallError('too-large', `answer over ${this.#upstream.maxBytes} bytes`));
  }

  #offerStream(): void {
    this.#streamAboveBytes = Number.POSITIVE_INFINITY;
    const upstream = this.#upstream;
    // Refuse a size that is announced too large now, while the client can still be told why.
    if (Number(toAnswerHeaders(this.#headers).get('content-length')) > upstream.maxBytes) {
      this.#refuseSize();
      return;
    }
    if (upstream.streams >= upstream.maxStreams) return;
    this.#sink = this.#listener.stream?.(this.#toResponse(), () => this.#resumeAfterPause()) ?? null;
    if (!this.#sink) return;
    this.#chunks = [];
    // The listener may have cancelled the call from within `stream`.
    if (!this.#isSettled) upstream.streams += 1;
  }

  /** Starts the wait for `resume`. Chunks that were already on their way do not restart it. */
  #awaitResume(): false {
    const { maxPauseMs } = this.#upstream;
    // `aborted`, so that the slow client does not count against the upstream's health.
    const stalled = () => this.#giveUp(new UpstreamCallError('aborted', `not read on within ${maxPauseMs} ms`));
    this.#stopPause ??= startPeerTimeout(maxPauseMs, stalled);
    return false;
  }

  #resumeAfterPause(): void {
    if (this.#isSettled) return;
    this.#stopPause?.();
    this.#stopPause = undefined;
    this.#resume();
  }

  onComplete(): void {
    if (this.#isSettled) return;
    const response = this.#toResponse();
    this.#settle();
    this.#upstream.watch.answered(response.status);
    if (this.#sink) this.#sink.end();
    else this.#listener.answered(response);
  }

  #toResponse(): RawResponse {
    return {
      status: this.#status,
      headers: toAnswerHeaders(this.#headers),
      chunks: this.#chunks,
      size: this.#size,
    };
  }

  onError(error: Error): void {
    if (this.#isSettled) return;
    this.#settle();
    this.#tellFailure(toConnectionError(error, this.#abort !== undefined));
  }

  #giveUp(error: UpstreamCallError): void {
    if (this.#isSettled) return;
    this.#gaveUp = error;
    this.#settle();
    this.#abort?.(error);
    this.#tellFailure(error);
  }

  #tellFailure(error: UpstreamCallError): void {
    this.#upstream.watch.failed(error);
    (this.#sink ?? this.#listener).failed(error);
  }

  /** Ends the call. Drops the answer, because the caller may hold this object for longer. */
  #settle(): void {
    this.#isSettled = true;
    this.#stopDeadline();
    this.#stopPause?.();
    if (this.#sink) this.#upstream.streams -= 1;
    this.#chunks = [];
    this.#headers = noHeaders;
  }
}
