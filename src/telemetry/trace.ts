/** The trace of a request, or of an operation over a WebSocket. Only traced ones have one. */
export interface Trace {
  /** The trace's id in hexadecimal, as log lines show it. */
  readonly traceId: string;
  readonly spanId: string;
  /**
   * Starts the span of a call to an upstream.
   * @param attempt its number, from 1; more than 1 for a retry
   */
  startCall(upstream: string, host: string, method: string, attempt: number): CallTrace;
  /** Ends the span. Must be called once. */
  end(facts: TracedFacts): void;
}

export interface CallTrace {
  /** Headers to add to the request: alternating names and values. */
  readonly headers: readonly string[];
  /** Must be called once. @param outcome the status of the response, or the kind of failure */
  ended(outcome: number | string): void;
}

/** Facts of a request that its span records. An operation over a WebSocket has no method, path or status. */
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
