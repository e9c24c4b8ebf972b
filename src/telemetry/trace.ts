/** The trace of a request, or of an operation over a WebSocket. Only traced ones have one. */
export interface Trace {
  /** The trace's id in hexadecimal, as log lines show it. */
  readonly traceId: string;
  readonly spanId: string;
  /**
   * Starts the span of a call to an upstream.
   * @param attempt which one of a call that is retried, from 1
   */
  startCall(upstream: string, host: string, method: string, attempt: number): CallTrace;
  /** Ends the span. Must be called once. */
  end(facts: TracedFacts): void;
}

export interface CallTrace {
  /** What to add to the request: names and values by turns. */
  readonly headers: readonly string[];
  /** Must be called once. @param outcome the status of the response, or what failed */
  ended(outcome: number | string): void;
}

/** What a span says of a request. An operation over a WebSocket has no method, path or status. */
export interface TracedFacts {
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly operations: readonly { readonly type: string; readonly name: string | null; readonly plan: string }[];
  readonly codes?: readonly string[];
}

/** Whether an OpenTelemetry SDK was loaded: it registers itself under this name, whichever copy of the API it uses. */
export function isSdkLoaded(): boolean {
  return Symbol.for('opentelemetry.js.api.1') in globalThis;
}
