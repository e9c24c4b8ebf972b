import { toBareId } from '../config/document-manifest.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import { isObject, parseRequestJson, parseVariables } from '../json/exact-json.ts';
import { exceedsNesting, maxJsonNesting } from '../json/json-size.ts';

/** An operation as the client sent it. */
export interface OperationRequest {
  /** Empty if the request has the id of a document instead. */
  readonly query: string;
  /** Id of a trusted document, or a hash beside a text; `null` = none. */
  readonly documentId: string | null;
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
 * @param bytes of the JSON, of which each level of nesting takes two
 */
export function parseRequest(value: unknown, bytes = Number.POSITIVE_INFINITY): ParsedRequest {
  if (!isObject(value)) return fault(`Expected params to be an object but given ${typeName(value)}.`);
  if (bytes > 2 * maxJsonNesting && exceedsNesting(value, maxJsonNesting))
    return fault(`The request is nested over ${maxJsonNesting} levels.`);
  const { query, variables, operationName, extensions } = value;
  if (operationName != null && typeof operationName !== 'string')
    return fault('The parameter "operationName" must be a string.');
  if (variables != null && !isObject(variables)) return notAnObject('variables', variables);
  if (extensions != null && !isObject(extensions)) return notAnObject('extensions', extensions);
  const hash = extensions == null ? null : hashIn(extensions);
  if (query == null || query === '') return parseById(value, hash);
  if (typeof query !== 'string') return fault(`Expected "query" param to be a string, but given ${typeName(query)}.`);
  return toRequest(value, query, hash);
}

/** Members that have the id of a document: of the GraphQL over HTTP draft, and of networks of Relay. */
const idMembers = ['documentId', 'doc_id', 'id'] as const;

export const noIds = { documentId: null, doc_id: null, id: null } satisfies Record<(typeof idMembers)[number], null>;

/** A request without a text. Its id may come in several members if it is the same in all. */
function parseById(value: Readonly<Record<string, unknown>>, hash: string | null): ParsedRequest {
  let found = hash;
  for (const name of idMembers) {
    const id = value[name];
    if (id == null) continue;
    if (typeof id !== 'string' || id === '') return fault(`The parameter "${name}" must be the id of a document.`);
    if (found !== null && toBareId(found) !== toBareId(id)) return fault('The request has two different document ids.');
    found = id;
  }
  if (found !== null) return toRequest(value, '', found);
  return value.query === '' ? toRequest(value, '', null) : fault('Must provide query string.');
}

/** @param value whose other members were checked */
function toRequest(
  { variables, operationName }: Readonly<Record<string, unknown>>,
  query: string,
  documentId: string | null,
): ParsedRequest {
  return {
    kind: 'request',
    query,
    documentId,
    variables: (variables as OperationRequest['variables'] | null | undefined) ?? {},
    operationName: (operationName as string | null | undefined) ?? null,
  };
}

/** The hash that Apollo's clients send. */
function hashIn({ persistedQuery }: Readonly<Record<string, unknown>>): string | null {
  const hash = isObject(persistedQuery) ? persistedQuery.sha256Hash : null;
  return typeof hash === 'string' && hash !== '' ? hash : null;
}

function notAnObject(name: string, value: unknown): ParsedRequest {
  return fault(`Expected "${name}" param to be empty or an object, but given ${typeName(value)}.`);
}

function fault(message: string): ParsedRequest {
  return { kind: 'fault', code: 'BAD_REQUEST', message };
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const requestMembers: ReadonlySet<string> = new Set(['query', 'variables', 'operationName', 'extensions']);

function isIdMember(name: string): boolean {
  return (idMembers as readonly string[]).includes(name);
}

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
  const request = parseRequest(value, body.length);
  if (request.kind === 'fault') return null;
  for (const name of Object.keys(value as object)) {
    if (!requestMembers.has(name) && !(request.query === '' && isIdMember(name))) return null;
  }
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
    const ids = Object.fromEntries(idMembers.map((name) => [name, textOf(name)]));
    const value = { query: textOf('query'), operationName: textOf('operationName'), variables, extensions, ...ids };
    const request = parseRequest(value);
    return request.kind === 'fault' ? null : request;
  } catch {
    return null;
  }
}
