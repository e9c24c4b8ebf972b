import { setTimeout as delay } from 'node:timers/promises';
import type { UpstreamCallError, UpstreamFailure } from './upstream-call-error.ts';

/** The state of an upstream, according to its last calls. */
export interface UpstreamHealth {
  /** `unknown` before the first call. */
  readonly state: 'unknown' | 'up' | 'degraded' | 'down';
  /** Time of its last response of any status, in milliseconds since the Unix epoch; `null` before the first. */
  readonly lastSeenMs: number | null;
  /** Why it is not up, safe to show; `null` if it is up. */
  readonly detail: string | null;
}

export type HealthWatch = ReturnType<typeof createHealthWatch>;

/** Records the end of a call: its HTTP status or kind of failure, and `UpstreamHealth.detail` after it. */
export type CallEnded = (outcome: number | UpstreamFailure, durationMs: number, detail: string | null) => void;

/** Derives health from each call: a status below 500 means up, any other status degraded, no response down. */
export function createHealthWatch(
  now: () => number,
  ended: CallEnded = () => {},
  clock: () => number = () => performance.now(),
) {
  let health: UpstreamHealth = { state: 'unknown', lastSeenMs: null, detail: null };
  let answeredAtMs = Number.NEGATIVE_INFINITY;
  let complaint: string | null = null;
  const healthNow = (): UpstreamHealth =>
    complaint !== null && health.state === 'up' ? { ...health, state: 'degraded', detail: complaint } : health;
  return {
    health: healthNow,
    /** Milliseconds since its last response of any status; infinite before the first. */
    quietMs: () => clock() - answeredAtMs,
    /**
     * Marks an upstream as degraded although its calls succeed.
     * @param detail the reason, safe to show; `null` removes the mark
     */
    complain(detail: string | null): void {
      complaint = detail;
    },
    answered(status: number, durationMs: number): void {
      answeredAtMs = clock();
      health =
        status < 500
          ? { state: 'up', lastSeenMs: now(), detail: null }
          : { state: 'degraded', lastSeenMs: now(), detail: `answered with HTTP status ${status}` };
      ended(status, durationMs, healthNow().detail);
    },
    failed({ failure, message, isUnrelated }: UpstreamCallError, durationMs?: number): void {
      const state = failure === 'too-large' ? 'degraded' : 'down';
      if (!isUnrelated) health = { state, lastSeenMs: health.lastSeenMs, detail: message };
      if (durationMs !== undefined) ended(failure, durationMs, healthNow().detail);
    },
  };
}

/** Milliseconds that a readiness probe waits for an upstream. */
const probeTimeoutMs = 2_000;
/** Milliseconds after a response or a probe in which no new probe is needed. */
const freshMs = 2_000;

export interface Probe extends Pick<HealthWatch, 'health' | 'quietMs'> {
  /** Makes the cheapest call that shows whether the upstream answers. The outcome appears in `health`. */
  readonly ask: (timeoutMs: number) => Promise<unknown>;
}

/** @param maxWaitMs after which it resolves although probes are in flight; left out: when all have ended */
export type ProbeUpstreams = (maxWaitMs?: number) => Promise<void>;

/**
 * Probes all upstreams that are not up or have not answered lately, in parallel. Probes at most once in `freshMs`, however
 * often it is called.
 */
export function createProbes(probes: readonly Probe[], clock: () => number = () => performance.now()): ProbeUpstreams {
  let probedMs = Number.NEGATIVE_INFINITY;
  let inFlight: Promise<void> | undefined;
  return async (maxWaitMs) => {
    if (clock() - probedMs >= freshMs) {
      probedMs = clock();
      const stale = probes.filter(({ health, quietMs }) => quietMs() > freshMs || health().state !== 'up');
      inFlight = Promise.allSettled(stale.map(({ ask }) => ask(probeTimeoutMs))).then(() => undefined);
    }
    await (maxWaitMs === undefined ? inFlight : Promise.race([inFlight, delay(maxWaitMs, undefined, { ref: false })]));
  };
}
