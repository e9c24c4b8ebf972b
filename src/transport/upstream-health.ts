import type { RawCall } from './raw-call.ts';
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
  readonly rawCall: RawCall;
  readonly health: () => UpstreamHealth;
}

/** Keeps an eye on the calls: an answer below 500 is up, one above degraded, none at all down. */
export function observeUpstream(
  { call, rawCall }: Pick<ObservedUpstream, 'call' | 'rawCall'>,
  now: () => number,
): ObservedUpstream {
  let health: UpstreamHealth = { state: 'unknown', lastSeenMs: null, detail: null };
  const answered = (status: number): void => {
    health =
      status < 500
        ? { state: 'up', lastSeenMs: now(), detail: null }
        : { state: 'degraded', lastSeenMs: now(), detail: `answered with HTTP status ${status}` };
  };
  const failed = ({ failure, message }: UpstreamCallError): void => {
    // A caller that hung up says nothing about the upstream.
    if (failure === 'aborted') return;
    const state = failure === 'too-large' ? 'degraded' : 'down';
    health = { state, lastSeenMs: health.lastSeenMs, detail: message };
  };
  return {
    health: () => health,
    call: async (request) => {
      try {
        const response = await call(request);
        answered(response.status);
        return response;
      } catch (error) {
        if (error instanceof UpstreamCallError) failed(error);
        throw error;
      }
    },
    rawCall: (request, listener) =>
      rawCall(request, {
        answered: (response) => {
          answered(response.status);
          listener.answered(response);
        },
        failed: (error) => {
          failed(error);
          listener.failed(error);
        },
      }),
  };
}
