import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Encoding, encodings } from '../config/value-types.ts';

/** Path and query of a request. Drops scheme and host, which some proxies send, and a fragment. */
export function toRequestTarget(url: string | undefined): string {
  if (url?.startsWith('/') && !url.includes('#')) return url;
  const target = (url ?? '').replace(/^https?:\/\/[^/?#]*/i, '').replace(/#.*$/s, '');
  return target.startsWith('/') || target === '*' ? target : `/${target}`;
}

/** The path without its query. Expects a target from `toRequestTarget`. */
export function pathOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

export function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/**
 * The version in a path such as `/graphql/VERSION`.
 * @returns `null` for the GraphQL path without a version, `undefined` for any other path
 */
export function versionIn(fullPath: string, graphqlPath: string): string | null | undefined {
  if (fullPath === graphqlPath) return null;
  const path = withoutTrailingSlash(fullPath);
  if (path === graphqlPath) return null;
  const [, version, rest] = path.startsWith(`${graphqlPath}/`) ? path.slice(graphqlPath.length).split('/') : [];
  return version === undefined || version === '' || rest !== undefined ? undefined : version;
}

/** A host with or without a port, by the grammar of RFC 3986. */
const validHost = /^(?:\[[\da-f:.]+\]|[\w.~%!$&'()*+,;=-]*)(?::\d*)?$/i;

/**
 * The Host header in lower case. Reads the raw headers, because Node drops all but the first, and the listener replaces it.
 * @returns `null` if it is missing, `undefined` if there are several or it is invalid
 */
export function readHost({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string | null | undefined {
  let host: string | null = null;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length !== 4 || (name !== 'host' && name.toLowerCase() !== 'host')) continue;
    if (host !== null) return undefined;
    host = rawHeaders[index + 1] as string;
  }
  if (host === null) return null;
  return validHost.test(host) ? host.toLowerCase() : undefined;
}

/** A Content-Type, or one entry of an Accept header. */
interface MediaType {
  /** `type/subtype` in lower case; either may be `*` in an Accept header. */
  readonly name: string;
  /** By name in lower case; if a name comes twice, the first counts. Values keep their case and lose their quotes. */
  readonly parameters: ReadonlyMap<string, string>;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const typeName = new RegExp(`[ \\t]*(${token}/${token})[ \\t]*`, 'y');
const parameter = new RegExp(`;[ \\t]*(?:(${token})=(?:(${token})|"((?:[^"\\\\]|\\\\.)*)"))?[ \\t]*`, 'y');
/** Further media types of a header are ignored. */
const maxMediaTypes = 32;

/**
 * Parses the media types of a header (RFC 9110, section 8.3.1), skipping malformed entries. Takes linear time.
 */
function parseMediaTypes(header: string): readonly MediaType[] {
  const found: MediaType[] = [];
  for (let at = 0, count = 0; at < header.length && count < maxMediaTypes; count += 1) {
    typeName.lastIndex = at;
    const name = typeName.exec(header)?.[1]?.toLowerCase();
    if (name !== undefined) {
      at = typeName.lastIndex;
      const parameters = new Map<string, string>();
      for (;;) {
        parameter.lastIndex = at;
        const match = parameter.exec(header);
        if (!match) break;
        at = parameter.lastIndex;
        const [, key, bare, quoted] = match;
        const lower = key?.toLowerCase();
        if (lower !== undefined && !parameters.has(lower))
          parameters.set(lower, bare ?? quoted?.replace(/\\(.)/g, '$1') ?? '');
      }
      if (at === header.length || header[at] === ',') found.push({ name, parameters });
    }
    const comma = header.indexOf(',', at);
    if (comma < 0) break;
    at = comma + 1;
  }
  return found;
}

/** Is the charset UTF-8, which is the default and the only one that the gateway reads and writes? */
function isUtf8({ parameters }: MediaType): boolean {
  const charset = parameters.get('charset')?.toLowerCase();
  return charset === undefined || charset === 'utf-8' || charset === 'utf8';
}

export type PlainType = 'application/json' | 'application/graphql-response+json';

/** The media types that a caller accepts and the gateway can send. */
interface AcceptedTypes {
  /** All of them as an Accept header, best first, without parameters except the one for a subscription protocol. */
  readonly header: string;
  /** The best one for a response in one piece; `null` if the caller accepts only event streams or multipart responses. */
  readonly plain: PlainType | null;
}

const json = 'application/json';
const graphqlResponse = 'application/graphql-response+json';
/** The gateway's preference among types that callers accept equally, as with a wildcard. */
const servedTypes = [json, graphqlResponse, 'text/event-stream', 'multipart/mixed'] as const;

const anything: AcceptedTypes = { header: servedTypes.join(', '), plain: json };
const jsonOnly: AcceptedTypes = { header: json, plain: json };

/**
 * Parses the Accept header, once for all transports; `null` if the gateway can send none of its types. Decided before anything
 * runs: a mutation must not be executed for a caller that cannot read the response. Of equally accepted types, the first is
 * best.
 */
export function readAccept(header: string | undefined): AcceptedTypes | null {
  // Most clients send one of these.
  if (header === undefined || header === '*/*') return anything;
  if (header === json) return jsonOnly;
  if (header.trim() === '') return anything;
  const ranges = parseMediaTypes(header).filter(isUtf8).map(toRange);
  // This parameter selects, of several multipart protocols, the one for subscriptions.
  const isSubscribed = ranges.some(({ isForSubscriptions, quality }) => isForSubscriptions && quality > 0);
  const acceptable = servedTypes
    .map((type) => ({ type, ...preferenceOf(type, ranges) }))
    .filter(({ quality }) => quality > 0)
    .sort((left, right) => right.quality - left.quality || left.position - right.position)
    .map(({ type }) => (isSubscribed && type === 'multipart/mixed' ? `${type};subscriptionspec=1.0` : type));
  if (acceptable.length === 0) return null;
  return { header: acceptable.join(', '), plain: acceptable.find(isPlain) ?? null };
}

/**
 * Does a client ask for an HTML page, as browsers do? A wildcard does not count: programs that expect JSON send it.
 */
export function acceptsPage(header: string | undefined): boolean {
  if (header === undefined || !/text\/html/i.test(header)) return false;
  return parseMediaTypes(header).some((each) => each.name === 'text/html' && isUtf8(each) && toQuality(each) > 0);
}

interface Range {
  readonly name: string;
  readonly quality: number;
  readonly isForSubscriptions: boolean;
}

function toRange(type: MediaType): Range {
  const { name, parameters } = type;
  const isForSubscriptions = name === 'multipart/mixed' && parameters.get('subscriptionspec') === '1.0';
  return { name, quality: toQuality(type), isForSubscriptions };
}

/** The quality of a type and its position in the header, by the most specific range that includes the type. */
function preferenceOf(type: string, ranges: readonly Range[]): { readonly quality: number; readonly position: number } {
  for (const name of [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*']) {
    const position = ranges.findIndex((range) => range.name === name);
    const range = ranges[position];
    if (range) return { quality: range.quality, position };
  }
  return { quality: 0, position: 0 };
}

/** The parameter `q`, from 0 to 1; 1 if it is missing or malformed. */
function toQuality({ parameters }: MediaType): number {
  const text = parameters.get('q');
  return text !== undefined && /^(?:0(?:\.\d*)?|1(?:\.0*)?)$/.test(text) ? Number(text) : 1;
}

function isPlain(type: string): type is PlainType {
  return type === json || type === graphqlResponse;
}

const jsonTypes: ReadonlySet<string> = new Set(['application/json', 'application/graphql+json']);

/**
 * Does a Content-Type announce JSON in UTF-8? No other type is read: browsers post forms and plain text to other sites without
 * a CORS preflight, so any page could act in its visitor's name. A header with several types is rejected.
 */
export function isJsonType(header: string | undefined): boolean {
  if (header === 'application/json') return true;
  if (header === undefined || header.includes(',')) return false;
  const [type] = parseMediaTypes(header);
  return type !== undefined && jsonTypes.has(type.name) && isUtf8(type);
}

/** Is the body compressed, according to the Content-Encoding header? */
export function isEncoded(header: string | undefined): boolean {
  return header !== undefined && !/^[ \t]*(?:identity)?[ \t]*$/i.test(header);
}

/**
 * How to compress a response for a caller with this Accept-Encoding header; `null` = not at all.
 * @param enabled the preferred one first
 */
export function chooseEncoding(header: string | undefined, enabled: readonly Encoding[] = encodings): Encoding | null {
  if (header === undefined) return null;
  const accepted = new Map<string, boolean>();
  for (const entry of header.toLowerCase().split(',', 32)) {
    const [name = '', ...parameters] = entry.split(';').map((each) => each.trim());
    accepted.set(name, !parameters.some((each) => /^q=0(?:\.0*)?$/.test(each)));
  }
  return enabled.find((each) => accepted.get(each) ?? accepted.get('*')) ?? null;
}

const acceptableId = /^[\w.-]{1,64}$/;

/**
 * All ids of one process share a random prefix and a counter. Ids need not be secret, so random bits per request would be
 * wasted.
 */
const idPrefix = randomUUID().slice(0, -12);
let idCount = 0;

function makeRequestId(): string {
  idCount += 1;
  return idPrefix + idCount.toString(16).padStart(12, '0');
}

/** The client's own request id if it is short and safe to repeat, else a new one. */
export function toRequestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && acceptableId.test(header) ? header : makeRequestId();
}
