import type { ErrorCode } from '../errors/catalogue.ts';
import { parseRequestJson, parseVariables } from '../json/exact-json.ts';
import { exceedsNesting, maxJsonNesting } from '../json/json-size.ts';

/** An operation as the client sent it. */
export interface OperationRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
}

export interface RequestFault {
  readonly kind: 'fault';
  readonly code: ErrorCode;
  readonly message: string;
}

export type ParsedRequest = ({ readonly kind: 'request' } & OperationRequest) | RequestFault;

/**
 * Parses a request of any transport. Ignores unknown members: HTTP rejects them, some WebSocket clients send them.
 * @param value parsed from JSON, or from a query string
 */
export function parseRequest(value: unknown): ParsedRequest {
  if (!isObject(value)) return fault(`Expected params to be an object but given ${typeName(value)}.`);
  const { query, variables, operationName, extensions } = value;
  if (operationName != null && typeof operationName !== 'string')
    return fault('The parameter "operationName" must be a string.');
  if ((query == null || query === '') && isObject(extensions) && 'persistedQuery' in extensions)
    return { kind: 'fault', code: 'PERSISTED_QUERY_NOT_SUPPORTED', message: 'PersistedQueryNotSupported' };
  if (query == null) return fault('Must provide query string.');
  if (typeof query !== 'string') return fault(`Expected "query" param to be a string, but given ${typeName(query)}.`);
  if (variables != null && !isObject(variables)) return notAnObject('variables', variables);
  if (extensions != null && !isObject(extensions)) return notAnObject('extensions', extensions);
  return { kind: 'request', query, variables: variables ?? {}, operationName: operationName ?? null };
}

function notAnObject(name: string, value: unknown): ParsedRequest {
  return fault(`Expected "${name}" param to be empty or an object, but given ${typeName(value)}.`);
}

function fault(message: string): ParsedRequest {
  return { kind: 'fault', code: 'BAD_REQUEST', message };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const requestMembers: ReadonlySet<string> = new Set(['query', 'variables', 'operationName', 'extensions']);

/**
 * Parses the body of a POST.
 * @returns `null` for a batch and for an invalid request: Yoga reports the reason
 */
export function readBodyRequest(body: Buffer): OperationRequest | null {
  let value: unknown;
  try {
    value = parseRequestJson(body.toString('utf8'));
  } catch {
    return null;
  }
  if (exceedsNesting(value, maxJsonNesting)) return null;
  const request = parseRequest(value);
  if (request.kind === 'fault') return null;
  for (const name of Object.keys(value as object)) if (!requestMembers.has(name)) return null;
  return request;
}

/**
 * Parses the query string of a GET.
 * @returns `null` for an invalid request: Yoga reports the reason
 */
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
