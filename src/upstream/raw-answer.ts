import type { Buffer } from 'node:buffer';
import type { CancelCause } from './cancellation.ts';
import type { UpstreamCallError } from './upstream-call-error.ts';

export interface CallUnderWay {
  /** Cancels the call: its listener or sink is told so, and nothing more. Does nothing once the call is over. */
  cancel(cause: CancelCause): void;
}

/** A call that knows whether it was sent. */
export interface SentCall extends CallUnderWay {
  /** The call has a connection: it was written to it, or is about to be. */
  readonly isSent: boolean;
}

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

/** Headers of an answer. Tests may use a `Map`. */
export interface AnswerHeaders {
  /** @param name in lower case. @returns a list if the header came several times, in the order of the answer */
  get(name: string): string | string[] | undefined;
}

/**
 * Reads headers from the connection's bytes. Decodes a header only when it is asked for, since of a dozen only one or two
 * are.
 * @param raw names and values by turns
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

const upperA = 0x41;
const upperZ = 0x5a;
const lowerBit = 0x20;

function isNamed(bytes: Buffer | undefined, name: string): boolean {
  if (bytes?.length !== name.length) return false;
  for (let index = 0; index < name.length; index += 1) {
    const byte = bytes[index] ?? 0;
    const lower = byte >= upperA && byte <= upperZ ? byte | lowerBit : byte;
    if (lower !== name.charCodeAt(index)) return false;
  }
  return true;
}
