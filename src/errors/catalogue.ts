/**
 * Every error code that clients can get: its HTTP status, its meaning, and the client's next step. Request errors have status
 * 200 for clients that accept only `application/json`. The table in docs/errors.md is generated from this one.
 */
export const errorCatalogue = {
  BAD_REQUEST: {
    status: 400,
    retry: 'never',
    meaning: 'The HTTP request is malformed (400) or cannot be served (404, 405, 406, 408, 409, 415 or 417).',
    advice: 'Fix the request.',
  },
  GRAPHQL_PARSE_FAILED: {
    status: 400,
    retry: 'never',
    meaning: 'The document is not valid GraphQL syntax.',
    advice: 'Fix the document.',
  },
  GRAPHQL_VALIDATION_FAILED: {
    status: 400,
    retry: 'never',
    meaning:
      'The document does not match the schema, declares an invalid variable, or does not contain the requested operation.',
    advice: 'Fix the document.',
  },
  PERSISTED_QUERY_NOT_SUPPORTED: {
    status: 400,
    retry: 'never',
    meaning: 'The request contains only the id of a document, and the gateway accepts no ids.',
    advice: 'Send the text of the document. Clients with automatic persisted queries do so automatically.',
  },
  PERSISTED_QUERY_NOT_FOUND: {
    status: 400,
    retry: 'never',
    meaning: 'The gateway has no document with this id.',
    advice:
      'Send the text of the document, if the gateway allows it. Clients with automatic persisted queries do so automatically.',
  },
  BAD_USER_INPUT: {
    status: 400,
    retry: 'never',
    meaning:
      'An argument or variable is invalid, or a required variable is missing. The message contains its name, value and rule.',
    advice: 'Fix the argument or variable.',
  },
  UNSUPPORTED_RPC_VERSION: {
    status: 421,
    retry: 'never',
    meaning: 'The gateway does not serve the requested RPC version.',
    advice: 'Request another version, or none.',
  },
  UNAUTHENTICATED: {
    status: 401,
    retry: 'never',
    meaning: 'A credential is missing or invalid.',
    advice: 'Send a valid credential.',
  },
  FORBIDDEN: {
    status: 403,
    retry: 'never',
    meaning: 'The caller lacks a scope, or its origin, document or Move call is not allowed.',
    advice: 'Ask the operator to allow what the message names.',
  },
  RATE_LIMITED: {
    status: 429,
    retry: 'backoff',
    meaning: 'The caller has used up its rate limit, its gas budget, or its number of streams or reservations.',
    advice: 'Repeat the request after `retryAfterMs`.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    retry: 'never',
    meaning: 'The request body or the response is too large.',
    advice: 'Send or request less.',
  },
  REQUEST_TIMEOUT: {
    status: 504,
    retry: 'backoff',
    meaning: 'The operation timed out or the client disconnected before the field was complete.',
    advice: 'Repeat the request with backoff. A mutation field with this error was not sent.',
  },
  STALE_CURSOR: {
    status: 400,
    retry: 'never',
    meaning: 'The upstream no longer keeps the data at this cursor.',
    advice: 'Start again from the first page.',
  },
  CURSOR_KEY_UNKNOWN: {
    status: 400,
    retry: 'never',
    meaning: 'The cursor was signed with an unknown key: before a restart, by another gateway, or by a client.',
    advice:
      'Start again from the first page, or subscribe without `after`. Set `CURSOR_KEYS` so that cursors work on every instance and survive restarts.',
  },
  UPSTREAM_UNAVAILABLE: {
    status: 502,
    retry: 'backoff',
    retryIfSent: 'look-up',
    meaning: 'The upstream in `extensions.upstream` is unavailable. Fields of other upstreams work.',
    advice: 'Repeat the request with backoff.',
  },
  UPSTREAM_TIMEOUT: {
    status: 504,
    retry: 'backoff',
    retryIfSent: 'look-up',
    meaning: 'The upstream in `extensions.upstream` did not respond in time.',
    advice:
      'Repeat reads with backoff. For a mutation, first check whether it was executed, unless the message says that nothing was sent.',
  },
  UPSTREAM_BAD_RESPONSE: {
    status: 502,
    retry: 'backoff',
    retryIfSent: 'look-up',
    meaning: 'The upstream in `extensions.upstream` sent an invalid response.',
    advice: 'Repeat the request with backoff. If it persists, tell the operator.',
  },
  LEDGER_ERROR: {
    status: 502,
    retry: 'never',
    retryIfSent: 'look-up',
    meaning: 'The ledger returned an error without a code. The message is the ledger’s.',
    advice: 'Do as the message says.',
  },
  SPONSOR_UNAUTHORIZED: {
    status: 401,
    retry: 'never',
    meaning: 'The sponsor does not accept the bearer token.',
    advice: 'Send a valid token. In token mode, only the operator can correct it.',
  },
  SPONSOR_FORBIDDEN: {
    status: 403,
    retry: 'never',
    meaning: 'The sponsor’s access controller denied the transaction, or the credential may not use the endpoint.',
    advice: 'Change the transaction, or ask the operator for access.',
  },
  SPONSOR_REJECTED: {
    status: 400,
    retry: 'never',
    meaning: 'The sponsor or the ledger rejected the request, with the given message. Nothing ran.',
    advice:
      'Change the request. After `executeTx`, reserve again: the rejection spent the reservation, unless the message says that it is unused.',
  },
  SPONSOR_EXHAUSTED: {
    status: 503,
    retry: 'backoff',
    meaning: 'The sponsor has no coins or daily allowance left, or accepts no more requests at the moment.',
    advice: 'Repeat the request later or with a smaller budget.',
  },
  SPONSOR_MAINTENANCE: {
    status: 503,
    retry: 'backoff',
    meaning: 'The sponsor is in maintenance.',
    advice: 'Repeat the request later. After `executeTx`, reserve again.',
  },
  RESERVATION_NOT_FOUND: {
    status: 404,
    retry: 'look-up',
    meaning: 'The reservation does not exist, has expired, was used, or belongs to another caller.',
    advice: 'If `extensions.digest` is your transaction, look it up. Otherwise reserve again.',
  },
  EXECUTION_OUTCOME_UNKNOWN: {
    status: 504,
    retry: 'look-up',
    meaning:
      'The transaction was sent to the sponsor, and its outcome is unknown: it may or may not execute. `extensions` has its digest.',
    advice:
      'Do not sign another transaction. Look up the digest in the ledger after `checkAfterMs`, or repeat the identical call: the gateway looks the transaction up and does not send it again.',
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    retry: 'never',
    meaning: 'The idempotency key was used with other arguments.',
    advice: 'Use another key.',
  },
  NOT_CONFIGURED: {
    status: 501,
    retry: 'never',
    meaning: 'The upstream or feature is not configured. The message names the setting.',
    advice: 'Ask the operator.',
  },
  UNAVAILABLE: {
    status: 503,
    retry: 'backoff',
    retryIfSent: 'look-up',
    meaning: 'The gateway is overloaded or stopping.',
    advice: 'Repeat the request after `retryAfterMs`. Without this value, reconnect and retry immediately.',
  },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    retry: 'backoff',
    retryIfSent: 'look-up',
    meaning: 'An unexpected error of the gateway. Its log has the details under the request id.',
    advice: 'Repeat the request once. Report it with the request id.',
  },
} as const satisfies Record<string, ErrorCatalogueEntry>;

export interface ErrorCatalogueEntry {
  readonly status: number;
  readonly retry: RetryAdvice;
  /** The advice for a mutation that may have been executed; left out: `retry`. */
  readonly retryIfSent?: RetryAdvice;
  readonly meaning: string;
  /** The client's next step, for people. */
  readonly advice: string;
}

/**
 * The client's next step, for programs: `never` = the same request fails again; `backoff` = repeat it, after `retryAfterMs` if
 * given; `same-key` = repeat it, only with the same `idempotencyKey`; `look-up` = it may have been executed, so find out first.
 */
export type RetryAdvice = 'never' | 'backoff' | 'same-key' | 'look-up';

export type ErrorCode = keyof typeof errorCatalogue;

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(errorCatalogue, value);
}

/**
 * The advice for an error code. The ledger's own codes count as `LEDGER_ERROR`.
 * @param mayHaveRun the error is about a mutation that the upstream may have executed
 */
export function retryAdviceFor(code: unknown, mayHaveRun = false): RetryAdvice {
  const { retry, retryIfSent = retry }: ErrorCatalogueEntry = errorCatalogue[isErrorCode(code) ? code : 'LEDGER_ERROR'];
  return mayHaveRun ? retryIfSent : retry;
}
