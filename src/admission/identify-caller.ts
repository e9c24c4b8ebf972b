import { hashApiKey } from '../config/api-key.ts';
import { isHeaderValue } from '../config/header-value.ts';
import { Secret } from '../config/secret.ts';
import type { ClientBook } from '../credentials/client-book.ts';
import type { Caller, Scope } from '../subschemas/operation-context.ts';
import { type TrustedProxies, toAddressKey, toClientAddress } from './client-address.ts';

/** What a request and its connection say about who sent it. Nothing of it is checked yet. */
export interface Sender {
  /** `Authorization`, whole; `null` if none. */
  readonly authorization: Secret | null;
  /** `x-api-key`; `null` if none. */
  readonly apiKey: Secret | null;
  /** The web origin of the page that sent the request; only browsers send it. */
  readonly origin: string | undefined;
  /** The address of the connection's peer; empty once the connection is closed. */
  readonly remoteAddress: string;
  /** `X-Forwarded-For`, the values of several headers joined by commas. */
  readonly forwardedFor: string | undefined;
}

/** Headers by lower-case name; a list where a header came several times. */
export type SenderHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** @param remoteAddress the address of the connection's peer */
export function toSender(headers: SenderHeaders, remoteAddress: string | undefined): Sender {
  return {
    authorization: toSecret(headers.authorization),
    apiKey: toSecret(headers['x-api-key']),
    origin: toText(headers.origin),
    remoteAddress: remoteAddress ?? '',
    forwardedFor: toText(headers['x-forwarded-for']),
  };
}

function toText(value: SenderHeaders[string]): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value;
}

function toSecret(value: SenderHeaders[string]): Secret | null {
  return value === undefined || value === '' ? null : new Secret(toText(value) ?? '');
}

export type Identity =
  | { readonly kind: 'caller'; readonly caller: Caller }
  /** The credentials are invalid, or not allowed for this origin. The sender is known by address alone. */
  | {
      readonly kind: 'refused';
      readonly code: 'UNAUTHENTICATED' | 'FORBIDDEN' | 'BAD_REQUEST';
      readonly message: string;
      /** The counter that the attempt counts against; `null` when not even the address is known. */
      readonly rate: Caller['rate'] | null;
    };

export interface IdentifyOptions {
  /** Who holds the sponsor's token. `forward`: the callers, and the sponsor judges their credentials. `token`: the gateway. */
  readonly auth: 'forward' | 'token';
  /** May callers without a credential spend the sponsor's gas? Matters in token mode only. */
  readonly allowAnonymous: boolean;
  /** Is the network the embedded devnet? */
  readonly devnet: boolean;
  /** `null`: there are no API keys, and a key that is sent is ignored. */
  readonly clients: Pick<ClientBook, 'find'> | null;
  readonly trustedProxies: TrustedProxies;
}

const everything: ReadonlySet<Scope> = new Set(['read', 'sponsor', 'admin']);
const sponsoring: ReadonlySet<Scope> = new Set(['read', 'sponsor']);
const reading: ReadonlySet<Scope> = new Set(['read']);

/**
 * Identifies callers: a client by its API key, anybody else by address. The key comes as `x-api-key` or, in token mode, as
 * the bearer token; `x-api-key` wins. On the embedded devnet, callers from this machine have every scope.
 */
export function createIdentify(options: IdentifyOptions): (sender: Sender) => Identity {
  const { auth, allowAnonymous, devnet, clients, trustedProxies } = options;

  return (sender) => {
    const address = toClientAddress(sender, trustedProxies);
    if (!address) return refuse('BAD_REQUEST', 'The connection is closed.', null);
    const byAddress = { key: toAddressKey(address.network), perMinute: null };
    // Refuse a credential that cannot be forwarded; failing later would look like a fault of the sponsor.
    if (auth === 'forward' && sender.authorization && !isHeaderValue(sender.authorization.reveal())) {
      return refuse('UNAUTHENTICATED', 'The credential has characters that no HTTP header can carry.', byAddress);
    }
    if (clients && (sender.apiKey || (auth === 'token' && sender.authorization))) {
      return identifyByKey(clients, sender, byAddress);
    }
    if (auth === 'forward' && sender.authorization) {
      const credentialId = `credential:${shortHash(sender.authorization)}`;
      // Nobody has checked the credential, so attempts are counted by address: anyone can make up a new one for each.
      return toUnknown(credentialId, 'FORWARDED', sender, byAddress);
    }
    return toUnknown(`address:${address.address}`, 'ANONYMOUS', sender, byAddress);
  };

  function identifyByKey(book: Pick<ClientBook, 'find'>, sender: Sender, byAddress: Caller['rate']): Identity {
    const key = bareCredential(sender);
    const client = key === null ? null : book.find(hashApiKey(key));
    if (!client) return refuse('UNAUTHENTICATED', 'The API key is not valid.', byAddress);
    if (client.origins && !isOneOf(client.origins, sender.origin)) {
      return refuse('FORBIDDEN', originRefusal(sender.origin), byAddress);
    }
    return toKnown(client.caller, sender);
  }

  function toKnown(caller: Caller, { authorization }: Sender): Identity {
    // In token mode the header can only be the caller's credential for the gateway, which is not forwarded.
    const isForwarded = auth === 'forward' && authorization !== null;
    return { kind: 'caller', caller: isForwarded ? { ...caller, authorization } : caller };
  }

  function toUnknown(id: string, kind: Caller['kind'], sender: Sender, rate: Caller['rate']): Identity {
    const { authorization } = sender;
    const scopes = scopesOfAnonymous(sender);
    return { kind: 'caller', caller: { id, kind, authorization, scopes, rate, gas: null, moveCalls: null } };
  }

  function scopesOfAnonymous({ remoteAddress, forwardedFor }: Sender): ReadonlySet<Scope> {
    if (auth === 'forward') return everything;
    if (!allowAnonymous) return reading;
    // A request that a proxy on this machine forwards may come from anywhere.
    return devnet && forwardedFor === undefined && isLoopback(remoteAddress) ? everything : sponsoring;
  }
}

function refuse(
  code: (Identity & { kind: 'refused' })['code'],
  message: string,
  rate: Caller['rate'] | null,
): Identity {
  return { kind: 'refused', code, message, rate };
}

/** The credential for the gateway itself, without `Bearer`; `null` if the header has another form. */
function bareCredential({ apiKey, authorization }: Sender): string | null {
  if (apiKey) return apiKey.reveal();
  return /^Bearer +(\S+)$/i.exec(authorization?.reveal() ?? '')?.[1] ?? null;
}

/** Browsers name the page's origin in every POST, WebSocket and request to another origin. */
function isOneOf(origins: readonly string[], origin: string | undefined): boolean {
  return origin !== undefined && origins.includes(origin.toLowerCase());
}

function originRefusal(origin: string | undefined): string {
  if (origin !== undefined) return 'The API key may not be used by pages of this origin.';
  return 'The API key may be used by pages of its origins alone, and the request has no Origin header.';
}

/** A name of a credential for logs, which does not reveal it. */
function shortHash(credential: Secret): string {
  return hashApiKey(credential.reveal()).slice(0, 32);
}

function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/.test(address);
}
