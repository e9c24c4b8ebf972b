import { GraphQLError, type GraphQLErrorOptions } from 'graphql';
import type { ErrorCode } from './catalogue.ts';

/** Facts that a client may act on, shown in `extensions` beside the code. Never a URL, a token or an upstream's raw body. */
export interface ErrorFacts {
  /** Name of the upstream it is about. */
  readonly upstream?: string;
  readonly digest?: string;
  readonly reservationId?: string;
  readonly checkAfterMs?: number;
  /** Seconds until a rate-limited caller is served again. */
  readonly retryAfterSeconds?: number;
  readonly argument?: string;
  /** What the caller has of its gas budget for the day, in the smallest unit; `limit` is `held + settled + left`. */
  readonly gas?: {
    readonly limit: number;
    readonly held: number;
    readonly settled: number;
    readonly left: number;
    /** RFC 3339. */
    readonly resetsAt: string;
  };
  /** The environment key that would configure the missing thing. */
  readonly setting?: string;
  /** A JSON-RPC error code, as the node sent it. */
  readonly rpcCode?: number;
  /** Which bound a document is over, one of `serviceConfig` or of the gateway, what it allows, and what the document has. */
  readonly limit?: { readonly name: string; readonly max: number; readonly actual: number };
}

/**
 * An error that is meant for the client: its message is safe to show, its code is from the catalogue. Everything else
 * that is thrown is masked on its way out.
 */
export function gatewayError(
  code: ErrorCode,
  message: string,
  facts: ErrorFacts = {},
  options: Pick<GraphQLErrorOptions, 'nodes' | 'path' | 'originalError'> = {},
): GraphQLError {
  return new GraphQLError(message, { ...options, extensions: { code, ...facts } });
}
