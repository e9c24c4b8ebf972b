import type { Buffer } from 'node:buffer';
import type { AnswerHeaders } from './answer-headers.ts';
import type { UpstreamCallError } from './upstream-call-error.ts';

/** An answer as it came, its body in the chunks it came in. */
export interface RawResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly chunks: readonly Buffer[];
  /** Bytes of all chunks. */
  readonly size: number;
}

/** Receives the end of a call: one of `answered` and `failed` is called, once, unless `stream` took the answer over. */
export interface RawListener {
  /** Called when the whole answer is in. */
  answered(response: RawResponse): void;
  failed(error: UpstreamCallError): void;
  /**
   * Offers to stream an answer that is large and not yet complete. Asked at most once. A listener that returns a sink takes
   * what has come so far from `begun`, and hears everything else through the sink; with `null` the answer is collected.
   * @param begun the answer so far
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
