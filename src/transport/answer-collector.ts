import type { Buffer } from 'node:buffer';
import type { Dispatcher } from 'undici';
import { toAnswerHeaders } from './answer-headers.ts';
import type { SentCall } from './call-under-way.ts';
import type { CancelCause } from './cancellation.ts';
import type { RawListener, RawResponse, RawSink } from './raw-answer.ts';
import { toCancelledError, toConnectionError, UpstreamCallError } from './upstream-call-error.ts';
import type { CallWatch } from './upstream-health.ts';

/** What all calls to one upstream share. */
export interface SharedState {
  readonly watch: CallWatch;
  readonly maxBytes: number;
  readonly maxStreams: number;
  readonly maxPauseMs: number;
  /** Answers that are streamed at this moment. */
  streams: number;
}

const nothing = () => {};
const noHeaders: readonly Buffer[] = [];

/**
 * Collects one answer, or streams it. The first of these events settles the call: the answer, a failure, the deadline, or a
 * cancellation. Implements the older form of undici's handlers, since the newer one builds an object of all headers.
 */
export class AnswerCollector implements Dispatcher.DispatchHandler, SentCall {
  readonly #listener: RawListener;
  readonly #upstream: SharedState;
  readonly #deadline: NodeJS.Timeout;
  #streamAboveBytes: number;
  #sink: RawSink | null = null;
  #resume = nothing;
  #pause: NodeJS.Timeout | undefined;
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
    this.#deadline = setTimeout(
      () => this.#giveUp(new UpstreamCallError('timeout', `no answer within ${timeoutMs} ms`)),
      timeoutMs,
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
    this.#pause ??= setTimeout(stalled, maxPauseMs);
    return false;
  }

  #resumeAfterPause(): void {
    if (this.#isSettled) return;
    clearTimeout(this.#pause);
    this.#pause = undefined;
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
    clearTimeout(this.#deadline);
    clearTimeout(this.#pause);
    if (this.#sink) this.#upstream.streams -= 1;
    this.#chunks = [];
    this.#headers = noHeaders;
  }
}
