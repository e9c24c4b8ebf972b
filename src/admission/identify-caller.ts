import { createHash, timingSafeEqual } from 'node:crypto';
import { hashApiKey } from '../config/api-key.ts';
import type { Client } from '../config/client.ts';
import { isHeaderValue } from '../config/header-value.ts';
import { Secret } from '../config/secret.ts';
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
  readonly clients: readonly Client[] | null;
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
  const { auth, allowAnonymous, devnet, trustedProxies } = options;
  const clients = options.clients && new Map(options.clients.map((client) => [client.hash, client]));

  return (sender) => {
    const address = toClientAddress(sender, trustedProxies);
    if (!address) return refuse('BAD_REQUEST', 'The connection is closed.', null);
    const id = `address:${address.address}`;
    const byAddress = { key: toAddressKey(address.network), perMinute: null };
    // Refuse a credential that cannot be forwarded; failing later would look like a fault of the sponsor.
    if (auth === 'forward' && sender.authorization && !isHeaderValue(sender.authorization.reveal())) {
      return refuse('UNAUTHENTICATED', 'The credential has characters that no HTTP header can carry.', byAddress);
    }

    const credential = clients && (sender.apiKey ?? (auth === 'token' ? sender.authorization : null));
    if (clients && credential) {
      const client = findClient(clients, credential, sender.apiKey !== null);
      if (!client) return refuse('UNAUTHENTICATED', 'The API key is not valid.', byAddress);
      if (sender.origin !== undefined && client.origins && !client.origins.includes(sender.origin.toLowerCase())) {
        return refuse('FORBIDDEN', 'The API key may not be used by pages of this origin.', byAddress);
      }
      return { kind: 'caller', caller: toClientCaller(client, sender) };
    }
    if (auth === 'forward' && sender.authorization) {
      const credentialId = `credential:${shortHash(sender.authorization)}`;
      // Nobody has checked the credential, so attempts are counted by address: anyone can make up a new one for each.
      return toUnknown(credentialId, 'FORWARDED', sender, byAddress);
    }
    return toUnknown(id, 'ANONYMOUS', sender, byAddress);
  };

  function toClientCaller(client: Client, { authorization }: Sender): Caller {
    const id = `client:${client.id}`;
    return {
      id,
      kind: 'API_KEY',
      // In token mode the header can only be the API key itself, which is not forwarded.
      authorization: auth === 'forward' ? authorization : null,
      scopes: auth === 'forward' ? everything : new Set(client.scopes),
      rate: { key: id, perMinute: client.perMinute },
      // Like scopes: who forwards a credential of its own could leave the key out.
      gas: auth === 'forward' || client.gasPerDay === null ? null : { key: id, perDay: client.gasPerDay },
      moveCalls: auth === 'forward' ? null : client.moveCalls,
    };
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

/**
 * Finds the client whose key was sent, by the key's hash. The time of the lookup may reveal something about a hash, but
 * nobody can choose keys whose hashes approach a stored one.
 * @param isBare the credential is the key alone, without `Bearer`
 */
function findClient(clients: ReadonlyMap<string, Client>, credential: Secret, isBare: boolean): Client | undefined {
  const text = credential.reveal();
  const key = isBare ? text : /^Bearer +(\S+)$/i.exec(text)?.[1];
  if (key === undefined) return undefined;
  const hash = hashApiKey(key);
  const client = clients.get(hash);
  return client && timingSafeEqual(Buffer.from(client.hash), Buffer.from(hash)) ? client : undefined;
}

/** A short name of a credential for logs, which does not reveal it. */
function shortHash(credential: Secret): string {
  return createHash('sha256').update(credential.reveal()).digest('hex').slice(0, 12);
}

function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/.test(address);
}
