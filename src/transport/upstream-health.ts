import type { CallWatch } from './raw-call.ts';
import type { UpstreamCallError } from './upstream-call-error.ts';

/** What the last calls told about an upstream. */
export interface UpstreamHealth {
  /** `unknown` until it was first asked. */
  readonly state: 'unknown' | 'up' | 'degraded' | 'down';
  /** Milliseconds since the Unix epoch of its last answer of any kind; `null` before. */
  readonly lastSeenMs: number | null;
  /** Why it is not up, in words safe to show. */
  readonly detail: string | null;
}

export interface HealthWatch extends CallWatch {
  readonly health: () => UpstreamHealth;
}

/** Keeps an eye on the calls: an answer below 500 is up, one above degraded, none at all down. */
export function createHealthWatch(now: () => number): HealthWatch {
  let health: UpstreamHealth = { state: 'unknown', lastSeenMs: null, detail: null };
  return {
    health: () => health,
    answered(status) {
      health =
        status < 500
          ? { state: 'up', lastSeenMs: now(), detail: null }
          : { state: 'degraded', lastSeenMs: now(), detail: `answered with HTTP status ${status}` };
    },
    failed({ failure, message }: UpstreamCallError) {
      // A caller that hung up says nothing about the upstream, nor does a request that was never sent.
      if (failure === 'aborted' || failure === 'unsent' || failure === 'unsendable') return;
      const state = failure === 'too-large' ? 'degraded' : 'down';
      health = { state, lastSeenMs: health.lastSeenMs, detail: message };
    },
  };
}
