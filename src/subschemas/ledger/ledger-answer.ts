import { type ExecutionResult, GraphQLError, Source } from 'graphql';
import { gatewayError } from '../../errors/gateway-error.ts';
import { parseJson } from '../../json/parse-json.ts';
import { exceedsNesting, maxAnswerNesting } from '../../transport/exceeds-nesting.ts';
import type { UpstreamResponse } from '../../transport/upstream-call.ts';

/** Errors are few: the text is made when there are some. */
export type ReadText = () => string;

/**
 * Reads the ledger's answer. Its errors are public and keep message, path and extensions, but for two: `extensions.http`,
 * which would set the status of our own response, and `extensions.debug`, where servers put their stacks and file paths.
 * Anything that is not a GraphQL answer is never shown.
 * @param readText gives the text that was asked, if it is the client's own: only then is it of use where in it errors are
 */
export function parseLedgerAnswer(response: UpstreamResponse, readText: ReadText | null): ExecutionResult {
  if (response.status === 429 || response.status >= 500) {
    throw gatewayError('UPSTREAM_UNAVAILABLE', `The ledger answered with HTTP status ${response.status}.`, {
      upstream: 'ledger',
    });
  }
  const body = parseJsonObject(response.body);
  if (response.status !== 200 || body === undefined || !('data' in body || 'errors' in body)) {
    throw badAnswer(`The ledger's answer is not GraphQL (HTTP status ${response.status}).`);
  }
  // Some servers write out what they do not have.
  const errors = body.errors === undefined || body.errors === null ? [] : toErrors(body.errors, readText);
  const data = toData(body.data);
  // Every level opens and closes, so that small answers, which are most, need not be walked.
  if (response.body.length >= 2 * maxAnswerNesting) checkNesting(data);
  if (data === null && errors.length === 0) throw badAnswer("The ledger's answer has neither data nor errors.");
  return errors.length === 0 ? { data } : { data, errors };
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
  if (!isObject(value)) throw badAnswer("The ledger's answer has data that is not an object.");
  return value;
}

/** The errors of an answer as they are shown. Throws where they are none. @param readText as above */
export function toErrors(value: unknown, readText: ReadText | null): readonly GraphQLError[] {
  if (!Array.isArray(value)) throw badAnswer("The ledger's answer has errors that are not a list.");
  checkNesting(value);
  return value.map((entry: unknown) => {
    if (!isObject(entry) || typeof entry.message !== 'string') {
      throw badAnswer("The ledger's answer has an error without a message.");
    }
    const { http: _http, debug: _debug, ...extensions } = isObject(entry.extensions) ? entry.extensions : {};
    const path = isPath(entry.path) ? entry.path : undefined;
    return new GraphQLError(entry.message, { path, extensions, ...toPlaces(entry.locations, readText) });
  });
}

/** Where in a text lines and columns are; only errors made of these keep them when they are made anew. */
function toPlaces(locations: unknown, readText: ReadText | null) {
  if (!readText || !Array.isArray(locations)) return {};
  const source = new Source(readText());
  const lines = [...source.body.matchAll(/.*?(?:\r\n|[\n\r]|$)/gsy)];
  const positions = locations.flatMap((each: unknown) => {
    const { line, column } = (each ?? {}) as { readonly line?: unknown; readonly column?: unknown };
    const found = Number.isSafeInteger(line) ? lines[Number(line) - 1] : undefined;
    const isIn = Number.isSafeInteger(column) && Number(column) > 0 && Number(column) <= (found?.[0].length ?? 0) + 1;
    return found && isIn ? [found.index + Number(column) - 1] : [];
  });
  return positions.length > 0 ? { source, positions } : {};
}

/** Whoever follows a path takes what is in it for keys and indexes. */
function isPath(value: unknown): value is (string | number)[] {
  return Array.isArray(value) && value.every((key) => typeof key === 'string' || Number.isInteger(key));
}

function checkNesting(value: unknown): void {
  if (exceedsNesting(value, maxAnswerNesting))
    throw badAnswer(`The ledger's answer is nested over ${maxAnswerNesting} levels deep.`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function badAnswer(message: string): GraphQLError {
  return gatewayError('UPSTREAM_BAD_RESPONSE', message, { upstream: 'ledger' });
}
