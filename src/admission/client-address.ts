import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Networks whose word on where a request came from is believed. */
export type TrustedProxies = readonly (readonly [Address, number])[];

export interface ClientAddress {
  /** As it is commonly written: IPv4 with dots, also where it came mapped into IPv6; IPv6 shortest. */
  readonly address: string;
  /** What attempts are counted by: an IPv4 address, or the /64 of an IPv6 one, for one subscriber has all of it. */
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
 * Who sent a request, by address. Each proxy adds to `X-Forwarded-For` the peer it heard, so the header is read from the
 * right and only as far as trusted proxies wrote it; what stands left of that is the client's own invention.
 * @returns `null` when the connection has no address of its own any more, because it is closed
 */
export function toClientAddress(
  { remoteAddress, forwardedFor }: ClientAddressFacts,
  trustedProxies: TrustedProxies,
): ClientAddress | null {
  if (forwardedFor === undefined) {
    // Nearly every request; the text of an IPv4 address that Node gives is the common one.
    const text = remoteAddress.startsWith(mappedPrefix) ? remoteAddress.slice(mappedPrefix.length) : remoteAddress;
    if (isIPv4(text)) return { address: text, network: text };
  }
  let client = parseAddress(remoteAddress);
  if (client === null) return null;
  const hops = forwardedFor === undefined || trustedProxies.length === 0 ? [] : forwardedFor.split(',');
  while (hops.length > 0 && isTrusted(client, trustedProxies)) {
    const hop = parseHop(hops.pop() ?? '');
    // A proxy that does not know its peer vouches for nothing beyond itself.
    if (hop === null) break;
    client = hop;
  }
  return { address: toText(client), network: toNetwork(client) };
}

/** What the attempts of a network are counted under, those of its callers without a key among them. */
export function toAddressKey(network: string): string {
  return `address:${network}`;
}

/** How an IPv4 peer is written by a socket that listens for both. */
const mappedPrefix = '::ffff:';

function isTrusted(address: Address, networks: TrustedProxies): boolean {
  return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

/** One entry of the header; some proxies write the port of the peer besides. */
function parseHop(text: string): Address | null {
  const hop = text.trim();
  return parseAddress(/^\[([^\]]+)\](?::\d{1,5})?$/.exec(hop)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(hop)?.[1] ?? hop);
}

/** Only the usual spellings: `isIP` refuses octal, hexadecimal and short IPv4 ones, which mean different things to different readers. */
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
