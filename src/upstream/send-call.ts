import type { Buffer } from 'node:buffer';
import type { Dispatcher } from 'undici';
import type { CancelCause } from './cancellation.ts';
import { startPeerTimeout } from './peer-timeout.ts';
import type { Place, PlaceFor } from './quota.ts';
import type {
  AnswerHeaders,
  CallInFlight,
  RawCall,
  RawListener,
  RawRequest,
  RawResponse,
  RawSink,
} from './raw-call.ts';
import { recycledMemory } from './recycled-memory.ts';
import { toCancelledError, toConnectionError, UpstreamCallError } from './upstream-call-error.ts';
import type { WaitingCall, WaitingCalls } from './waiting-calls.ts';

export interface SendCallOptions {
  readonly dispatcher: Dispatcher;
  /** Limits the calls that wait for a connection. Default: no limit. */
  readonly waiting?: WaitingCalls;
  /** Limits the memory of large responses that are still arriving, of all upstreams together. */
  readonly arrivals?: PlaceFor | undefined;
  /**
   * Bytes of the largest response. Larger ones are rejected, streamed ones too: whether a response is streamed depends on
   * other requests, and must not decide whether it is allowed.
   */
  readonly maxResponseBytes: number;
  /** Maximum of concurrently streamed responses; further ones are buffered. Default: no maximum. */
  readonly maxStreams?: number;
  /** Sent with requests that have no header of the same name. */
  readonly added?: AddedHeaders;
}

/** Sends calls to one upstream. Follows no redirects and never retries. */
export function createSendCall({ added = noAddedHeaders, ...options }: SendCallOptions): RawCall {
  const upstream: SharedState = { ...options, streams: 0 };
  return (request, listener) => {
    const { method, path, headers, body } = request;
    const sent = added.list.length === 0 ? headers : withHeaders(headers, added.list);
    const call = new AnswerCollector(listener, upstream, request, { method, path, headers: sent as string[], body });
    call.begin();
    return call;
  };
}

/** Headers as alternating names and values. The list is replaced when its file changes. */
export interface AddedHeaders {
  readonly list: readonly string[];
}

export const noAddedHeaders: AddedHeaders = { list: [] };

/** The headers as an object. */
export function toHeaderFields({ list } = noAddedHeaders): Record<string, string> {
  return Object.fromEntries(list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? '']] : [])));
}

/** The headers, and those of `added` that have another name. */
export function withHeaders(headers: readonly string[], added: readonly string[]): readonly string[] {
  const isOwn = (name: string | undefined) => headers.some((own, index) => index % 2 === 0 && own === name);
  return [...added.filter((_, index) => !isOwn(added[index - (index % 2)])), ...headers];
}

/** State shared by all calls to one upstream. */
interface SharedState extends Omit<SendCallOptions, 'added'> {
  streams: number;
}

/**
 * Milliseconds that a streamed response may be paused. A pause lasts until the client has read the buffer, about 64 KiB, and
 * holds a connection meanwhile. A client that does not read must not hold it until the call's timeout.
 */
const maxPauseMs = 5_000;
/** In bytes. Smaller responses are not counted while they arrive, because the number of connections limits them. */
const smallAnswer = 64 * 1024;
/** Bytes of the smallest response whose memory is worth reusing. */
const recycledBytes = 8 * 1024;
const noHeaders: Buffer[] = [];
const nothing = () => {};

/**
 * Buffers or streams one response. The first of these events settles the call: the complete response, a failure, the timeout,
 * or a cancellation. Implements undici's older handler interface, because the newer one builds an object of all headers.
 */
class AnswerCollector implements Dispatcher.DispatchHandler, CallInFlight, WaitingCall {
  readonly #listener: RawListener;
  readonly #upstream: SharedState;
  readonly #stopDeadline: () => void;
  readonly #isVital: boolean;
  readonly caller: string | undefined;
  slot = 0;
  /** `null` once it was passed to undici, or has ended. */
  #unsent: Dispatcher.DispatchOptions | null;
  #abort: ((error?: Error) => void) | undefined;
  #error: UpstreamCallError | undefined;
  #isSettled = false;

  #status = 0;
  #headers: Buffer[] = noHeaders;
  #chunks: Buffer[] = [];
  #size = 0;
  #arrival: Place | null = null;

  #streamAboveBytes: number;
  #sink: RawSink | null = null;
  #resume = nothing;
  #stopPause: (() => void) | undefined;

  constructor(
    listener: RawListener,
    upstream: SharedState,
    { timeoutMs, streamAboveBytes = Number.POSITIVE_INFINITY, isVital = false, operation }: RawRequest,
    unsent: Dispatcher.DispatchOptions,
  ) {
    this.#listener = listener;
    this.#upstream = upstream;
    this.#streamAboveBytes = streamAboveBytes;
    this.#isVital = isVital;
    this.caller = operation?.caller;
    this.#unsent = unsent;
    this.#stopDeadline = startPeerTimeout(timeoutMs, () =>
      this.#fail(new UpstreamCallError('timeout', `no answer within ${timeoutMs} ms`)),
    );
  }

  begin(): void {
    const { waiting } = this.#upstream;
    if (!waiting) this.send();
    else if (!waiting.begin(this)) this.#fail(new UpstreamCallError('crowded', 'too many calls wait for a connection'));
  }

  get bytes(): number {
    return (this.#unsent?.body as string | Uint8Array | null)?.length ?? 0;
  }

  send(): void {
    const options = this.#unsent;
    this.#unsent = null;
    if (options) this.#upstream.dispatcher.dispatch(options, this);
  }

  /** undici calls `onConnect` just before it writes the request. */
  get isSent(): boolean {
    return this.#abort !== undefined;
  }

  get isHeldBack(): boolean {
    return this.#unsent !== null && this.#upstream.waiting?.isHeldBack(this) === true;
  }

  /** Called for every call, mostly after its end, so it must be cheap then. */
  cancel(cause: CancelCause): void {
    if (!this.#isSettled) this.#fail(toCancelledError(cause));
  }

  onConnect(abort: (error?: Error) => void): void {
    this.#abort = abort;
    // The call may have failed while it waited for a connection.
    if (this.#error) abort(this.#error);
  }

  /** Called for interim responses (1xx) too; the last call counts. */
  onHeaders(status: number, headers: Buffer[], resume: () => void): boolean {
    this.#status = status;
    this.#headers = headers;
    this.#resume = resume;
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.#isSettled) return true;
    this.#size += chunk.length;
    if (this.#size > this.#upstream.maxResponseBytes) {
      this.#refuseSize();
      return true;
    }
    if (this.#sink) return this.#sink.data(chunk) || this.#awaitResume();
    this.#chunks.push(chunk);
    if (this.#size > smallAnswer && !this.#isVital) this.#countMemory();
    if (this.#size > this.#streamAboveBytes && !this.#isSettled) this.#offerStream();
    return true;
  }

  onComplete(): void {
    if (this.#isSettled) return;
    const response = this.#toResponse();
    if (this.#size >= recycledBytes) response.recycle = recycling(this.#headers, this.#chunks);
    this.#settle();
    if (this.#sink) this.#sink.end();
    else this.#listener.answered(response);
  }

  onError(error: Error): void {
    if (!this.#isSettled) this.#fail(toConnectionError(error, this.isSent));
  }

  #countMemory(): void {
    const abandon = () =>
      this.#fail(new UpstreamCallError('crowded-out', 'the answers that arrive take too much memory'));
    this.#arrival ??= this.#upstream.arrivals?.enter(this.caller ?? '', abandon) ?? null;
    this.#arrival?.hold(this.#size);
  }

  #refuseSize(): void {
    this.#fail(new UpstreamCallError('too-large', `answer over ${this.#upstream.maxResponseBytes} bytes`));
  }

  #offerStream(): void {
    this.#streamAboveBytes = Number.POSITIVE_INFINITY;
    const upstream = this.#upstream;
    // Reject a declared size that is too large now, while the client can still get an error.
    if (Number(toAnswerHeaders(this.#headers).get('content-length')) > upstream.maxResponseBytes) {
      this.#refuseSize();
      return;
    }
    if (upstream.maxStreams !== undefined && upstream.streams >= upstream.maxStreams) return;
    this.#sink = this.#listener.stream?.(this.#toResponse(), () => this.#resumeAfterPause()) ?? null;
    if (!this.#sink) return;
    this.#chunks = [];
    // The listener may have cancelled the call from within `stream`.
    if (!this.#isSettled) upstream.streams += 1;
  }

  /** Starts the timeout of a pause. Chunks that were already on their way do not restart it. */
  #awaitResume(): false {
    // `aborted`, so that the slow client does not affect the upstream's health.
    const stalled = () => this.#fail(new UpstreamCallError('aborted', `not read on within ${maxPauseMs} ms`));
    this.#stopPause ??= startPeerTimeout(maxPauseMs, stalled);
    return false;
  }

  #resumeAfterPause(): void {
    if (this.#isSettled) return;
    this.#stopPause?.();
    this.#stopPause = undefined;
    this.#resume();
  }

  #toResponse(): RawResponse {
    const headers = toAnswerHeaders(this.#headers);
    return { status: this.#status, headers, chunks: this.#chunks, size: this.#size };
  }

  #fail(error: UpstreamCallError): void {
    if (this.#isSettled) return;
    this.#error = error;
    this.#settle();
    this.#abort?.(error);
    (this.#sink ?? this.#listener).failed(error);
  }

  /** Ends the call. Drops the response, because the caller may hold this object for longer. */
  #settle(): void {
    this.#isSettled = true;
    this.#stopDeadline();
    this.#stopPause?.();
    if (this.#sink) this.#upstream.streams -= 1;
    this.#arrival?.leave();
    this.#chunks = [];
    this.#headers = noHeaders;
    if (this.#unsent) this.#upstream.waiting?.leave(this);
    else this.#upstream.waiting?.ended(this);
    this.#unsent = null;
  }
}

/** Empties both lists, so that a response whose memory was reused is never read. The headers share a block with the first chunk. */
function recycling(headers: Buffer[], chunks: Buffer[]): () => void {
  return () => {
    recycledMemory.giveBack(headers);
    recycledMemory.giveBack(chunks);
  };
}

/**
 * Reads headers from raw bytes. Decodes a header only on access: callers need one or two of a dozen.
 * @param raw alternating names and values
 */
export function toAnswerHeaders(raw: readonly Buffer[]): AnswerHeaders {
  return {
    get(name) {
      let found: string | string[] | undefined;
      for (let index = 0; index < raw.length; index += 2) {
        if (!isNamed(raw[index], name)) continue;
        const value = raw[index + 1]?.toString('latin1') ?? '';
        if (found === undefined) found = value;
        else found = typeof found === 'string' ? [found, value] : [...found, value];
      }
      return found;
    },
  };
}

const [upperA, upperZ, lowerBit] = [0x41, 0x5a, 0x20];

function isNamed(bytes: Buffer | undefined, name: string): boolean {
  if (bytes?.length !== name.length) return false;
  for (let index = 0; index < name.length; index += 1) {
    const byte = bytes[index] ?? 0;
    const lower = byte >= upperA && byte <= upperZ ? byte | lowerBit : byte;
    if (lower !== name.charCodeAt(index)) return false;
  }
  return true;
}
