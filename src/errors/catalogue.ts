/**
 * Every error code that clients can get: its HTTP status, its meaning, and the client's next step. Request errors have status
 * 200 for clients that accept only `application/json`. The table in docs/errors.md is generated from this one.
 */
export const errorCatalogue = {
  BAD_REQUEST: {
    status: 400,
    meaning: 'The HTTP request is malformed (400) or cannot be served (404, 405, 406, 408, 409, 415 or 417).',
    retry: 'Fix the request.',
  },
  GRAPHQL_PARSE_FAILED: {
    status: 400,
    meaning: 'The document is not valid GraphQL syntax.',
    retry: 'Fix the document.',
  },
  GRAPHQL_VALIDATION_FAILED: {
    status: 400,
    meaning:
      'The document does not match the schema, declares an invalid variable, or does not contain the requested operation.',
    retry: 'Fix the document.',
  },
  PERSISTED_QUERY_NOT_SUPPORTED: {
    status: 400,
    meaning: 'The request contains only the id of a document. The gateway does not store persisted documents.',
    retry: 'Yes, with the text of the document. Clients with automatic persisted queries do so automatically.',
  },
  PERSISTED_QUERY_NOT_FOUND: {
    status: 400,
    meaning: 'The gateway has no document with this id.',
    retry:
      'Yes, with the text of the document, if the gateway allows it. Clients with automatic persisted queries do so automatically.',
  },
  BAD_USER_INPUT: {
    status: 400,
    meaning:
      'An argument or variable is invalid, or a required variable is missing. The message contains its name, value and rule.',
    retry: 'Fix the argument or variable.',
  },
  UNSUPPORTED_RPC_VERSION: {
    status: 421,
    meaning: 'The gateway does not serve the requested RPC version.',
    retry: 'Request another version, or none.',
  },
  UNAUTHENTICATED: {
    status: 401,
    meaning: 'A credential is missing or invalid.',
    retry: 'Send a valid credential.',
  },
  FORBIDDEN: {
    status: 403,
    meaning: 'The caller lacks a scope, or its origin, document or Move call is not allowed.',
    retry: 'Ask the operator to allow what the message names.',
  },
  RATE_LIMITED: {
    status: 429,
    meaning: 'Too many requests from this caller.',
    retry: 'Yes, after `Retry-After` seconds.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    meaning: 'The request body or the response is too large.',
    retry: 'Send or request less.',
  },
  REQUEST_TIMEOUT: {
    status: 504,
    meaning: 'The operation timed out or the client disconnected before the field was complete.',
    retry: 'Yes, with backoff. A mutation field with this error was not sent.',
  },
  STALE_CURSOR: {
    status: 400,
    meaning: 'The upstream no longer keeps the data at this cursor.',
    retry: 'Start again from the first page.',
  },
  CURSOR_KEY_UNKNOWN: {
    status: 400,
    meaning: 'The cursor was signed with an unknown key: before a restart, by another gateway, or by a client.',
    retry:
      'Start again from the first page, or subscribe without `after`. Set `CURSOR_KEYS` so that cursors survive restarts.',
  },
  UPSTREAM_UNAVAILABLE: {
    status: 502,
    meaning: 'The upstream in `extensions.upstream` is unavailable. Fields of other upstreams work.',
    retry: 'Yes, with backoff.',
  },
  UPSTREAM_TIMEOUT: {
    status: 504,
    meaning: 'The upstream in `extensions.upstream` did not respond in time.',
    retry:
      'Reads: yes, with backoff. Mutations: first check whether it was executed, unless the message says that nothing was sent.',
  },
  UPSTREAM_BAD_RESPONSE: {
    status: 502,
    meaning: 'The upstream in `extensions.upstream` sent an invalid response.',
    retry: 'Yes, with backoff. If it persists, tell the operator.',
  },
  LEDGER_ERROR: {
    status: 502,
    meaning: 'The ledger returned an error without a code. The message is the ledger’s.',
    retry: 'As the message says.',
  },
  SPONSOR_UNAUTHORIZED: {
    status: 401,
    meaning: 'The sponsor does not accept the bearer token.',
    retry: 'Yes, with a valid token. In token mode, only the operator can correct it.',
  },
  SPONSOR_FORBIDDEN: {
    status: 403,
    meaning: 'The sponsor’s access controller denied the transaction, or the credential may not use the endpoint.',
    retry: 'Not unchanged.',
  },
  SPONSOR_REJECTED: {
    status: 400,
    meaning: 'The sponsor or the ledger rejected the request, with the given message. Nothing ran.',
    retry: 'Not unchanged. After `executeTx`, reserve again: the rejection spent the reservation.',
  },
  SPONSOR_EXHAUSTED: {
    status: 503,
    meaning: 'The sponsor has no coins or daily allowance left, or accepts no more requests at the moment.',
    retry: 'Yes, later or with a smaller budget.',
  },
  SPONSOR_MAINTENANCE: {
    status: 503,
    meaning: 'The sponsor is in maintenance.',
    retry: 'Yes, later. After `executeTx`, with a new reservation.',
  },
  RESERVATION_NOT_FOUND: {
    status: 404,
    meaning: 'The reservation does not exist, has expired, was used, or belongs to another caller.',
    retry: 'If `extensions.digest` is your transaction, look it up. Otherwise reserve again.',
  },
  EXECUTION_OUTCOME_UNKNOWN: {
    status: 504,
    meaning:
      'The transaction was sent to the sponsor, and its outcome is unknown: it may or may not execute. `extensions` has its digest.',
    retry:
      'Do not sign another transaction. Look up `transactionBlock(digest)` after `checkAfterMs`, or repeat the identical call, which is looked up and not sent again.',
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    meaning: 'The idempotency key was used with other arguments.',
    retry: 'Yes, with another key.',
  },
  NOT_CONFIGURED: {
    status: 501,
    meaning: 'The upstream or feature is not configured. The message names the setting.',
    retry: 'No.',
  },
  UNAVAILABLE: {
    status: 503,
    meaning: 'The gateway is overloaded or stopping.',
    retry: 'Yes, after `Retry-After` seconds. Without this header, reconnect and retry immediately.',
  },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    meaning: 'An unexpected error of the gateway. Its log has the details under the request id.',
    retry: 'Once, with backoff. Report it with the request id.',
  },
} as const satisfies Record<string, ErrorCatalogueEntry>;

export interface ErrorCatalogueEntry {
  readonly status: number;
  readonly meaning: string;
  readonly retry: string;
}

export type ErrorCode = keyof typeof errorCatalogue;

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(errorCatalogue, value);
}
