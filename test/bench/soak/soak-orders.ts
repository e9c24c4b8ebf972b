/** What the client of a soak is told to do; it answers each order with one `SoakReport`. */
export type SoakOrder =
  /** As fast as the others go, until both are reached: how many requests a second they can take. */
  | { readonly kind: 'saturate'; readonly atLeastMs: number; readonly atLeastRequests: number }
  /** At a steady rate until told otherwise, whether answers come or not. */
  | { readonly kind: 'pace'; readonly requestsPerSecond: number }
  /** What happened since the last report. `faulty`: the upstream that fails from now on. */
  | { readonly kind: 'report'; readonly faulty: string | null }
  /** No more requests; answers when the last one is in. */
  | { readonly kind: 'stop' };

export interface SoakReport {
  /** Answered since the last report. */
  readonly requests: number;
  readonly elapsedMs: number;
  /** Wrong answers and missing ones that no fault explains, since the last report. */
  readonly errors: number;
  /** Failed requests that a fault of their upstream explains, since the last report, by error code. */
  readonly explained: Readonly<Record<string, number>>;
  /** The first few of the whole run, each with its work. */
  readonly faults: readonly string[];
  /** From when a request was due, so that waiting for its turn counts. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Due by now and not sent yet. */
  readonly behind: number;
}
