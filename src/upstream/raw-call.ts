import type { Buffer } from 'node:buffer';
import type { Dispatcher } from 'undici';
import type { Arrival, Arrivals } from './arrivals.ts';
import type { CancelCause, Held } from './cancellation.ts';
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
import type { WaitingCall, WaitingCalls } from './waiting-calls.ts';

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
  /** Memory of the client's request; such a call keeps it until it is over. */
  readonly held?: Held | undefined;
  /** Its answer is not given up for want of memory. */
  readonly isVital?: boolean;
  /** A read that carries nothing of its caller; identical ones under way may share one call. */
  readonly isShareable?: boolean;
  /** The part of the body in which requests with the same document differ. Compared first, because it is shorter. */
  readonly variablesText?: string | undefined;
  /** Bytes of an incomplete answer after which the listener is offered to stream it; left out: never. */
  readonly streamAboveBytes?: number;
}

/** Calls an upstream. If the call is impossible, the listener may be told before this returns. */
export type RawCall = (request: RawRequest, listener: RawListener) => CallUnderWay;

export type SendingCall = (request: RawRequest, listener: RawListener) => SentCall;

export interface RawCallOptions {
  /** The connections to one origin. */
  readonly dispatcher: Dispatcher;
  /** Bounds the calls that wait for one of them. Left out: any number may. */
  readonly waiting?: WaitingCalls;
  /** Bounds the memory of large answers that have arrived in part, of all upstreams together. */
  readonly arrivals?: Arrivals;
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
  const { maxStreams = Number.POSITIVE_INFINITY, maxPauseMs = defaultMaxPauseMs, waiting, arrivals } = options;
  const shared: SharedState = { dispatcher, waiting, arrivals, watch, maxBytes, maxStreams, maxPauseMs, streams: 0 };
  return (request, listener) => {
    const { method, path, headers, body } = request;
    const sent = authorization === null ? headers : withAuthorization(headers, authorization);
    const call = new AnswerCollector(listener, shared, request, { method, path, headers: sent as string[], body });
    call.begin();
    return call;
  };
}

function withAuthorization(headers: readonly string[], authorization: string): readonly string[] {
  const hasOwn = headers.some((name, index) => index % 2 === 0 && name === 'authorization');
  return hasOwn ? headers : ['authorization', authorization, ...headers];
}

/** What all calls to one upstream share. */
interface SharedState {
  readonly dispatcher: Dispatcher;
  readonly waiting: WaitingCalls | undefined;
  readonly arrivals: Arrivals | undefined;
  readonly watch: CallWatch;
  readonly maxBytes: number;
  readonly maxStreams: number;
  readonly maxPauseMs: number;
  /** Answers that are streamed at this moment. */
  streams: number;
}

const noHeaders: readonly Buffer[] = [];
/** In bytes. Smaller answers are not counted while they arrive: the number of connections bounds them. */
const smallAnswer = 64 * 1024;

/**
 * Collects one answer, or streams it. The first of these events settles the call: the answer, a failure, the deadline, or a
 * cancellation. Implements the older form of undici's handlers, since the newer one builds an object of all headers.
 */
class AnswerCollector implements Dispatcher.DispatchHandler, SentCall, WaitingCall {
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
  readonly #isVital: boolean;
  #arrival: Arrival | null = null;
  /** `null` once it was handed to the connections, or is over. */
  #unsent: Dispatcher.DispatchOptions | null;

  constructor(
    listener: RawListener,
    upstream: SharedState,
    { timeoutMs, streamAboveBytes = Number.POSITIVE_INFINITY, isVital = false }: RawRequest,
    unsent: Dispatcher.DispatchOptions,
  ) {
    this.#listener = listener;
    this.#upstream = upstream;
    this.#streamAboveBytes = streamAboveBytes;
    this.#isVital = isVital;
    this.#unsent = unsent;
    this.#stopDeadline = startPeerTimeout(timeoutMs, () =>
      this.#giveUp(new UpstreamCallError('timeout', `no answer within ${timeoutMs} ms`)),
    );
  }

  begin(): void {
    const { waiting } = this.#upstream;
    if (!waiting) this.send();
    else if (!waiting.begin(this))
      this.#giveUp(new UpstreamCallError('crowded', 'too many calls wait for a connection'));
  }

  get bytes(): number {
    return (this.#unsent?.body as string | Uint8Array | null)?.length ?? 0;
  }

  send(): void {
    const options = this.#unsent;
    this.#unsent = null;
    if (options) this.#upstream.dispatcher.dispatch(options, this);
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
    if (this.#size > smallAnswer && !this.#isVital) this.#count();
    if (this.#size > this.#streamAboveBytes && !this.#isSettled) this.#offerStream();
    return true;
  }

  #count(): void {
    const giveUp = () =>
      this.#giveUp(new UpstreamCallError('crowded-out', 'the answers that arrive take too much memory'));
    this.#arrival ??= this.#upstream.arrivals?.begin(giveUp) ?? null;
    this.#arrival?.hold(this.#size);
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
    this.#arrival?.leave();
    this.#chunks = [];
    this.#headers = noHeaders;
    if (this.#unsent) this.#upstream.waiting?.leave(this);
    else this.#upstream.waiting?.ended();
    this.#unsent = null;
  }
}
