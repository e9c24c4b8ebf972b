import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { hashApiKey } from '../config/client.ts';
import { isHeaderValue, Secret } from '../config/secret.ts';
import type { Caller, Scope } from '../upstream/operation-context.ts';
import { allScopes, type CallerRules, type ClientRegistry } from './credentials/client-registry.ts';
import type { JwtVerifier } from './credentials/jwt-verifier.ts';

/** Unverified data about the caller, from a request and its connection. */
export interface Sender {
  /** `Authorization`, complete; `null` if none. */
  readonly authorization: Secret | null;
  /** `x-api-key`; `null` if none. */
  readonly apiKey: Secret | null;
  /** The web origin of the page that sent the request; only browsers send it. */
  readonly origin: string | undefined;
  /** The address of the connection's peer; empty once the connection is closed. */
  readonly remoteAddress: string;
  /** `X-Forwarded-For`; several headers are joined by commas. */
  readonly forwardedFor: string | undefined;
}

/** Headers by lower-case name; a list if a header came several times. */
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

export type Identity = KnownIdentity | UnverifiedIdentity;

/** The signature of a token has to be verified, which costs CPU time: the address is counted first. */
export interface UnverifiedIdentity {
  readonly kind: 'unverified';
  /** The counter of the address that sent it. */
  readonly rate: Caller['rate'];
  /** Never rejects. */
  readonly verify: () => Promise<KnownIdentity>;
}

export type KnownIdentity =
  | { readonly kind: 'caller'; readonly caller: Caller }
  /** The credentials are invalid, or not allowed for this origin. */
  | {
      readonly kind: 'refused';
      readonly code: 'UNAUTHENTICATED' | 'FORBIDDEN' | 'BAD_REQUEST' | 'UPSTREAM_UNAVAILABLE';
      readonly message: string;
      /** The upstream that could not verify the credential. */
      readonly upstream?: string;
      /** The counter that the attempt counts against; `null` if the address is unknown. */
      readonly rate: Caller['rate'] | null;
    };

export interface IdentifyOptions {
  /** `forward`: callers hold the sponsor's token, and the sponsor verifies it. `token`: the gateway holds it. */
  readonly auth: 'forward' | 'token';
  /** May callers without a credential spend the sponsor's gas? Matters in token mode only. */
  readonly allowAnonymous: boolean;
  /** Is the network the embedded devnet? */
  readonly devnet: boolean;
  /** `null`: there are no API keys. */
  readonly clients: Pick<ClientRegistry, 'find'> | null;
  /** What callers without a credential of the gateway may use. */
  readonly anonymous: () => CallerRules;
  /** `null`: JWTs are not accepted. */
  readonly tokens: JwtVerifier | null;
  readonly trustedProxies: TrustedProxies;
}

const sponsoring: ReadonlySet<Scope> = new Set(['read', 'sponsor']);
const reading: ReadonlySet<Scope> = new Set(['read']);

const noKeys = 'This gateway knows no API keys: CLIENTS_FILE is not set.';

/**
 * Identifies a caller by its API key, by its JWT, or else by its address. Key or token comes as `x-api-key` or, in token mode,
 * as the bearer token; `x-api-key` takes precedence. On the embedded devnet, callers from this machine have every scope.
 */
export function createIdentify(options: IdentifyOptions): (sender: Sender) => Identity {
  const { auth, allowAnonymous, devnet, clients, tokens, trustedProxies, anonymous } = options;
  const areCredentialsKnown = clients !== null || tokens !== null;
  const invalid = invalidText(clients !== null, tokens !== null);

  return (sender) => {
    const address = toClientAddress(sender, trustedProxies);
    if (!address) return refuse('BAD_REQUEST', 'The connection is closed.', null);
    const byAddress = { key: toAddressKey(address.network), perMinute: null };
    // Rejected here, because a later failure would look like a fault of the sponsor.
    if (auth === 'forward' && sender.authorization && !isHeaderValue(sender.authorization.reveal())) {
      return refuse('UNAUTHENTICATED', 'The credential has characters that no HTTP header can carry.', byAddress);
    }
    if (areCredentialsKnown && (sender.apiKey || (auth === 'token' && sender.authorization))) {
      return identifyByCredential(sender, byAddress);
    }
    if (sender.apiKey) return refuse('UNAUTHENTICATED', noKeys, byAddress);
    if (auth === 'forward' && sender.authorization) {
      const credentialId = `credential:${shortHash(sender.authorization)}`;
      // Counted by address: the credential is unverified, and callers could make up a new one for each attempt.
      return toUnknown(credentialId, 'FORWARDED', sender, byAddress);
    }
    return toUnknown(`address:${address.address}`, 'ANONYMOUS', sender, byAddress);
  };

  function identifyByCredential(sender: Sender, byAddress: Caller['rate']): Identity {
    const credential = bareCredential(sender);
    if (credential === null) return refuse('UNAUTHENTICATED', invalid, byAddress);
    const hash = hashApiKey(credential);
    const client = clients?.find(hash);
    if (client?.origins && !isOneOf(client.origins, sender.origin)) {
      return refuse('FORBIDDEN', originRefusal(sender.origin), byAddress);
    }
    const known = client?.caller ?? tokens?.recall(hash);
    if (known) return toKnown(known, sender, client?.hasVisitors ? byAddress.key : null);
    if (!tokens || !looksLikeToken(credential)) return refuse('UNAUTHENTICATED', invalid, byAddress);
    const verify = async (): Promise<KnownIdentity> => {
      const outcome = await tokens.verify(credential, hash);
      return outcome.kind === 'caller' ? toKnown(outcome.caller, sender, null) : { ...outcome, rate: byAddress };
    };
    return { kind: 'unverified', rate: byAddress, verify };
  }

  /** @param address the visitor of a key that several share; `null` = the caller is its own visitor */
  function toKnown(caller: Caller, sender: Sender, address: string | null): KnownIdentity {
    if (auth === 'token' && address === null) return { kind: 'caller', caller };
    // In token mode, the header is the caller's credential for the gateway, which is not forwarded.
    const authorization = auth === 'token' ? null : sender.authorization;
    // Without an object spread: callers of one hidden class are faster to read.
    const { id, kind, scopes, live, policy, documents, validity } = caller;
    const visitor = address === null ? caller.visitor : `${id} ${address}`;
    const { perMinute, total } = caller.rate;
    const rate = { key: visitor, perMinute, total };
    return {
      kind: 'caller',
      caller: { id, kind, authorization, scopes, visitor, rate, live, policy, documents, validity },
    };
  }

  function toUnknown(id: string, kind: Caller['kind'], sender: Sender, rate: Caller['rate']): Identity {
    const { authorization } = sender;
    const scopes = scopesOfAnonymous(sender);
    const { live, policy, rate: limits } = anonymous();
    const visitor = rate.key;
    const own = { key: visitor, perMinute: limits.perMinute, total: limits.total };
    return { kind: 'caller', caller: { id, kind, authorization, scopes, visitor, rate: own, live, policy } };
  }

  function scopesOfAnonymous({ remoteAddress, forwardedFor }: Sender): ReadonlySet<Scope> {
    if (auth === 'forward') return allScopes;
    if (!allowAnonymous) return reading;
    // A proxy on this machine may forward requests from anywhere.
    return devnet && forwardedFor === undefined && isLoopback(remoteAddress) ? allScopes : sponsoring;
  }
}

function refuse(
  code: (KnownIdentity & { kind: 'refused' })['code'],
  message: string,
  rate: Caller['rate'] | null,
): KnownIdentity {
  return { kind: 'refused', code, message, rate };
}

function invalidText(areKeysTaken: boolean, areTokensTaken: boolean): string {
  if (!areTokensTaken) return 'The API key is not valid.';
  return areKeysTaken ? 'The credential is neither a valid API key nor a JWT.' : 'The credential is not a JWT.';
}

/** The credential for the gateway, without `Bearer`; `null` if the header has another form. */
function bareCredential({ apiKey, authorization }: Sender): string | null {
  if (apiKey) return apiKey.reveal();
  return /^Bearer +(\S+)$/i.exec(authorization?.reveal() ?? '')?.[1] ?? null;
}

/** Browsers send the page's origin with every POST, WebSocket and cross-origin request. */
function isOneOf(origins: readonly string[], origin: string | undefined): boolean {
  return origin !== undefined && origins.includes(origin.toLowerCase());
}

function originRefusal(origin: string | undefined): string {
  if (origin !== undefined) return 'The API key may not be used by pages of this origin.';
  return 'The API key may be used by pages of its origins alone, and the request has no Origin header.';
}

/** May the text be a JWT? A JWT has three parts of base64url, and a limited length. */
export function looksLikeToken(text: string): boolean {
  return text.length <= 8_192 && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}

/** Identifies a credential in logs without revealing it. */
function shortHash(credential: Secret): string {
  return hashApiKey(credential.reveal()).slice(0, 32);
}

export function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/.test(address);
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Networks whose `X-Forwarded-For` is trusted. */
export type TrustedProxies = readonly (readonly [Address, number])[];

export interface ClientAddress {
  /** IPv4 in dotted form, also if it was mapped into IPv6; IPv6 in its shortest form. */
  readonly address: string;
  /**
   * The key of the address's counter: an IPv4 address, or the /64 of an IPv6 address, because one subscriber has a whole /64.
   */
  readonly network: string;
}

/** @param networks valid addresses and CIDR ranges */
export function toTrustedProxies(networks: readonly string[]): TrustedProxies {
  return networks.map((network) => {
    const [text = '', bits] = network.split('/');
    const raw = ipaddr.parse(text);
    const address = unmapped(raw);
    if (bits === undefined) return [address, address.kind() === 'ipv4' ? 32 : 128];
    // A range of IPv4-mapped addresses is the range of these IPv4 addresses.
    const isMappedRange = address !== raw && Number(bits) >= 96;
    return isMappedRange ? [address, Number(bits) - 96] : [raw, Number(bits)];
  });
}

/**
 * The address of the client that sent a request. Each proxy appends its peer to `X-Forwarded-For`, so the header is read from
 * the right, only as far as trusted proxies wrote it: a client can forge everything left of that.
 * @returns `null` if the connection is closed and has no address any more
 */
export function toClientAddress(
  { remoteAddress, forwardedFor }: Pick<Sender, 'remoteAddress' | 'forwardedFor'>,
  trustedProxies: TrustedProxies,
): ClientAddress | null {
  if (forwardedFor === undefined) {
    // Fast path of most requests: Node has the IPv4 address in its usual spelling.
    const text = remoteAddress.startsWith(mappedPrefix) ? remoteAddress.slice(mappedPrefix.length) : remoteAddress;
    if (isIPv4(text)) return { address: text, network: text };
  }
  let client: Address | null = parseAddress(remoteAddress);
  if (client === null) return null;
  let hops: string[] | undefined;
  while (isTrusted(client, trustedProxies)) {
    // Only here, because anyone may send a long header.
    hops ??= forwardedFor?.split(',') ?? [];
    const hop = parseHop(hops.pop() ?? '');
    // A proxy that wrote no address does not know its peer: stop at the proxy itself.
    if (hop === null) break;
    client = hop;
  }
  const text = client instanceof ipaddr.IPv6 ? client.toRFC5952String() : client.toString();
  return { address: text, network: toNetwork(client) };
}

/** Is it the address of a trusted proxy? */
export function isProxy(remoteAddress: string, trustedProxies: TrustedProxies): boolean {
  const address = trustedProxies.length > 0 ? parseAddress(remoteAddress) : null;
  return address !== null && isTrusted(address, trustedProxies);
}

/** The key of a network's counter, which also counts its callers without an API key. */
export function toAddressKey(network: string): string {
  return `address:${network}`;
}

/** The prefix of IPv4 peers on a dual-stack socket. */
const mappedPrefix = '::ffff:';

function isTrusted(address: Address, networks: TrustedProxies): boolean {
  return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

/** Parses one entry of `X-Forwarded-For`. Some proxies add the port of the peer: `[::1]:80`, `1.2.3.4:80`. */
function parseHop(text: string): Address | null {
  const hop = text.trim();
  return parseAddress(/^\[([^\]]+)\](?::\d{1,5})?$/.exec(hop)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(hop)?.[1] ?? hop);
}

/** Accepts only the usual spellings. `isIP` rejects octal, hexadecimal and short IPv4, which parsers interpret differently. */
function parseAddress(text: string): Address | null {
  const [bare = ''] = text.split('%');
  return isIP(bare) ? unmapped(ipaddr.parse(bare)) : null;
}

function unmapped(address: Address): Address {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function toNetwork(address: Address): string {
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toRFC5952String()}/64`;
}
