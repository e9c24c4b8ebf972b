import type { ClientsFile } from '../config/client.ts';
import type { Config } from '../config/config.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Caller } from '../upstream/operation-context.ts';
import { type CallerRules, createClientRegistry, toAnonymousRules } from './credentials/client-registry.ts';
import type { SigningKeyEvents } from './credentials/signing-keys.ts';
import {
  createIdentify,
  type Identity,
  isProxy,
  type Sender,
  type TrustedProxies,
  toAddressKey,
  toClientAddress,
  toTrustedProxies,
} from './identify-caller.ts';
import {
  createMemoryRateStore,
  createOutage,
  createRateLimiter,
  type OutageEvents,
  openRateStore,
  type RateLimiter,
  type RateQuota,
  type RateRefusal,
  windowSeconds,
} from './rate-limiter.ts';

type GatewayError = ReturnType<typeof gatewayError>;

/** What remains of the caller's rate limit after an attempt; `null` for a caller without a limit. */
export type RateLimitState = RateQuota | RateRefusal | null;

export type CallerAdmission =
  | { readonly kind: 'admitted'; readonly caller: Caller; readonly standing: RateLimitState }
  | { readonly kind: 'refused'; readonly error: GatewayError; readonly standing: RateLimitState };

export type CallerGate = ReturnType<typeof createCallerGate>;

export interface CallerGateOptions {
  readonly identify: (sender: Sender) => Identity;
  readonly limiter: Pick<RateLimiter, 'consume'>;
}

/** Identifies and counts the caller of every operation, over every transport. */
export function createCallerGate({ identify, limiter }: CallerGateOptions) {
  return {
    /**
     * Identifies the caller and counts one attempt, before the operation is read. An attempt with invalid credentials counts
     * against the sender's address.
     */
    admit(sender: Sender): Promise<CallerAdmission> {
      const identity = identify(sender);
      return identity.kind === 'caller' ? charge(identity.caller, 1) : admitUnknown(identity);
    },
    charge,
  };

  async function admitUnknown(identity: Exclude<Identity, { kind: 'caller' }>): Promise<CallerAdmission> {
    // Verification costs CPU time, so first charge the address, whatever the result.
    const { rate } = identity;
    const standing = rate ? await limiter.consume({ rate }, 1) : null;
    const error = toRefusal(standing);
    if (error) return { kind: 'refused', standing, error };
    const known = identity.kind === 'unverified' ? await identity.verify() : identity;
    if (known.kind === 'caller') return charge(known.caller, 1);
    const { code, message, upstream } = known;
    const facts = upstream === undefined ? {} : { upstream };
    return { kind: 'refused', standing, error: gatewayError(code, message, facts) };
  }

  /** Counts further points of the operation. */
  function charge(caller: Caller, points: number): Promise<CallerAdmission> {
    return limiter.consume(caller, points).then((standing): CallerAdmission => {
      const error = toRefusal(standing);
      return error ? { kind: 'refused', error, standing } : { kind: 'admitted', caller, standing };
    });
  }
}

export interface AddressAdmission {
  /** Why the address is rejected now; `null` if it is admitted. */
  readonly error: GatewayError | null;
  readonly standing: RateLimitState;
}

const uncounted: AddressAdmission = { error: null, standing: null };

export type AddressGate = ReturnType<typeof createAddressGate>;

/**
 * Requests a minute of one address that cost next to nothing, before they count as attempts: health probes, pages, CORS
 * preflights, and ten WebSocket messages each. Several load balancers that probe every second need fewer.
 */
const freePerMinute = 600;

/** Limits attempts by address, with any credentials. */
function createAddressGate(limiter: Pick<RateLimiter, 'consume'>, trustedProxies: TrustedProxies) {
  /**
   * The network that a sender is counted by: an IPv4 address, or the /64 of an IPv6 address; `null` once its connection is
   * closed.
   */
  const networkOf = (sender: Sender) => toClientAddress(sender, trustedProxies)?.network ?? null;
  const free = createMemoryRateStore().countersOf(freePerMinute);
  const count = async (network: string): Promise<AddressAdmission> => {
    const standing = await limiter.consume({ rate: { key: toAddressKey(network), perMinute: null } }, 1);
    return { error: toRefusal(standing), standing };
  };
  return {
    networkOf,
    /** Is the peer a trusted proxy, which names the client of each request? */
    isProxy: (remoteAddress: string) => isProxy(remoteAddress, trustedProxies),
    /** Counts one attempt that is not an operation, such as opening a WebSocket. Never rejects. */
    async admit(sender: Sender): Promise<AddressAdmission> {
      const network = networkOf(sender);
      return network === null ? uncounted : count(network);
    },
    /** Counts something that costs next to nothing: as an attempt only beyond the free ones of the address. Never rejects. */
    admitCheap(network: string): Promise<AddressAdmission> {
      return free.consume(network).then(
        () => uncounted,
        () => count(network),
      );
    },
  };
}

/** The error for a caller that has used up its limit; `null` for any other. */
function toRefusal(standing: RateLimitState): GatewayError | null {
  if (!standing || !('retryAfterSeconds' in standing)) return null;
  const { limit, retryAfterSeconds } = standing;
  const seconds = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`;
  const message = `Over the limit of ${limit} a minute; try again in ${seconds}.`;
  return gatewayError('RATE_LIMITED', message, { retryAfterMs: retryAfterSeconds * 1_000 });
}

export type RateCost = 'request' | 'usage';

export interface PricedOperation {
  /** `null` if it was rejected unread. */
  readonly usage: { readonly inputNodes: number; readonly outputNodes: number } | null;
  /** Mutation fields of the gateway, as in `PreparedOperation.ownMutations`. */
  readonly ownMutations: number;
  /** Introspection fields, as in `PreparedDocument.introspectedFields`. */
  readonly introspectedFields: number;
}

export interface PriceLimits {
  readonly maxQueryNodes: number;
  readonly maxOutputNodes: number;
}

/** Points for input nodes at their limit, and as many for output nodes at theirs. */
const pointsPerFullLimit = 10;

/** Introspected fields that cost one point: they take about as much CPU time as a small operation. */
const fieldsPerPoint = 1_000;

/**
 * The points of an operation. By `request`: 1. By `usage`: 1, plus up to 10 each for input and output nodes, in proportion to
 * their limits, because nodes determine the ledger's work. With 600 points a minute, a caller can run 28 of the largest
 * operations, 21 points each. In both modes, each mutation of the gateway counts, so that aliases cannot combine dozens of
 * reservations into one attempt. Introspection counts too: the gateway does this work alone, and the standard introspection of
 * a large schema has 20,000 fields.
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

/** Points for introspection, besides the attempt. */
export function introspectionPoints(introspectedFields: number): number {
  return Math.floor(introspectedFields / fieldsPerPoint);
}

/** Response headers with the remaining rate limit. CORS must expose them to pages of other origins. */
export const rateLimitHeaderNames = ['ratelimit', 'ratelimit-policy', 'retry-after'] as const;

/**
 * The headers of the IETF draft "RateLimit header fields for HTTP": the remaining quota and the seconds until it is renewed
 * (`"default";r=599;t=60`), and the policy (`"default";q=600;w=60`). A rejection adds `Retry-After`.
 * @param nowMs milliseconds since the Unix epoch
 * @returns alternating names and values
 */
export function toRateLimitHeaders(quota: RateQuota | RateRefusal, nowMs: number): string[] {
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

export interface AdmissionOptions {
  /** Processes that serve as one gateway, including this one. */
  readonly workers: number;
  readonly config: Pick<
    Config,
    'clients' | 'jwt' | 'redis' | 'settings' | 'sponsorship' | 'trustedProxies' | 'upstreams'
  >;
  /** Called when Redis becomes unavailable and when it is back. */
  readonly outage: OutageEvents;
  readonly signingKeys: SigningKeyEvents;
  readonly now: () => number;
}

export type Admission = Awaited<ReturnType<typeof openAdmission>>;

/** Opens everything that admits callers. Close the limiter after the last request. */
export async function openAdmission(options: AdmissionOptions) {
  const { config, workers, outage: events, signingKeys, now } = options;
  const { redis } = config;
  const perMinute = config.settings.RATE_LIMIT_PER_MINUTE;
  const outage = createOutage(events);
  const own = workers > 1 ? ({ kind: 'cluster' } as const) : ({ kind: 'memory' } as const);
  const store = await openRateStore(redis ? { kind: 'redis', url: redis.url } : own, outage);
  const limiter = createRateLimiter({ store, perMinute, sharedBy: (redis?.sharedBy ?? 1) * workers, outage, now });
  const trustedProxies = toTrustedProxies(config.trustedProxies);
  const { auth } = config.sponsorship;
  const registry = { auth, perMinute };
  const clients = config.clients && createClientRegistry(config.clients, registry);
  // Loaded on demand, since most gateways do not use it.
  const tokens =
    config.jwt &&
    (await import('./credentials/jwt-verifier.ts')).openJwtVerifier({
      rules: config.jwt,
      clients,
      registry,
      events: signingKeys,
      now,
    });
  let anonymous = toAnonymousRules(clients, registry);
  const identify = createIdentify({
    auth,
    anonymous: (): CallerRules => anonymous,
    allowAnonymous: config.sponsorship.allowAnonymous,
    devnet: config.upstreams.kind === 'devnet',
    clients,
    tokens,
    trustedProxies,
  });
  return {
    gate: createCallerGate({ identify, limiter }),
    addresses: createAddressGate(limiter, trustedProxies),
    limiter,
    /** Replaces the clients and policies in force. */
    replaceClients(file: ClientsFile): void {
      clients?.replace(file);
      anonymous = toAnonymousRules(clients, registry);
      tokens?.forget();
    },
  };
}
