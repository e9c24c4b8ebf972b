import type { IncomingMessage } from 'node:http';
import type { HotRequest } from '../gateway/hot-operations.ts';
import { maxJsonNesting, nestsDeeper } from './json-shape.ts';

const plainType = /^application\/json(?:\s*;\s*charset="?utf-8"?)?\s*$/i;

/** Can a request with such headers take the short way, whatever its body says? */
export function isHotHead({ url, headers }: Pick<IncomingMessage, 'url' | 'headers'>, graphqlPath: string): boolean {
  const type = headers['content-type'];
  // A query string may say something, and is not read there.
  return (
    url === graphqlPath &&
    type !== undefined &&
    (type === 'application/json' || plainType.test(type)) &&
    headers['content-encoding'] === undefined
  );
}

/** Reads a body that says nothing but what the short way understands; `null` for any other, right or wrong. */
export function toHotRequest(body: Buffer): HotRequest | null {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
  if (!isObject(value) || nestsDeeper(value, maxJsonNesting)) return null;
  let query: string | undefined;
  let variables: HotRequest['variables'] = {};
  let operationName: string | null = null;
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (key === 'query' && typeof member === 'string') query = member;
    else if (key === 'variables' && isObject(member)) variables = member;
    else if (key === 'operationName' && typeof member === 'string' && member !== '') operationName = member;
    else if (key === 'extensions' && isObject(member)) continue;
    else if (key === 'query' || member !== null || !optionalKeys.has(key)) return null;
  }
  return query === undefined ? null : { query, variables, operationName };
}

const optionalKeys: ReadonlySet<string> = new Set(['variables', 'operationName', 'extensions']);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The media type of a plain answer: of those a caller accepts, the first that can be had; `null` where that is an event
 * stream or parts, which the short way does not make.
 * @param accept as far as it can be served
 */
export function toHotMediaType(accept: string): HotMediaType | null {
  if (accept === '*/*' || accept === json) return json;
  for (const each of accept.replaceAll(/\s/g, '').toLowerCase().split(',')) {
    const [type, ...parameters] = each.split(';');
    const charset = parameters.find((parameter) => parameter.includes('charset='));
    if (charset !== undefined && charset !== 'charset=utf-8') continue;
    if (type === json || type === '*/*' || type === 'application/*') return json;
    if (type === graphqlResponse) return graphqlResponse;
  }
  return null;
}

export type HotMediaType = typeof json | typeof graphqlResponse;
const json = 'application/json';
const graphqlResponse = 'application/graphql-response+json';
