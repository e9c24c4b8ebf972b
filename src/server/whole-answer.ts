import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import { printJson } from '../json/exact-number.ts';
import type { PlainType } from './headers/media-types.ts';

/** A result as JSON. Hints that set an HTTP status are not for clients. */
export function printResult(result: ExecutionResult): string {
  const { errors } = result;
  return printJson(errors ? { ...result, errors: errors.map(toShown) } : result);
}

function toShown(error: GraphQLError): GraphQLFormattedError {
  // Yoga has made plain objects of the errors of a result that is no stream.
  const shown = error.toJSON?.() ?? error;
  if (shown.extensions?.http === undefined) return shown;
  const { http, ...extensions } = shown.extensions;
  return { ...shown, extensions };
}

/** How an answer in one piece begins over HTTP. */
export interface AnswerHead {
  readonly status: number;
  /** `null`: the answer does not say when to ask again. */
  readonly retryAfterSeconds: number | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** What an error in `extensions.http` says of the answer that it refuses. */
interface HttpHints {
  readonly status?: number;
  /** The status is for clients that accept `application/graphql-response+json`; others get 200. */
  readonly spec?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

const noHeaders = {};
/** Of an answer that serves anything. */
export const servedHead: AnswerHead = { status: 200, retryAfterSeconds: null, headers: noHeaders };

/** @param type in which it is sent */
export function toAnswerHead(result: ExecutionResult, type: PlainType): AnswerHead {
  const { data, errors } = result;
  if (!errors || errors.length === 0) return servedHead;
  if (data !== undefined) return toBudgetRefusal(result) ?? servedHead;
  let status = 0;
  let headers: AnswerHead['headers'] = noHeaders;
  for (const { extensions } of errors) {
    const http = extensions?.http as HttpHints | undefined;
    if (http === undefined) continue;
    headers = { ...headers, ...http.headers };
    if (http.spec && type !== 'application/graphql-response+json') continue;
    status = Math.max(status, http.status ?? 0);
  }
  return { status: status || 200, retryAfterSeconds: null, headers };
}

/** An operation of which nothing was served because its caller has used up a budget; `null` for any other. */
function toBudgetRefusal({ data, errors = [] }: ExecutionResult): AnswerHead | null {
  for (const key in data) if (data[key] !== null) return null;
  let seconds = 0;
  for (const { extensions } of errors) {
    if (extensions?.code !== 'RATE_LIMITED' || typeof extensions.retryAfterSeconds !== 'number') return null;
    seconds = Math.max(seconds, extensions.retryAfterSeconds);
  }
  return { status: 429, retryAfterSeconds: Math.ceil(seconds), headers: noHeaders };
}
