import type { Dispatcher } from 'undici';
import { AnswerCollector, type SharedState } from './answer-collector.ts';
import type { CallUnderWay, SentCall } from './call-under-way.ts';
import type { RawListener } from './raw-answer.ts';
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
