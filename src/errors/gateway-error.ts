import { GraphQLError, type GraphQLErrorOptions } from 'graphql';
import { type ErrorCode, errorCatalogue, type RetryAdvice } from './catalogue.ts';
import type { PolicyRule } from './policy-rules.ts';

/** Data for clients, in `extensions` beside the code. Never a URL, a token or an upstream's raw body. */
export interface ErrorFacts {
  /** Left out: the advice of the code. */
  readonly retry?: RetryAdvice;
  readonly upstream?: string;
  readonly digest?: string;
  readonly reservationId?: string;
  readonly checkAfterMs?: number;
  /** Milliseconds after which a retry may succeed; `Retry-After` agrees with it. An integer. */
  readonly retryAfterMs?: number;
  readonly argument?: string;
  /** The caller's gas budget of the day, in the smallest unit; `limit` is `held + settled + left`. */
  readonly gas?: {
    readonly limit: number;
    readonly held: number;
    readonly settled: number;
    readonly left: number;
    /** When the budget is renewed, as RFC 3339 text. */
    readonly resetsAt: string;
  };
  /** The rule of the caller's policy that refuses to sponsor. Numbers are in the unit of the rule; `resetsAt` as RFC 3339 text. */
  readonly policy?: {
    readonly rule: PolicyRule;
    readonly limit: number | null;
    readonly used: number | null;
    readonly resetsAt: string | null;
    readonly advice: string;
  };
  /** The setting that configures the missing upstream or feature. */
  readonly setting?: string;
  /** The JSON-RPC error code of the node. */
  readonly rpcCode?: number;
  /** The exceeded limit of `serviceConfig` or the gateway, its maximum, and the document's value. */
  readonly limit?: { readonly name: string; readonly max: number; readonly actual: number };
}

/**
 * An error for the client: its message is safe to show, its code is from the catalogue. Any other thrown error is masked
 * in the response.
 */
export function gatewayError(
  code: ErrorCode,
  message: string,
  facts: ErrorFacts = {},
  options: Pick<GraphQLErrorOptions, 'nodes' | 'path' | 'originalError'> = {},
): GraphQLError {
  return new GraphQLError(message, { ...options, extensions: toExtensions(code, facts) });
}

/** The extensions of an error of ours: its code, the advice of the code, and the given members. */
export function toExtensions(
  code: ErrorCode,
  members: Readonly<Record<string, unknown>> | ErrorFacts = {},
): { readonly code: ErrorCode; readonly retry: RetryAdvice; readonly [name: string]: unknown } {
  return { code, retry: errorCatalogue[code].retry, ...members };
}
