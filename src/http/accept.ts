import { isUtf8, type MediaType, parseMediaTypes } from './media-types.ts';

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
