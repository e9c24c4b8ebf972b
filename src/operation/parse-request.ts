import type { ErrorCode } from '../errors/catalogue.ts';

/** An operation as the client sent it. */
export interface OperationRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
}

/** Why a value is no request. */
export interface RequestFault {
  readonly kind: 'fault';
  readonly code: ErrorCode;
  readonly message: string;
}

export type ParsedRequest = ({ readonly kind: 'request' } & OperationRequest) | RequestFault;

/**
 * Reads a request of any transport. Ignores members that it does not know: HTTP refuses them, some WebSocket clients send them.
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
