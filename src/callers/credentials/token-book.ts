import { errors, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { JwtRules } from '../../config/config.ts';
import type { Caller } from '../../upstream/operation-context.ts';
import { type Holder, readClaims } from './read-claims.ts';
import { createSigningKeys, fetchKeySet, KeysAwayError, type SigningKeyEvents } from './signing-keys.ts';
import { createExpiry } from './validity.ts';

export type TokenOutcome =
  | { readonly kind: 'caller'; readonly caller: Caller }
  | {
      readonly kind: 'refused';
      readonly code: 'UNAUTHENTICATED' | 'UPSTREAM_UNAVAILABLE';
      readonly message: string;
      /** What could not be asked. */
      readonly upstream?: string;
    };

/** Callers by their signed tokens. */
export interface TokenBook {
  /** The holder of a recently verified token. @param hash SHA-256 of the whole token, in hex */
  recall(hash: string): Caller | null;
  /** Verifies a token; may wait for the issuer's keys. Never rejects. */
  verify(token: string, hash: string): Promise<TokenOutcome>;
}

export interface TokenBookOptions {
  readonly rules: JwtRules;
  /** Who holds the sponsor's token; see `createClientBook`. */
  readonly auth: 'forward' | 'token';
  readonly events: SigningKeyEvents;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** Asymmetric algorithms only: with HMAC, the public key would serve as the secret. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Seconds by which the issuer's clock may differ from ours. */
const clockSkewSeconds = 30;
/** Milliseconds after which a token is verified again, since its key may have been withdrawn. */
const rememberedMs = 5 * 60_000;
/** About 300 bytes each: a hash and the caller, not the token. */
const maxRemembered = 10_000;

const fetchTimeoutMs = 5_000;
const maxKeySetBytes = 256 * 1024;

/** Times in milliseconds since the Unix epoch. */
interface Remembered {
  readonly caller: Caller;
  readonly sinceMs: number;
  readonly untilMs: number;
}

export function openTokenBook({ rules, auth, events, now }: TokenBookOptions): TokenBook {
  const remembered = new LRUCache<string, Remembered>({ max: maxRemembered });
  let keySets = 0;
  const underWay = new Map<string, Promise<TokenOutcome>>();
  const keys = createSigningKeys({
    fetchKeys: () => fetchKeySet({ url: rules.keysUrl, timeoutMs: fetchTimeoutMs, maxBytes: maxKeySetBytes }),
    events: {
      ...events,
      replaced: (count) => {
        // Their keys may have been withdrawn.
        remembered.clear();
        keySets += 1;
        events.replaced(count);
      },
    },
    now,
  });
  void keys.refresh();

  const verify = async (token: string, hash: string): Promise<TokenOutcome> => {
    const keySet = keySets;
    try {
      const { payload } = await jwtVerify(token, keys.keyFor, {
        algorithms,
        issuer: rules.issuer,
        audience: rules.audience,
        clockTolerance: clockSkewSeconds,
        requiredClaims: ['exp'],
        currentDate: new Date(now()),
      });
      const holder = readClaims(payload, rules.scopesClaim);
      if (holder.kind === 'unfit') return refused(`its claim "${holder.claim}" is missing or malformed`);
      const expiresMs = ((payload.exp ?? 0) + clockSkewSeconds) * 1_000;
      const caller = { ...toCaller(holder, rules, auth), validity: createExpiry(expiresMs, now) };
      // If the keys were replaced meanwhile, the result counts for this request only.
      const sinceMs = now();
      const untilMs = Math.min(expiresMs, sinceMs + rememberedMs);
      if (keySet === keySets) remembered.set(hash, { caller, sinceMs, untilMs });
      return { kind: 'caller', caller };
    } catch (error) {
      if (!(error instanceof KeysAwayError)) return refused(toReason(error));
      const message = 'The keys that verify JWTs cannot be read at the moment.';
      return { kind: 'refused', code: 'UPSTREAM_UNAVAILABLE', message, upstream: 'jwks' };
    }
  };

  return {
    recall(hash) {
      const known = remembered.get(hash);
      if (!known) return null;
      const nowMs = now();
      // If the clock was set back far, the age of the verification is unknown.
      const isPast = nowMs >= known.sinceMs - clockSkewSeconds * 1_000;
      return isPast && nowMs < known.untilMs ? known.caller : null;
    },
    verify(token, hash) {
      const same = underWay.get(hash);
      if (same !== undefined) return same;
      const verifying = verify(token, hash).finally(() => underWay.delete(hash));
      underWay.set(hash, verifying);
      return verifying;
    },
  };
}

function toCaller(
  { id, scopes }: Extract<Holder, { kind: 'holder' }>,
  { gasPerDay, moveCalls }: JwtRules,
  auth: 'forward' | 'token',
): Caller {
  const isJudgedBySponsor = auth === 'forward';
  return {
    id,
    kind: 'JWT',
    authorization: null,
    scopes: isJudgedBySponsor ? new Set(['read', 'sponsor', 'admin']) : scopes,
    rate: { key: id, perMinute: null },
    gas: isJudgedBySponsor || gasPerDay === null ? null : { key: id, perDay: gasPerDay },
    moveCalls: isJudgedBySponsor ? null : moveCalls,
  };
}

function refused(why: string): TokenOutcome {
  return { kind: 'refused', code: 'UNAUTHENTICATED', message: `The JWT is not valid: ${why}.` };
}

/** Tells the holder nothing that helps to forge a token. */
function toReason(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `its claim "${error.claim}" is missing or not what is asked for`;
  }
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) {
    return 'its header names no key that its issuer publishes';
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return 'its algorithm is not allowed';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature is wrong';
  return 'it cannot be read';
}
