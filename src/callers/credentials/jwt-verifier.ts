import { hash } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { clientScopes } from '../../config/client.ts';
import type { JwtRules } from '../../config/config.ts';
import { groups, noPolicy, noShares } from '../../config/policy.ts';
import type { Caller, Scope } from '../../upstream/operation-context.ts';
import { allScopes, type ClientRegistry, createExpiry, type RegistryOptions, toRules } from './client-registry.ts';
import { createSigningKeys, fetchKeySet, KeysUnavailableError, type SigningKeyEvents } from './signing-keys.ts';

/** The identity and scopes in the claims of a verified token. */
export type Holder =
  /** `id`: `jwt:` and the subject. `policy`: the name of its policy, `null` if it names none. */
  | {
      readonly kind: 'holder';
      readonly id: string;
      readonly scopes: ReadonlySet<Scope>;
      readonly policy: string | null;
    }
  /** `claim` is missing or malformed. */
  | { readonly kind: 'unfit'; readonly claim: string };

/** Claims that issuers use for scopes; the first one present counts. */
const usualScopeClaims = ['scope', 'scopes', 'scp'];

/** Subjects that are shown unchanged: most issuers use these, e-mail addresses included. */
const plainSubject = /^[\w.:@|/+=-]{1,128}$/;

/**
 * Ignores scopes of other services. Every verified token may read.
 * @param scopesClaim the claim that lists scopes; `null` = the usual ones
 */
export function readClaims(claims: Readonly<Record<string, unknown>>, scopesClaim: string | null): Holder {
  const { sub } = claims;
  if (typeof sub !== 'string' || sub === '') return { kind: 'unfit', claim: 'sub' };
  const claim = (scopesClaim === null ? usualScopeClaims : [scopesClaim]).find((name) => Object.hasOwn(claims, name));
  const named = claim === undefined ? [] : toList(claims[claim]);
  if (claim !== undefined && named === null) return { kind: 'unfit', claim };
  const { policy = null } = claims;
  if (policy !== null && typeof policy !== 'string') return { kind: 'unfit', claim: 'policy' };
  const scopes = clientScopes.filter((scope) => scope === 'read' || named?.includes(scope));
  return { kind: 'holder', id: toHolderId(sub), scopes: new Set(scopes), policy };
}

/**
 * The subject if it is plain and short, else its hash: ids are unique, and a subject cannot inject text into the log. Plain
 * subjects never contain `#`.
 */
function toHolderId(sub: string): string {
  return `jwt:${plainSubject.test(sub) ? sub : `#${hash('sha256', sub).slice(0, 32)}`}`;
}

/** Text separated by spaces, or a list of texts. */
function toList(value: unknown): readonly string[] | null {
  if (typeof value === 'string') return value.split(' ');
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : null;
}

export type TokenOutcome =
  | { readonly kind: 'caller'; readonly caller: Caller }
  | {
      readonly kind: 'refused';
      readonly code: 'UNAUTHENTICATED' | 'UPSTREAM_UNAVAILABLE';
      readonly message: string;
      /** The upstream that did not respond. */
      readonly upstream?: string;
    };

export type JwtVerifier = ReturnType<typeof openJwtVerifier>;

export interface JwtVerifierOptions {
  readonly rules: JwtRules;
  /** Knows the policies that tokens name; `null` = there are none. */
  readonly clients: Pick<ClientRegistry, 'policy'> | null;
  readonly registry: RegistryOptions;
  readonly events: SigningKeyEvents;
  readonly now: () => number;
}

/** Asymmetric algorithms only: with HMAC, the public key would serve as the secret. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

/** Seconds by which the issuer's clock may differ from ours. */
const clockSkewSeconds = 30;
/** Milliseconds after which a token is verified again, because its key may have been revoked. */
const rememberedMs = 5 * 60_000;
/** About 300 bytes each: a hash and the caller, not the token. */
const maxRemembered = 10_000;

const fetchTimeoutMs = 5_000;
const maxKeySetBytes = 256 * 1024;

/** A verified token with its times in milliseconds since the Unix epoch. */
interface Remembered {
  readonly caller: Caller;
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** Identifies callers by their JWTs. */
export function openJwtVerifier({ rules, clients, registry, events, now }: JwtVerifierOptions) {
  const remembered = new LRUCache<string, Remembered>({ max: maxRemembered });
  let keySets = 0;
  const inFlight = new Map<string, Promise<TokenOutcome>>();
  const keys = createSigningKeys({
    fetchKeys: () => fetchKeySet({ url: rules.keysUrl, timeoutMs: fetchTimeoutMs, maxBytes: maxKeySetBytes }),
    events: {
      ...events,
      replaced: (count) => {
        // The keys of these tokens may have been revoked.
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
      const known = toCaller(holder, rules, clients, registry);
      if (!known) return refused('its claim "policy" names no policy of this gateway');
      const caller = { ...known, validity: createExpiry(expiresMs, now) };
      // If the keys were replaced meanwhile, the result is valid for this request only.
      const sinceMs = now();
      const untilMs = Math.min(expiresMs, sinceMs + rememberedMs);
      if (keySet === keySets) remembered.set(hash, { caller, sinceMs, untilMs });
      return { kind: 'caller', caller };
    } catch (error) {
      if (!(error instanceof KeysUnavailableError)) return refused(toReason(error));
      const message = 'The keys that verify JWTs cannot be read at the moment.';
      return { kind: 'refused', code: 'UPSTREAM_UNAVAILABLE', message, upstream: 'jwks' };
    }
  };

  return {
    /**
     * The identity in a recently verified token.
     * @param hash SHA-256 of the whole token, in hex
     */
    recall(hash: string): Caller | null {
      const known = remembered.get(hash);
      if (!known) return null;
      const nowMs = now();
      // If the clock was set back far, the age of the verification is unknown.
      const isPast = nowMs >= known.sinceMs - clockSkewSeconds * 1_000;
      return isPast && nowMs < known.untilMs ? known.caller : null;
    },
    /** Verifies every token again, because the policies have changed. */
    forget(): void {
      remembered.clear();
      keySets += 1;
    },
    /** Verifies a token; may wait for the issuer's keys. Never rejects. */
    verify(token: string, hash: string): Promise<TokenOutcome> {
      const same = inFlight.get(hash);
      if (same !== undefined) return same;
      const verifying = verify(token, hash).finally(() => inFlight.delete(hash));
      inFlight.set(hash, verifying);
      return verifying;
    },
  };
}

/** @returns `null` if the token names an unknown policy */
function toCaller(
  { id, scopes, policy: name }: Extract<Holder, { kind: 'holder' }>,
  { gasPerDay, gasPerDayInAll, moveCalls }: JwtRules,
  clients: JwtVerifierOptions['clients'],
  registry: RegistryOptions,
): Caller | null {
  const usual = { ...noPolicy, gas: { ...noPolicy.gas, perVisitorPerDay: gasPerDay }, moveCalls };
  const named = name === null ? { ...noShares, policy: usual } : clients?.policy(name);
  if (!named) return null;
  const total = gasPerDayInAll === null ? null : { key: groups.jwt, perDay: gasPerDayInAll };
  const rules = toRules(named, name === null ? groups.jwt : groups.jwtPolicy(name), true, registry, total);
  return {
    id,
    kind: 'JWT',
    authorization: null,
    scopes: registry.auth === 'forward' ? allScopes : scopes,
    visitor: id,
    ...rules,
    rate: { ...rules.rate, key: id },
  };
}

function refused(why: string): TokenOutcome {
  return { kind: 'refused', code: 'UNAUTHENTICATED', message: `The JWT is not valid: ${why}.` };
}

/** A reason that does not help to forge a token. */
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
