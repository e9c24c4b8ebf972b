import type { UpstreamHealth } from './upstream-health.ts';

/** Milliseconds that a readiness probe waits for an upstream. */
const probeTimeoutMs = 2_000;
/** Milliseconds for which the last answer, or the last probe, makes a new probe needless. */
const freshMs = 2_000;

export interface Probe {
  readonly health: () => UpstreamHealth;
  /** Makes the cheapest call that shows whether the upstream answers. Its outcome appears in `health`. */
  readonly ask: (timeoutMs: number) => Promise<unknown>;
}

/**
 * Probes all upstreams that are not up or have not answered lately, in parallel. However often it is called, it probes at
 * most once in `freshMs`.
 */
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
