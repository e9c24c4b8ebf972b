/** One entry of an Accept header, or a Content-Type: lower case, without the spaces and quotes that mean nothing. */
export interface MediaType {
  /** `type/subtype`; either may be `*` in an Accept header. */
  readonly name: string;
  /** By their names; of several of one name the first. Values as they came, unquoted. */
  readonly parameters: ReadonlyMap<string, string>;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const typeName = new RegExp(`[ \\t]*(${token}/${token})[ \\t]*`, 'y');
const parameter = new RegExp(`;[ \\t]*(?:(${token})=(?:(${token})|"((?:[^"\\\\]|\\\\.)*)"))?[ \\t]*`, 'y');
/** More media types than any client names; what follows is not looked at. */
const maxMediaTypes = 32;

/**
 * Reads the media types of a header as RFC 9110 writes them. What is no media type is left out, up to the next comma.
 * Linear in the length of the header.
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

/** Is text of that type UTF-8? It is where nothing is said, and nothing else is read or written here. */
function isUtf8({ parameters }: MediaType): boolean {
  const charset = parameters.get('charset')?.toLowerCase();
  return charset === undefined || charset === 'utf-8' || charset === 'utf8';
}

/** What a whole answer of GraphQL is written as. */
export type PlainType = 'application/json' | 'application/graphql-response+json';

/** What of an Accept header can be served. */
export interface Acceptable {
  /** The media types, best first, without anything that means nothing here. */
  readonly header: string;
  /** Of a whole answer; `null` where the caller takes event streams or parts alone. */
  readonly plain: PlainType | null;
}

const json = 'application/json';
const graphqlResponse = 'application/graphql-response+json';
/** In the order in which they are taken where a caller takes any. */
const servedTypes = [json, graphqlResponse, 'text/event-stream', 'multipart/mixed'] as const;

const anything: Acceptable = { header: servedTypes.join(', '), plain: json };
const jsonAlone: Acceptable = { header: json, plain: json };

/**
 * Reads the Accept header, once for all shells; `null` when nothing of it can be served. Decided before anything runs: a
 * mutation must not be executed for a caller who would not take its answer. Of what a caller takes equally the first is best.
 */
export function readAccept(header: string | undefined): Acceptable | null {
  // What nearly all clients send.
  if (header === undefined || header === '*/*') return anything;
  if (header === json) return jsonAlone;
  if (header.trim() === '') return anything;
  const ranges = parseMediaTypes(header).filter(isUtf8).map(toRange);
  const acceptable = servedTypes
    .map((type) => ({ type, ...preferenceOf(type, ranges) }))
    .filter(({ quality }) => quality > 0)
    .sort((left, right) => right.quality - left.quality || left.place - right.place)
    .map(({ type }) => type);
  if (acceptable.length === 0) return null;
  return { header: acceptable.join(', '), plain: acceptable.find(isPlain) ?? null };
}

/** Does a caller ask for a page, as browsers do that open an address? Who takes anything does not. */
export function acceptsPage(header: string | undefined): boolean {
  if (header === undefined || !/text\/html/i.test(header)) return false;
  return parseMediaTypes(header).some((each) => each.name === 'text/html' && isUtf8(each) && toQuality(each) > 0);
}

interface Range {
  readonly name: string;
  readonly quality: number;
}

/** What the most particular of the ranges that a type is in says of it, and where that stands. */
function preferenceOf(type: string, ranges: readonly Range[]): { readonly quality: number; readonly place: number } {
  for (const name of [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*']) {
    const place = ranges.findIndex((range) => range.name === name);
    const range = ranges[place];
    if (range) return { quality: range.quality, place };
  }
  return { quality: 0, place: 0 };
}

function toRange(type: MediaType): Range {
  return { name: type.name, quality: toQuality(type) };
}

/** From 0 to 1; 1 where nothing is said that can be read. */
function toQuality({ parameters }: MediaType): number {
  const text = parameters.get('q');
  return text !== undefined && /^(?:0(?:\.\d*)?|1(?:\.0*)?)$/.test(text) ? Number(text) : 1;
}

function isPlain(type: string): type is PlainType {
  return type === json || type === graphqlResponse;
}

const jsonTypes: ReadonlySet<string> = new Set(['application/json', 'application/graphql+json']);

/**
 * Does a Content-Type announce JSON in UTF-8? Forms and plain text need no preflight, so a page elsewhere could post them in
 * a user's name: nothing else than JSON is read. Several types in one header are none.
 */
export function isJsonType(header: string | undefined): boolean {
  if (header === 'application/json') return true;
  if (header === undefined || header.includes(',')) return false;
  const [type] = parseMediaTypes(header);
  return type !== undefined && jsonTypes.has(type.name) && isUtf8(type);
}

/** Is the body compressed, or otherwise not as it reads? */
export function isEncoded(header: string | undefined): boolean {
  return header !== undefined && !/^[ \t]*(?:identity)?[ \t]*$/i.test(header);
}

export type Encoding = 'br' | 'gzip';

/** The smaller first. */
const encodings: readonly Encoding[] = ['br', 'gzip'];

/** How an answer may be compressed by an Accept-Encoding header; `null` where it goes as it is. */
export function chooseEncoding(header: string | undefined): Encoding | null {
  if (header === undefined) return null;
  const accepted = new Map<string, boolean>();
  for (const entry of header.toLowerCase().split(',', 32)) {
    const [name = '', ...parameters] = entry.split(';').map((each) => each.trim());
    accepted.set(name, !parameters.some((each) => /^q=0(?:\.0*)?$/.test(each)));
  }
  return encodings.find((each) => accepted.get(each) ?? accepted.get('*')) ?? null;
}
