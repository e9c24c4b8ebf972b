import { hash } from 'node:crypto';
import { Secret } from '../../config/secret.ts';
import { gatewayError } from '../../errors/gateway-error.ts';
import type { Caller, Scope } from '../operation-context.ts';

export interface SponsorAuthorization {
  /** The `Authorization` header that goes to the sponsor for this caller; `null` for none. */
  headerFor(caller: Caller): Secret | null;
  /** @throws `FORBIDDEN` naming the scope that is missing */
  demand(scope: Scope, caller: Caller): void;
  /** To whom reservations are given: nobody else can spend them, or learn anything of them. */
  holderOf(caller: Caller): string;
}

export interface SponsorAuthorizationOptions {
  /**
   * `forward`: the caller's own header goes to the sponsor, whole, and the sponsor decides who may do what.
   * `token`: the gateway's token goes to the sponsor, and the caller's scopes decide.
   */
  readonly auth: 'forward' | 'token';
  /** Needed in token mode. */
  readonly token: Secret | null;
}

/** The whole hash, unlike the short one in `id`: made-up credentials must not find one with the same name. */
function toCredentialName({ id, authorization }: Caller): string {
  return authorization ? `credential:${hash('sha256', authorization.reveal(), 'base64url')}` : id;
}

/** What the gateway itself sends, on nobody's behalf: `null` where the callers hold the credentials. */
export function gatewayAuthorization({ auth, token }: SponsorAuthorizationOptions): Secret | null {
  return auth === 'token' && token ? new Secret(`Bearer ${token.reveal()}`) : null;
}

/**
 * Who may ask the sponsor for what, and with which credential. Anonymous callers without a scope get `FORBIDDEN` like all
 * others, not `UNAUTHENTICATED`: the gateway cannot know whether a credential would give them the scope.
 */
export function createSponsorAuthorization({ auth, token }: SponsorAuthorizationOptions): SponsorAuthorization {
  if (auth === 'forward')
    return { headerFor: (caller) => caller.authorization, demand() {}, holderOf: toCredentialName };
  const bearer = gatewayAuthorization({ auth, token });
  if (!bearer) throw new Error('Sponsor authorization in token mode needs the token.');
  return {
    headerFor: () => bearer,
    holderOf: ({ id }) => id,
    demand(scope, caller) {
      if (!caller.scopes.has(scope)) throw gatewayError('FORBIDDEN', `This needs the scope "${scope}".`);
    },
  };
}
