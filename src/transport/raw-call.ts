import type { Buffer } from 'node:buffer';
import type { Dispatcher } from 'undici';
import { toConnectionError, UpstreamCallError, type UpstreamResponse } from './upstream-call.ts';

export interface RawRequest {
  /** Absolute path and query below the upstream's origin. */
  readonly path: string;
  /** Names and values by turns. */
  readonly headers: string[];
  /** Sent by POST. */
  readonly body: string;
  /** Whole call, headers to last byte. */
  readonly timeoutMs: number;
}

/** An answer as it came, its body in the pieces it came in. */
export interface RawResponse extends Pick<UpstreamResponse, 'status' | 'headers'> {
  readonly chunks: readonly Buffer[];
  /** Of the body, in bytes. */
  readonly size: number;
}

/** One is told, once, and not before the whole answer is in. */
export interface RawListener {
  answered(response: RawResponse): void;
  failed(error: UpstreamCallError): void;
}

/**
 * Posts to an upstream by the shortest way. Returns how to give up: the listener then hears nothing more of an answer,
 * only that the call was aborted.
 */
export type RawCall = (request: RawRequest, listener: RawListener) => () => void;

export interface RawCallOptions {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly dispatcher: Dispatcher;
  /** Answers above this are refused, in bytes. */
  readonly maxResponseBytes: number;
}

/**
 * The same call as the ordinary one without its signals and streams, which cost more than all the rest of a small request.
 * Redirects are not followed and nothing is retried.
 */
export function createRawCall(options: RawCallOptions): RawCall {
  return (request, listener) => {
    const handler = new Collector(listener, request.timeoutMs, options.maxResponseBytes);
    const { path, headers, body } = request;
    options.dispatcher.dispatch({ origin: options.origin, method: 'POST', path, headers, body }, handler);
    return () => handler.cancel();
  };
}

/** Gathers one answer. Whatever comes first settles it: the answer, a failure, the deadline, or the caller giving up. */
class Collector implements Dispatcher.DispatchHandler {
  readonly #listener: RawListener;
  readonly #maxBytes: number;
  readonly #deadline: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #gaveUp: UpstreamCallError | undefined;
  #isSettled = false;
  #status = 0;
  #headers: RawResponse['headers'] = {};
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(listener: RawListener, timeoutMs: number, maxBytes: number) {
    this.#listener = listener;
    this.#maxBytes = maxBytes;
    this.#deadline = setTimeout(
      () => this.#giveUp(new UpstreamCallError('timeout', `no answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
  }

  /** Also called when all is over, for every call: it must cost nothing then. */
  cancel(): void {
    if (!this.#isSettled) this.#giveUp(new UpstreamCallError('aborted', 'cancelled'));
  }

  #giveUp(error: UpstreamCallError): void {
    this.#gaveUp = error;
    this.#settle();
    this.#controller?.abort(error);
    this.#listener.failed(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It may have waited for a connection for longer than anybody waits for it.
    if (this.#gaveUp) controller.abort(this.#gaveUp);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return;
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes)
      this.#giveUp(new UpstreamCallError('too-large', `answer over ${this.#maxBytes} bytes`));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#isSettled) return;
    this.#settle();
    const chunks = this.#chunks;
    // Who may still give up would keep the answer until then.
    this.#chunks = [];
    this.#listener.answered({ status: this.#status, headers: this.#headers, chunks, size: this.#size });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isSettled) return;
    this.#settle();
    this.#listener.failed(toConnectionError(error));
  }

  #settle(): void {
    this.#isSettled = true;
    clearTimeout(this.#deadline);
  }
}
