import { gatewayError } from '../errors/gateway-error.ts';
import type { Caller } from '../subschemas/operation-context.ts';
import type { Identity } from './identify-caller.ts';
import type { Quota, RateLimiter, RateRefusal } from './rate-limiter.ts';
import type { Sender } from './sender.ts';

type GatewayError = ReturnType<typeof gatewayError>;

/** What the caller has left of its limit after an attempt; `null` for a caller without a limit. */
export type Standing = Quota | RateRefusal | null;

export type CallerAdmission =
  | { readonly kind: 'admitted'; readonly caller: Caller; readonly standing: Standing }
  | { readonly kind: 'refused'; readonly error: GatewayError; readonly standing: Standing };

/** Identifies and counts the caller of every operation, whichever shell it came through. */
export interface CallerGate {
  /**
   * Identifies the caller and counts one attempt, before the operation is read. An attempt with invalid credentials counts
   * against the address that sent it.
   */
  admit(sender: Sender): Promise<CallerAdmission>;
  /** Counts the points of an operation beyond that one. */
  charge(caller: Caller, points: number): Promise<CallerAdmission>;
}

export interface CallerGateOptions {
  readonly identify: (sender: Sender) => Identity;
  readonly limiter: Pick<RateLimiter, 'consume'>;
}

export function createCallerGate({ identify, limiter }: CallerGateOptions): CallerGate {
  return {
    async admit(sender) {
      const identity = identify(sender);
      if (identity.kind === 'caller') return charge(identity.caller, 1);
      const { code, message, rate } = identity;
      const standing = rate ? await limiter.consume({ rate }, 1) : null;
      return { kind: 'refused', standing, error: toRefusal(standing) ?? gatewayError(code, message) };
    },
    charge,
  };

  function charge(caller: Caller, points: number): Promise<CallerAdmission> {
    return limiter.consume(caller, points).then((standing): CallerAdmission => {
      const error = toRefusal(standing);
      return error ? { kind: 'refused', error, standing } : { kind: 'admitted', caller, standing };
    });
  }
}

/** The error for a caller with this standing; `null` if it has not used up its limit. */
export function toRefusal(standing: Standing): GatewayError | null {
  if (!standing || !('retryAfterSeconds' in standing)) return null;
  const { limit, retryAfterSeconds } = standing;
  const seconds = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`;
  const message = `Over the limit of ${limit} a minute; try again in ${seconds}.`;
  return gatewayError('RATE_LIMITED', message, { retryAfterSeconds });
}
