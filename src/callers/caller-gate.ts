import { gatewayError } from '../errors/gateway-error.ts';
import type { Caller } from '../upstream/operation-context.ts';
import type { Identity, Sender } from './identify-caller.ts';
import { windowSeconds } from './rate/rate-store.ts';
import type { Quota, RateLimiter, RateRefusal } from './rate-limiter.ts';

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
      // Verifying is work: it is counted against the address first, whatever comes of it.
      const { rate } = identity;
      const standing = rate ? await limiter.consume({ rate }, 1) : null;
      const error = toRefusal(standing);
      if (error) return { kind: 'refused', standing, error };
      const known = identity.kind === 'unverified' ? await identity.verify() : identity;
      if (known.kind === 'caller') return charge(known.caller, 1);
      const { code, message, upstream } = known;
      return {
        kind: 'refused',
        standing,
        error: gatewayError(code, message, upstream === undefined ? {} : { upstream }),
      };
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

export type RateCost = 'request' | 'usage';

/** The parts of an operation's usage that decide its price. */
export interface PricedUsage {
  readonly inputNodes: number;
  readonly outputNodes: number;
}

export interface PricedOperation {
  /** `null` when it was refused unread. */
  readonly usage: PricedUsage | null;
  /** As `PreparedOperation.ownMutations`. */
  readonly ownMutations: number;
  /** As `PreparedDocument.introspectedFields`. */
  readonly introspectedFields: number;
}

export interface PriceLimits {
  readonly maxQueryNodes: number;
  readonly maxOutputNodes: number;
}

/** Points added for input nodes at their limit, and again for output nodes at theirs. */
const pointsPerFullLimit = 10;

/** Fields of introspection that cost a point: they take about as much processor time as a small operation. */
const fieldsPerPoint = 1_000;

/**
 * The points of an operation. By `request`: 1. By `usage`: 1, plus up to 10 for input nodes and up to 10 for output nodes, in
 * proportion to their limits, because nodes drive the ledger's work. So a small operation counts 1, and a caller with 600
 * points a minute can ask 28 of the largest, 21 points each. Either way each mutation of ours counts: aliases must not make
 * dozens of reservations one attempt. So does what the schema tells of itself: the gateway does all of that work, and the
 * standard introspection of a large schema is 20,000 fields.
 */
export function toPoints(
  { usage, ownMutations, introspectedFields }: PricedOperation,
  cost: RateCost,
  limits: PriceLimits,
): number {
  const attempts = Math.max(1, ownMutations) + introspectionPoints(introspectedFields);
  if (cost === 'request' || !usage) return attempts;
  const input = Math.min(1, usage.inputNodes / limits.maxQueryNodes);
  const output = Math.min(1, usage.outputNodes / limits.maxOutputNodes);
  return attempts + Math.floor(pointsPerFullLimit * (input + output));
}

/** What the schema tells of itself costs, beside the attempt. */
export function introspectionPoints(introspectedFields: number): number {
  return Math.floor(introspectedFields / fieldsPerPoint);
}

/** Headers that tell a caller what it has left. CORS must expose them, or pages of other origins cannot read them. */
export const rateLimitHeaderNames = ['ratelimit', 'ratelimit-policy', 'retry-after'] as const;

/**
 * The headers of the IETF draft "RateLimit header fields for HTTP": what is left and for how many seconds
 * (`"default";r=599;t=60`), and the policy (`"default";q=600;w=60`). A refusal adds `Retry-After`.
 * @param nowMs milliseconds since the Unix epoch
 * @returns names and values by turns
 */
export function toRateLimitHeaders(quota: Quota | RateRefusal, nowMs: number): string[] {
  const seconds = Math.max(0, Math.ceil((quota.resetsAtMs - nowMs) / 1000));
  const headers = [
    'ratelimit',
    `"default";r=${quota.remaining};t=${seconds}`,
    'ratelimit-policy',
    `"default";q=${quota.limit};w=${windowSeconds}`,
  ];
  if ('retryAfterSeconds' in quota) headers.push('retry-after', String(quota.retryAfterSeconds));
  return headers;
}
