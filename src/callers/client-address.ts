import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Networks whose `X-Forwarded-For` is believed. */
export type TrustedProxies = readonly (readonly [Address, number])[];

export interface ClientAddress {
  /** IPv4 with dots, also if it was mapped into IPv6; IPv6 in its shortest form. */
  readonly address: string;
  /** What attempts are counted by: an IPv4 address, or the /64 of an IPv6 one, since one subscriber has a whole /64. */
  readonly network: string;
}

export interface ClientAddressFacts {
  /** The peer of the connection. */
  readonly remoteAddress: string;
  /** `X-Forwarded-For`, the values of several headers joined by commas; `undefined` when there is none. */
  readonly forwardedFor: string | undefined;
}

/** @param networks addresses and CIDR ranges, already checked */
export function toTrustedProxies(networks: readonly string[]): TrustedProxies {
  return networks.map((network) => {
    const [text = '', bits] = network.split('/');
    const raw = ipaddr.parse(text);
    const address = unmapped(raw);
    const whole = address.kind() === 'ipv4' ? 32 : 128;
    if (bits === undefined) return [address, whole];
    // A range written in mapped form is the range of the IPv4 addresses in it.
    const isMapped = raw.kind() === 'ipv6' && address.kind() === 'ipv4';
    return isMapped && Number(bits) >= 96 ? [address, Number(bits) - 96] : [isMapped ? raw : address, Number(bits)];
  });
}

/**
 * The address of the client that sent a request. Each proxy appends its peer to `X-Forwarded-For`, so the header is read from
 * the right, and only as far as trusted proxies wrote it: a client can invent everything left of that.
 * @returns `null` when the connection is closed and has no address any more
 */
export function toClientAddress(
  { remoteAddress, forwardedFor }: ClientAddressFacts,
  trustedProxies: TrustedProxies,
): ClientAddress | null {
  if (forwardedFor === undefined) {
    // Fast path of nearly every request: Node has the IPv4 address in its usual spelling.
    const text = remoteAddress.startsWith(mappedPrefix) ? remoteAddress.slice(mappedPrefix.length) : remoteAddress;
    if (isIPv4(text)) return { address: text, network: text };
  }
  let client = parseAddress(remoteAddress);
  if (client === null) return null;
  const hops = forwardedFor === undefined || trustedProxies.length === 0 ? [] : forwardedFor.split(',');
  while (hops.length > 0 && isTrusted(client, trustedProxies)) {
    const hop = parseHop(hops.pop() ?? '');
    // A proxy that wrote no address does not know its peer: stop at the proxy itself.
    if (hop === null) break;
    client = hop;
  }
  return { address: toText(client), network: toNetwork(client) };
}

/** The key of a network's counter, which also counts its callers without an API key. */
export function toAddressKey(network: string): string {
  return `address:${network}`;
}

/** The prefix of IPv4 peers on a socket that listens for IPv4 and IPv6. */
const mappedPrefix = '::ffff:';

function isTrusted(address: Address, networks: TrustedProxies): boolean {
  return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

/** Parses one entry of the header. Some proxies add the port of the peer: `[::1]:80`, `1.2.3.4:80`. */
function parseHop(text: string): Address | null {
  const hop = text.trim();
  return parseAddress(/^\[([^\]]+)\](?::\d{1,5})?$/.exec(hop)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(hop)?.[1] ?? hop);
}

/** Accepts only the usual spellings. `isIP` refuses octal, hexadecimal and short IPv4, which parsers read differently. */
function parseAddress(text: string): Address | null {
  const [bare = ''] = text.split('%');
  return isIP(bare) ? unmapped(ipaddr.parse(bare)) : null;
}

function unmapped(address: Address): Address {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function toText(address: Address): string {
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
}

function toNetwork(address: Address): string {
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toRFC5952String()}/64`;
}
