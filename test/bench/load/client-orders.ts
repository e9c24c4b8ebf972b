import type { Dialect } from './works.ts';

/** What the client process is told to do. */
export interface ClientOrder {
  readonly contestant: string;
  readonly dialect: Dialect;
  readonly url: string;
  readonly workId: string;
  readonly concurrency: number;
  readonly variants: number;
  /** Stops issuing requests when both are reached; in milliseconds and requests. */
  readonly atLeastMs: number;
  readonly atLeastRequests: number;
}

/** What it reports when the last answer is in. */
export interface ClientReport {
  readonly requests: number;
  readonly elapsedMs: number;
  readonly bytes: number;
  /** The first wrong answer; the slice ends with it. */
  readonly fault: string | null;
}
