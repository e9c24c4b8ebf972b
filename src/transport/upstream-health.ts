import type { UpstreamCall } from './upstream-call.ts';
import { UpstreamCallError } from './upstream-call.ts';

/** What the last calls told about an upstream. */
export interface UpstreamHealth {
  /** `unknown` until it was first asked. */
  readonly state: 'unknown' | 'up' | 'degraded' | 'down';
  /** Milliseconds since the Unix epoch of its last answer of any kind; `null` before. */
  readonly lastSeenMs: number | null;
  /** Why it is not up, in words safe to show. */
  readonly detail: string | null;
}

export interface ObservedUpstream {
  readonly call: UpstreamCall;
  readonly health: () => UpstreamHealth;
}

/** Keeps an eye on a call: an answer below 500 is up, one above degraded, none at all down. */
export function observeUpstream(call: UpstreamCall, now: () => number): ObservedUpstream {
  let health: UpstreamHealth = { state: 'unknown', lastSeenMs: null, detail: null };
  return {
    health: () => health,
    call: async (request) => {
      try {
        const response = await call(request);
        health =
          response.status < 500
            ? { state: 'up', lastSeenMs: now(), detail: null }
            : { state: 'degraded', lastSeenMs: now(), detail: `answered with HTTP status ${response.status}` };
        return response;
      } catch (error) {
        // A caller that hung up says nothing about the upstream.
        if (error instanceof UpstreamCallError && error.failure !== 'aborted') {
          health = {
            state: error.failure === 'too-large' ? 'degraded' : 'down',
            lastSeenMs: health.lastSeenMs,
            detail: error.message,
          };
        }
        throw error;
      }
    },
  };
}
