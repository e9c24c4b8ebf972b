import { hash } from 'node:crypto';
import { Secret } from '../config/secret.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Caller, Scope } from '../upstream/operation-context.ts';

export interface SponsorAuthorization {
  /** The `Authorization` header for the sponsor; `null` for none. */
  headerFor(caller: Caller): Secret | null;
  /** @throws `FORBIDDEN` naming the missing scope; `UNAUTHENTICATED` for a caller that sent no credential */
  demand(scope: Scope, caller: Caller): void;
  /** Names the holder of this caller's reservations: no other holder can use or see them. */
  holderOf(caller: Caller): string;
}

export interface SponsorAuthorizationOptions {
  /**
   * `forward`: the caller's own header goes to the sponsor, which decides.
   * `token`: the gateway's token goes to the sponsor, and the caller's scopes decide.
   */
  readonly auth: 'forward' | 'token';
  /** Required in token mode. */
  readonly token: Secret | null;
}

/** The whole hash, of which `id` has the first half: nobody must find another credential of the same name. */
function toCredentialName({ id, authorization }: Caller): string {
  return authorization ? `credential:${hash('sha256', authorization.reveal(), 'hex')}` : id;
}

/** The gateway's own credential. */
export interface GatewayAuthorization {
  /** The current header; `null` in forward mode. */
  header(): Secret | null;
  /** Sends this token from now on. */
  adopt(token: Secret): void;
}

export function gatewayAuthorization({ auth, token }: SponsorAuthorizationOptions): GatewayAuthorization {
  const toBearer = (next: Secret) => new Secret(`Bearer ${next.reveal()}`);
  let bearer = auth === 'token' && token ? toBearer(token) : null;
  return {
    header: () => bearer,
    adopt(next) {
      bearer = toBearer(next);
    },
  };
}

/** Decides which calls a caller may make to the sponsor, and with which credential. */
export function createSponsorAuthorization(
  options: SponsorAuthorizationOptions,
  own: GatewayAuthorization = gatewayAuthorization(options),
): SponsorAuthorization {
  const { auth } = options;
  if (auth === 'forward')
    return { headerFor: (caller) => caller.authorization, demand() {}, holderOf: toCredentialName };
  if (!own.header()) throw new Error('Sponsor authorization in token mode needs the token.');
  return {
    headerFor: own.header,
    holderOf: ({ id }) => id,
    demand(scope, caller) {
      if (caller.scopes.has(scope)) return;
      const needed = `This needs the scope "${scope}"`;
      if (caller.kind !== 'ANONYMOUS') throw gatewayError('FORBIDDEN', `${needed}.`);
      throw gatewayError('UNAUTHENTICATED', `${needed}: send an API key or a token that has it.`);
    },
  };
}
