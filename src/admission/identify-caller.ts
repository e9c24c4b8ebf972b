import { createHash, timingSafeEqual } from 'node:crypto';
import { hashApiKey } from '../config/api-key.ts';
import { isHeaderValue } from '../config/header-value.ts';
import type { Client } from '../config/parse-clients.ts';
import type { Secret } from '../config/secret.ts';
import type { Caller, Scope } from '../subschemas/operation-context.ts';
import { type TrustedProxies, toAddressKey, toClientAddress } from './client-address.ts';
import type { Sender } from './sender.ts';

export type Identity =
  | { readonly kind: 'caller'; readonly caller: Caller }
  /** Credentials that are not valid, or not valid there. Whoever sent them is known by address alone. */
  | {
      readonly kind: 'refused';
      readonly code: 'UNAUTHENTICATED' | 'FORBIDDEN' | 'BAD_REQUEST';
      readonly message: string;
      /** Whose attempt it was; `null` when not even the address is known. */
      readonly rate: Caller['rate'] | null;
    };

export interface IdentifyOptions {
  /** Who holds the sponsor's token: with `forward` the callers, and the sponsor decides what their credentials are worth. */
  readonly auth: 'forward' | 'token';
  /** May callers without a credential spend the sponsor's gas? Asked in token mode only. */
  readonly allowAnonymous: boolean;
  /** Is the network the embedded one? */
  readonly devnet: boolean;
  /** `null`: nobody has an API key, and none is looked at. */
  readonly clients: readonly Client[] | null;
  readonly trustedProxies: TrustedProxies;
}

const everything: ReadonlySet<Scope> = new Set(['read', 'sponsor', 'admin']);
const sponsoring: ReadonlySet<Scope> = new Set(['read', 'sponsor']);
const reading: ReadonlySet<Scope> = new Set(['read']);

/**
 * Tells who is calling: a client by its API key, else somebody by address. In token mode a key may also be the bearer
 * token; `x-api-key` is looked at first. On the embedded network, who calls from this machine may also administer.
 */
export function createIdentify(options: IdentifyOptions): (sender: Sender) => Identity {
  const { auth, allowAnonymous, devnet, trustedProxies } = options;
  const clients = options.clients && new Map(options.clients.map((client) => [client.hash, client]));

  return (sender) => {
    const address = toClientAddress(sender, trustedProxies);
    if (!address) return refuse('BAD_REQUEST', 'The connection is closed.', null);
    const id = `address:${address.address}`;
    const byAddress = { key: toAddressKey(address.network), perMinute: null };
    // It could not be forwarded, and is no reason to think ill of the sponsor.
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
      // In token mode it is at most the key itself, and goes nowhere.
      authorization: auth === 'forward' ? authorization : null,
      scopes: auth === 'forward' ? everything : new Set(client.scopes),
      rate: { key: id, perMinute: client.perMinute },
    };
  }

  function toUnknown(id: string, kind: Caller['kind'], sender: Sender, rate: Caller['rate']): Identity {
    const { authorization } = sender;
    return { kind: 'caller', caller: { id, kind, authorization, scopes: scopesOfAnonymous(sender), rate } };
  }

  function scopesOfAnonymous({ remoteAddress, forwardedFor }: Sender): ReadonlySet<Scope> {
    if (auth === 'forward') return everything;
    if (!allowAnonymous) return reading;
    // What a proxy on this machine forwards does not come from this machine.
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
 * The client whose key was sent. It is looked up by the hash of what was sent: how long that takes tells something about
 * a hash, and nobody can choose one to come near another.
 */
function findClient(clients: ReadonlyMap<string, Client>, credential: Secret, isBare: boolean): Client | undefined {
  const text = credential.reveal();
  const key = isBare ? text : /^Bearer +(\S+)$/i.exec(text)?.[1];
  if (key === undefined) return undefined;
  const hash = hashApiKey(key);
  const client = clients.get(hash);
  return client && timingSafeEqual(Buffer.from(client.hash), Buffer.from(hash)) ? client : undefined;
}

/** Tells credentials apart in logs without telling them. */
function shortHash(credential: Secret): string {
  return createHash('sha256').update(credential.reveal()).digest('hex').slice(0, 12);
}

export function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/.test(address);
}
