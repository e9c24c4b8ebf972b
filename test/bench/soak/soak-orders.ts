/** What the client of a soak is told to do; it answers each order with one `SoakReport`. */
export type SoakOrder =
  /** As fast as the others go, until both are reached: how many requests a second they can take. */
  | { readonly kind: 'saturate'; readonly atLeastMs: number; readonly atLeastRequests: number }
  /** At a steady rate until told otherwise, whether answers come or not. */
  | { readonly kind: 'pace'; readonly requestsPerSecond: number }
  /** What happened since the last report. */
  | { readonly kind: 'report' }
  /** No more requests; answers when the last one is in. */
  | { readonly kind: 'stop' };

export interface SoakReport {
  /** Answered since the last report. */
  readonly requests: number;
  readonly elapsedMs: number;
  /** Wrong answers and missing ones, since the last report. */
  readonly errors: number;
  /** The first few of the whole run, each with its work. */
  readonly faults: readonly string[];
  /** From when a request was due, so that waiting for its turn counts. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Due by now and not sent yet. */
  readonly behind: number;
}
