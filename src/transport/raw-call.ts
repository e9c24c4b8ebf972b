import type { Buffer } from 'node:buffer';
import type { Dispatcher } from 'undici';
import { type AnswerHeaders, toAnswerHeaders } from './answer-headers.ts';
import type { CancelCause } from './cancellation.ts';
import { toCancelledError, toConnectionError, UpstreamCallError } from './upstream-call-error.ts';

export interface RawRequest {
  readonly method: 'GET' | 'POST';
  /** Absolute path and query below the upstream's origin. */
  readonly path: string;
  /** Names and values by turns, names in lower case. */
  readonly headers: string[];
  readonly body: string | Uint8Array | null;
  /** Whole call, headers to last byte. */
  readonly timeoutMs: number;
  /**
   * Of a call that cannot be taken back, a mutation: how long it goes on beyond its time, unheard, in milliseconds. Once
   * it is sent, it is cut neither at its time nor when its caller leaves.
   */
  readonly runOnMs?: number | undefined;
  /** A read that carries nothing of its caller: identical ones under way together may be one call. */
  readonly isShareable?: boolean;
  /** How much of an answer is in when the listener is asked whether it takes it as it comes, in bytes; without it never. */
  readonly streamAboveBytes?: number;
}

/** An answer as it came, its body in the pieces it came in. */
export interface RawResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly chunks: readonly Buffer[];
  /** Of the body, in bytes. */
  readonly size: number;
}

/** One is told, once, and not before the whole answer is in. */
export interface RawListener {
  answered(response: RawResponse): void;
  failed(error: UpstreamCallError): void;
  /**
   * Asked once about an answer that is large and not all in. Whoever gives a sink takes what is in and all that follows
   * by that alone; `null` goes on collecting.
   * @param begun what is in
   * @param resume asks for more after a pause; not to be called from within `data`
   */
  stream?(begun: RawResponse, resume: () => void): RawSink | null;
  /** How a call ended that ran on after `failed` was told that it had no answer in time. */
  late?(outcome: RawResponse | UpstreamCallError): void;
}

/** Takes an answer as it comes. One of `end` and `failed` is told, once. */
export interface RawSink {
  /** @returns `false` to pause: nothing more comes until it is resumed, but for what was on its way */
  data(chunk: Buffer): boolean;
  /** The answer was whole. */
  end(): void;
  failed(error: UpstreamCallError): void;
}

export interface CallUnderWay {
  /** Gives up: the listener, or its sink, hears that, and nothing more of an answer. Does nothing once the call is over. */
  cancel(cause: CancelCause): void;
}

/** Calls an upstream by the shortest way. The listener may be told before this returns, if there is no way to call. */
export type RawCall = (request: RawRequest, listener: RawListener) => CallUnderWay;

/** A call that knows whether it has been written to a connection, or is about to be. */
export interface SentCall extends CallUnderWay {
  readonly isSent: boolean;
}

export type SendingCall = (request: RawRequest, listener: RawListener) => SentCall;

/** Sees how calls to one upstream end. */
export interface CallWatch {
  answered(status: number): void;
  failed(error: UpstreamCallError): void;
}

export interface RawCallOptions {
  /** Of one origin, which the calls go to. */
  readonly dispatcher: Dispatcher;
  /**
   * Answers above this are refused, in bytes. One that is taken as it comes is kept nowhere, and is refused all the same:
   * whether a client is served does not depend on whether others asked for the same, or on what is known of its document.
   */
  readonly maxResponseBytes: number;
  /** Answers that are taken as they come at once; what goes beyond is collected. Without it any number. */
  readonly maxStreams?: number;
  /** How long an answer that is taken as it comes may be paused, in milliseconds; then the call is cut. */
  readonly maxPauseMs?: number;
  /** Sent with requests that bring no authorization of their own; `null` = none. */
  readonly authorization?: string | null;
  readonly watch?: CallWatch;
}

/**
 * A pause holds a connection that others wait for, and ends when whoever reads has taken what there is, some 64 KiB:
 * whoever is there at all has in this time, by any line that carries large answers. Short beside the deadline of a call,
 * which those who only hold it would wait for.
 */
const usualMaxPauseMs = 5_000;

const nothing = () => {};
const noHeaders: readonly Buffer[] = [];
const unwatched: CallWatch = { answered: nothing, failed: nothing };

/**
 * Calls one upstream without signals, streams and promises, which cost more than all the rest of a small request.
 * Redirects are not followed and nothing is retried.
 */
export function createRawCall(options: RawCallOptions): SendingCall {
  const { dispatcher, maxResponseBytes: maxBytes, authorization = null, watch = unwatched } = options;
  const { maxStreams = Number.POSITIVE_INFINITY, maxPauseMs = usualMaxPauseMs } = options;
  const line: Line = { watch, maxBytes, maxStreams, maxPauseMs, streams: 0 };
  return ({ method, path, headers, body, timeoutMs, streamAboveBytes = Number.POSITIVE_INFINITY }, listener) => {
    const call = new Collector(listener, line, timeoutMs, streamAboveBytes);
    const sent = authorization === null ? headers : withAuthorization(headers, authorization);
    dispatcher.dispatch({ method, path, headers: sent, body }, call);
    return call;
  };
}

/** What all calls to one upstream have in common. */
interface Line {
  readonly watch: CallWatch;
  readonly maxBytes: number;
  readonly maxStreams: number;
  readonly maxPauseMs: number;
  /** Answers that are taken as they come, at this moment. */
  streams: number;
}

function withAuthorization(headers: string[], authorization: string): string[] {
  const hasOwn = headers.some((name, index) => index % 2 === 0 && name === 'authorization');
  return hasOwn ? headers : ['authorization', authorization, ...headers];
}

/**
 * Gathers one answer. Whatever comes first settles it: the answer, a failure, the deadline, or the caller giving up.
 * The handler is of the client's older form: the newer one is translated into it, with an object of all headers.
 */
class Collector implements Dispatcher.DispatchHandler, SentCall {
  readonly #listener: RawListener;
  readonly #line: Line;
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

  constructor(listener: RawListener, line: Line, timeoutMs: number, streamAboveBytes: number) {
    this.#listener = listener;
    this.#line = line;
    this.#streamAboveBytes = streamAboveBytes;
    this.#deadline = setTimeout(
      () => this.#giveUp(new UpstreamCallError('timeout', `no answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
  }

  /** It is told how to give up when it is about to be written. */
  get isSent(): boolean {
    return this.#abort !== undefined;
  }

  /** Also called when all is over, for every call: it must cost nothing then. */
  cancel(cause: CancelCause): void {
    if (!this.#isSettled) this.#giveUp(toCancelledError(cause));
  }

  onConnect(abort: (error?: Error) => void): void {
    this.#abort = abort;
    // It may have waited for a connection for longer than anybody waits for it.
    if (this.#gaveUp) abort(this.#gaveUp);
  }

  /** Called for each interim answer too; the last one counts. */
  onHeaders(status: number, headers: Buffer[], resume: () => void): boolean {
    this.#status = status;
    this.#headers = headers;
    this.#resume = resume;
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.#isSettled) return true;
    this.#size += chunk.length;
    if (this.#size > this.#line.maxBytes) {
      this.#refuseSize();
      return true;
    }
    if (this.#sink) return this.#sink.data(chunk) || this.#await();
    this.#chunks.push(chunk);
    if (this.#size > this.#streamAboveBytes) this.#offerStream();
    return true;
  }

  #refuseSize(): void {
    this.#giveUp(new UpstreamCallError('too-large', `answer over ${this.#line.maxBytes} bytes`));
  }

  #offerStream(): void {
    this.#streamAboveBytes = Number.POSITIVE_INFINITY;
    const line = this.#line;
    // Before anything of it is passed on there still is a way to say why it is not.
    if (Number(toAnswerHeaders(this.#headers).get('content-length')) > line.maxBytes) {
      this.#refuseSize();
      return;
    }
    if (line.streams >= line.maxStreams) return;
    this.#sink = this.#listener.stream?.(this.#toResponse(), () => this.#goOn()) ?? null;
    if (!this.#sink) return;
    this.#chunks = [];
    // It may have been given up meanwhile.
    if (!this.#isSettled) line.streams += 1;
  }

  /** Pauses, and waits for being resumed; of what was on its way nothing begins the wait anew. */
  #await(): false {
    const { maxPauseMs } = this.#line;
    // Nothing of this is the upstream's doing.
    const stalled = () => this.#giveUp(new UpstreamCallError('aborted', `not read on within ${maxPauseMs} ms`));
    this.#pause ??= setTimeout(stalled, maxPauseMs);
    return false;
  }

  #goOn(): void {
    if (this.#isSettled) return;
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#resume();
  }

  onComplete(): void {
    if (this.#isSettled) return;
    const response = this.#toResponse();
    this.#settle();
    this.#line.watch.answered(response.status);
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
    this.#line.watch.failed(error);
    (this.#sink ?? this.#listener).failed(error);
  }

  /** Whoever may still give up holds nothing of the answer. */
  #settle(): void {
    this.#isSettled = true;
    clearTimeout(this.#deadline);
    clearTimeout(this.#pause);
    if (this.#sink) this.#line.streams -= 1;
    this.#chunks = [];
    this.#headers = noHeaders;
  }
}
