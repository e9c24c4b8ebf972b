import type { UpstreamHealth } from './upstream-health.ts';

/** How long a readiness probe waits for an upstream, and how long an answer or a failure counts as news, in milliseconds. */
const probeTimeoutMs = 2_000;
const freshMs = 2_000;

export interface Probe {
  readonly health: () => UpstreamHealth;
  /** The cheapest thing that shows it answers; its outcome is seen by `health`. */
  readonly ask: (timeoutMs: number) => Promise<unknown>;
}

/** Asks the upstreams that have not been heard of lately, together, and at most once in a while however often it is called. */
export function createProbes(probes: readonly Probe[], now: () => number): () => Promise<void> {
  let probedMs = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | undefined;
  return async () => {
    if (now() - probedMs < freshMs) return underWay;
    probedMs = now();
    const stale = probes.filter(
      ({ health }) => now() - (health().lastSeenMs ?? 0) > freshMs || health().state !== 'up',
    );
    underWay = Promise.allSettled(stale.map(({ ask }) => ask(probeTimeoutMs))).then(() => undefined);
    return underWay;
  };
}
