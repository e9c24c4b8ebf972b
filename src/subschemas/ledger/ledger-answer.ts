import { type ExecutionResult, GraphQLError } from 'graphql';
import { gatewayError } from '../../errors/gateway-error.ts';
import { parseJson } from '../../json/parse-json.ts';
import { exceedsNesting, maxAnswerNesting } from '../../transport/exceeds-nesting.ts';
import type { UpstreamResponse } from '../../transport/upstream-call.ts';

/**
 * Reads the ledger's answer. Its errors are public and keep message, path and extensions, but for two: `extensions.http`,
 * which would set the status of our own response, and `extensions.debug`, where servers put their stacks and file paths.
 * Anything that is not a GraphQL answer is never shown.
 */
export function parseLedgerAnswer(response: UpstreamResponse): ExecutionResult {
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
  const errors = body.errors === undefined || body.errors === null ? [] : toErrors(body.errors);
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

/** The errors of an answer as they are shown. Throws where they are none. */
export function toErrors(value: unknown): readonly GraphQLError[] {
  if (!Array.isArray(value)) throw badAnswer("The ledger's answer has errors that are not a list.");
  checkNesting(value);
  return value.map((entry: unknown) => {
    if (!isObject(entry) || typeof entry.message !== 'string') {
      throw badAnswer("The ledger's answer has an error without a message.");
    }
    const { http: _http, debug: _debug, ...extensions } = isObject(entry.extensions) ? entry.extensions : {};
    const path = Array.isArray(entry.path) ? (entry.path as (string | number)[]) : undefined;
    return new GraphQLError(entry.message, { path, extensions });
  });
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
