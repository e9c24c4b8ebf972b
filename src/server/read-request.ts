import { maxJsonNesting, nestsDeeper } from '../json/json-shape.ts';
import { parseRequestJson, parseVariables } from '../json/parse-json.ts';
import { type OperationRequest, parseRequest } from '../operation/parse-request.ts';

const requestMembers: ReadonlySet<string> = new Set(['query', 'variables', 'operationName', 'extensions']);

/** Reads the body of a POST. @returns `null` for a batch, and for what is no request: Yoga says why */
export function readBodyRequest(body: Buffer): OperationRequest | null {
  let value: unknown;
  try {
    value = parseRequestJson(body.toString('utf8'));
  } catch {
    return null;
  }
  if (nestsDeeper(value, maxJsonNesting)) return null;
  const request = parseRequest(value);
  if (request.kind === 'fault') return null;
  for (const name of Object.keys(value as object)) if (!requestMembers.has(name)) return null;
  return request;
}

/** Reads the query string of a GET. @returns `null` for what is no request: Yoga says why */
export function readQueryString(url: string): OperationRequest | null {
  const parameters = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const textOf = (name: string) => parameters.get(name) || null;
  try {
    const variables = parseVariables(textOf('variables') ?? 'null');
    const extensions: unknown = JSON.parse(textOf('extensions') ?? 'null');
    const value = { query: textOf('query'), operationName: textOf('operationName'), variables, extensions };
    const request = parseRequest(value);
    return request.kind === 'fault' ? null : request;
  } catch {
    return null;
  }
}
