import { type ExecutionResult, GraphQLError, Source, type SourceLocation } from 'graphql';
import type { NetworkProfile } from '../../config/network-profile.ts';
import { type ErrorCode, retryAdviceFor } from '../../errors/catalogue.ts';
import { gatewayError } from '../../errors/gateway-error.ts';
import { lightError, type SourcePositions, withExtensions } from '../../errors/light-error.ts';
import { maxReportedErrors, toOmissionError } from '../../errors/reported-errors.ts';
import { completeInTurns, type TakeTurn } from '../../json/complete-in-turns.ts';
import { isObject, parseJson } from '../../json/exact-json.ts';
import { exceedsNesting, maxAnswerNesting } from '../../json/json-size.ts';
import { parseInPieces, pieceCharacters } from '../../json/parse-in-pieces.ts';
import type { UpstreamResponse } from '../../upstream/upstream-call.ts';

/** Returns the text of a document. A function, because only errors need the text. */
export type ReadText = () => string;

export type TransientErrors = NetworkProfile['transientErrors'];

export interface ParseAnswerOptions {
  /** The ledger may have executed the document despite errors. */
  readonly isMutation: boolean;
  /** The ledger's errors after which a repeated request may succeed. Left out: none. */
  readonly transient?: TransientErrors | undefined;
}

/**
 * Parses the ledger's response. Clients see its errors with message, path and extensions, except `extensions.http`, which
 * would set the status of the gateway's response, and `extensions.debug`, where servers put their stacks and file paths. An
 * error without a code gets one, and each gets an advice. Rejects anything that is not a GraphQL response.
 * @param readText returns the document's text if the client wrote it; `null` if the gateway did, because error locations in
 * that text would mean nothing to the client
 */
export function parseLedgerAnswer(
  response: UpstreamResponse,
  readText: ReadText | null,
  options: ParseAnswerOptions,
): ExecutionResult {
  if (!options.isMutation) return parseAnswer(response, readText, options);
  try {
    const { errors, ...result } = parseAnswer(response, readText, options);
    return errors ? { ...result, errors: errors.map(toErrorOfMutation) } : result;
  } catch (error) {
    throw error instanceof GraphQLError ? toErrorOfMutation(error) : error;
  }
}

function toErrorOfMutation(error: GraphQLError): GraphQLError {
  const retry = retryAdviceFor(error.extensions.code, true);
  return retry === error.extensions.retry ? error : withExtensions(error, { ...error.extensions, retry });
}

function parseAnswer(
  response: UpstreamResponse,
  readText: ReadText | null,
  { transient = [] }: ParseAnswerOptions,
): ExecutionResult {
  if (response.status === 429 || response.status >= 500) {
    throw gatewayError('UPSTREAM_UNAVAILABLE', `The ledger answered with HTTP status ${response.status}.`, {
      upstream: 'ledger',
    });
  }
  const { value: body, depth } = parseOnce(response.body);
  if (response.status !== 200 || body === undefined || !('data' in body || 'errors' in body)) {
    throw invalidResponse(`The ledger's answer is not GraphQL (HTTP status ${response.status}).`);
  }
  return toResult(body, depth === null ? response.body.length : 2 * depth, readText, transient);
}

/** Parses a result received over a WebSocket, in the same way. @param size of its text, in bytes, roughly */
export function readLedgerResult(
  value: unknown,
  size: number,
  readText: ReadText | null,
  transient: TransientErrors = [],
): ExecutionResult {
  if (!isObject(value) || !('data' in value || 'errors' in value))
    throw invalidResponse("The ledger's result is not GraphQL.");
  return toResult(value, size, readText, transient);
}

function toResult(
  body: Record<string, unknown>,
  size: number,
  readText: ReadText | null,
  transient: TransientErrors,
): ExecutionResult {
  // Some servers send `errors: null`.
  const errors =
    body.errors === undefined || body.errors === null ? [] : toGraphqlErrors(body.errors, readText, transient);
  const data = toData(body.data);
  // Each level takes two bytes, so smaller responses cannot be too deep. Counting levels takes long.
  if (size >= 2 * maxAnswerNesting) checkNesting(data);
  if (data === null && errors.length === 0) throw invalidResponse("The ledger's answer has neither data nor errors.");
  return errors.length === 0 ? { data } : { data, errors };
}

/** Bodies of at least this many bytes are parsed once for all who read them. */
const longBodyBytes = 16 * 1024;
/** A body that was parsed; its value is `undefined` if it is no JSON object. */
interface ParsedBody {
  readonly value: Record<string, unknown> | undefined;
  /** Levels of lists and objects; `null` = not counted. */
  readonly depth: number | null;
}

/** As long as a body is referenced, usually until the last operation that shares it has its turn. */
const parsedBodies = new WeakMap<Buffer, ParsedBody>();
/** The same, while they are parsed in turns. */
const parsing = new WeakMap<Buffer, Promise<void>>();

/** Parses a long body in turns, before `parseLedgerAnswer` needs it; `null` for a shorter one. Never rejects. */
export function parseAhead(body: Buffer, takeTurn: TakeTurn): Promise<void> | null {
  if (body.length <= pieceCharacters) return null;
  const done =
    parsing.get(body) ??
    completeInTurns(parseInPieces(body.toString('utf8')), takeTurn).then(
      ({ value, depth }) => void parsedBodies.set(body, { value: isObject(value) ? value : undefined, depth }),
      () => void parsedBodies.set(body, { value: undefined, depth: null }),
    );
  parsing.set(body, done);
  return done;
}

function parseOnce(body: Buffer): ParsedBody {
  const known = parsedBodies.get(body) ?? { value: parseJsonObject(body), depth: null };
  if (body.length >= longBodyBytes) parsedBodies.set(body, known);
  return known;
}

function parseJsonObject(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value = parseJson(body.toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function toData(value: unknown): Record<string, unknown> | null {
  if (value === undefined || value === null) return null;
  if (!isObject(value)) throw invalidResponse("The ledger's answer has data that is not an object.");
  return value;
}

/**
 * Converts a response's errors to the form that clients see. Throws if they are malformed.
 * @param readText as for `parseLedgerAnswer`
 */
export function toGraphqlErrors(
  value: unknown,
  readText: ReadText | null,
  transient: TransientErrors = [],
): readonly GraphQLError[] {
  if (!Array.isArray(value)) throw invalidResponse("The ledger's answer has errors that are not a list.");
  checkNesting(value);
  const toPositions = createToPositions(readText);
  const toError = (entry: unknown): GraphQLError => {
    if (!isObject(entry) || typeof entry.message !== 'string') {
      throw invalidResponse("The ledger's answer has an error without a message.");
    }
    const { http: _http, debug: _debug, ...extensions } = isObject(entry.extensions) ? entry.extensions : {};
    const path = isPath(entry.path) ? entry.path : undefined;
    if (typeof extensions.code !== 'string') Object.assign(extensions, codeFor(entry, path));
    const { message } = entry;
    const isTransient = transient.some(({ code, text }) => code === extensions.code && message.includes(text));
    extensions.retry = isTransient ? 'backoff' : retryAdviceFor(extensions.code);
    return lightError(message, { path, extensions, positions: toPositions(entry.locations) });
  };
  if (value.length <= maxReportedErrors) return value.map(toError);
  return [...value.slice(0, maxReportedErrors).map(toError), toOmissionError()];
}

/**
 * For an error without a code, as ledgers report for validation, scalars and timeouts. Clients need a code to decide what to
 * do.
 */
function codeFor(
  { message, locations }: Record<string, unknown>,
  path: unknown,
): { readonly code: ErrorCode; readonly upstream?: string } {
  const text = String(message);
  if (/\brequest timed out\b/i.test(text)) return { code: 'UPSTREAM_TIMEOUT', upstream: 'ledger' };
  if (path === undefined) return { code: Array.isArray(locations) ? 'GRAPHQL_VALIDATION_FAILED' : 'LEDGER_ERROR' };
  return { code: text.startsWith('Failed to parse "') ? 'BAD_USER_INPUT' : 'LEDGER_ERROR' };
}

type ToPositions = (locations: unknown) => SourcePositions | null;

/** Adds positions in the text to lines and columns: a copied GraphQLError keeps its locations only as positions. */
function createToPositions(readText: ReadText | null): ToPositions {
  if (!readText) return () => null;
  // Read once for all errors: a response may have an error for each of thousands of items.
  let source: Source | undefined;
  let lines: readonly RegExpExecArray[] = [];
  return (given) => {
    if (!Array.isArray(given)) return null;
    if (!source) {
      source = new Source(readText());
      lines = [...source.body.matchAll(/(.*?)(?:\r\n|[\n\r]|$)/gsy)];
    }
    const positions: number[] = [];
    const locations: SourceLocation[] = [];
    for (const each of given) {
      const { line, column } = (each ?? {}) as { readonly line?: unknown; readonly column?: unknown };
      const found = Number.isSafeInteger(line) ? lines[Number(line) - 1] : undefined;
      const isIn =
        Number.isSafeInteger(column) && Number(column) > 0 && Number(column) <= (found?.[1]?.length ?? 0) + 1;
      if (!found || !isIn) continue;
      positions.push(found.index + Number(column) - 1);
      locations.push({ line: Number(line), column: Number(column) });
    }
    return positions.length > 0 ? { source, positions, locations } : null;
  };
}

/**
 * Code that follows a path uses its members as keys and indexes, so a path with other values, or one longer than the maximum
 * depth, is dropped.
 */
function isPath(value: unknown): value is (string | number)[] {
  if (!Array.isArray(value) || value.length > maxAnswerNesting) return false;
  return value.every((key) => typeof key === 'string' || Number.isInteger(key));
}

function checkNesting(value: unknown): void {
  if (exceedsNesting(value, maxAnswerNesting))
    throw invalidResponse(`The ledger's answer is nested over ${maxAnswerNesting} levels deep.`);
}

function invalidResponse(message: string): GraphQLError {
  return gatewayError('UPSTREAM_BAD_RESPONSE', message, { upstream: 'ledger' });
}
