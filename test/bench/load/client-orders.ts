import type { Interval } from './collections.ts';
import type { Dialect, Transport } from './work.ts';

/** What the client process is told to do. */
export interface ClientOrder {
  readonly dialect: Dialect;
  readonly transport: Transport;
  readonly url: string;
  readonly workId: string;
  readonly concurrency: number;
  /** Stops issuing requests when both are reached; in milliseconds and requests. */
  readonly atLeastMs: number;
  readonly atLeastRequests: number;
  /** Requests a second at a steady rate; `null` = as many as the others can take. */
  readonly pacedAt: number | null;
  /** Asks what has to be asked before so many requests, and nothing else. */
  readonly isPreparing?: boolean;
}

/** What it reports when the last answer is in. */
export interface ClientReport {
  readonly requests: number;
  readonly elapsedMs: number;
  readonly bytes: number;
  /** From when a request was due, so that waiting for its turn counts. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** When each was due and answered, at a steady rate. */
  readonly intervals: readonly Interval[];
  /** The first wrong answer; the slice ends with it. */
  readonly fault: string | null;
}
