/**
 * Every error code a client can meet: its HTTP status, its meaning, and what to do. The status applies where the gateway
 * may choose one: a client that accepts only `application/json` gets 200 for request errors. The table in docs/errors.md
 * is generated from here.
 */
export const errorCatalogue = {
  BAD_REQUEST: {
    status: 400,
    meaning: 'The HTTP request itself is malformed (400), or cannot be served (404, 405, 406, 408, 409, 415 or 417).',
    retry: 'Fix the request.',
  },
  GRAPHQL_PARSE_FAILED: { status: 400, meaning: 'The document is not GraphQL.', retry: 'Fix the document.' },
  GRAPHQL_VALIDATION_FAILED: {
    status: 400,
    meaning:
      'The document does not fit the schema, declares a variable that it should not, or lacks the operation asked for.',
    retry: 'Fix the document.',
  },
  PERSISTED_QUERY_NOT_SUPPORTED: {
    status: 400,
    meaning: 'The request names a document by its hash, and none are kept here.',
    retry: 'With the text of the document; clients that persist queries do so by themselves.',
  },
  BAD_USER_INPUT: {
    status: 400,
    meaning:
      'An argument or a variable breaks a rule, or a required variable is missing; the message names it, its value and the rule.',
    retry: 'Fix the argument or variable. No upstream was asked, or the ledger itself refused.',
  },
  UNSUPPORTED_RPC_VERSION: {
    status: 421,
    meaning: 'The RPC version asked for is not served here.',
    retry: 'Ask for another version, or none.',
  },
  UNAUTHENTICATED: {
    status: 401,
    meaning: 'A credential is needed, or the one sent is not valid.',
    retry: 'Send a valid credential.',
  },
  FORBIDDEN: {
    status: 403,
    meaning: 'The caller may not do this.',
    retry: 'Ask the operator for what the message names: the scope, the origin or the move call.',
  },
  RATE_LIMITED: { status: 429, meaning: 'Too many requests from this caller.', retry: 'After `Retry-After` seconds.' },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    meaning: 'The request body, or the answer that it asks for, is over the bound.',
    retry: 'Send less, or ask for less.',
  },
  REQUEST_TIMEOUT: {
    status: 504,
    meaning: 'The request was over before this was done: its time was up, or its caller gone.',
    retry: 'Yes, with backoff. A field of a mutation that says so was not begun: nothing of it was sent.',
  },
  STALE_CURSOR: {
    status: 400,
    meaning: 'The cursor points outside what the upstream still keeps.',
    retry: 'Start again from the first page.',
  },
  CURSOR_KEY_UNKNOWN: {
    status: 400,
    meaning:
      'The cursor was signed with a key that this gateway does not have: an earlier run made it, another gateway, or nobody.',
    retry:
      'Start again from the first page, or a live stream without `after`. With `CURSOR_KEYS` cursors survive restarts.',
  },
  UPSTREAM_UNAVAILABLE: {
    status: 502,
    meaning: 'An upstream cannot be reached; `extensions.upstream` names it. The rest of the graph works.',
    retry: 'Yes, with backoff.',
  },
  UPSTREAM_TIMEOUT: {
    status: 504,
    meaning: 'An upstream did not answer in time; `extensions.upstream` names it.',
    retry:
      'Reads: yes, with backoff. Mutations: look first whether it was done, unless the message says nothing was sent.',
  },
  UPSTREAM_BAD_RESPONSE: {
    status: 502,
    meaning: 'An upstream answered something that is not of its contract; `extensions.upstream` names it.',
    retry: 'Yes, with backoff; tell the operator if it stays.',
  },
  LEDGER_ERROR: {
    status: 502,
    meaning: 'The ledger could not answer a field, says why in its own words, and gives no code of its own.',
    retry: 'As the message says.',
  },
  SPONSOR_UNAUTHORIZED: {
    status: 401,
    meaning: 'The sponsor does not accept the bearer token.',
    retry: 'With a valid token. Where the gateway holds the token, only its operator can mend it.',
  },
  SPONSOR_FORBIDDEN: {
    status: 403,
    meaning:
      'The access controller of the sponsor denied the transaction, or the sponsor does not let this credential use the endpoint.',
    retry: 'Not as it is.',
  },
  SPONSOR_REJECTED: {
    status: 400,
    meaning:
      'The sponsor, or the ledger it sent the transaction to, refused for good; the message is its own text. Nothing ran.',
    retry: 'Not as it is. An execution has used its reservation up, refused or not: reserve again.',
  },
  SPONSOR_EXHAUSTED: {
    status: 503,
    meaning: 'The sponsor has no coins, or no daily allowance, left for this, or takes no more requests for now.',
    retry: 'Later, or with a smaller budget.',
  },
  SPONSOR_MAINTENANCE: {
    status: 503,
    meaning: 'The sponsor is in maintenance.',
    retry: 'Later; an execution with a new reservation.',
  },
  RESERVATION_NOT_FOUND: {
    status: 404,
    meaning: 'The reservation does not exist, has expired, was used, or is another caller’s.',
    retry: 'Reserve again, after looking the digest up if you executed.',
  },
  EXECUTION_OUTCOME_UNKNOWN: {
    status: 504,
    meaning:
      'The transaction was handed to the sponsor, its answer was lost or does not tell, and the ledger did not have it in time: it may or may not execute. `extensions` has its digest.',
    retry:
      'Never as another transaction. Look up `transactionBlock(digest)` after `checkAfterMs`; the same call again, letter by letter, is looked up here and not sent.',
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    meaning: 'The idempotency key was used with other arguments.',
    retry: 'With another key.',
  },
  NOT_CONFIGURED: {
    status: 501,
    meaning: 'This gateway has no such upstream or feature; the message names the setting.',
    retry: 'No.',
  },
  UNAVAILABLE: {
    status: 503,
    meaning: 'The gateway takes no more of this at the moment: it is full, or about to leave.',
    retry: 'After `Retry-After` seconds, or at once on another connection where there is none.',
  },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    meaning: 'A fault of the gateway; the details are in its log under the request id.',
    retry: 'Perhaps.',
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
