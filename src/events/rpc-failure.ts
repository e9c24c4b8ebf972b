import type { GraphQLError } from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';

export interface RpcFailure {
  readonly code: number;
  readonly message: string;
  /** Nodes put the reason here, below a message as general as `Invalid params`. */
  readonly data?: unknown;
}

/** Bad parameters, an invalid request, a transaction rejected for its content: the caller can correct these. */
const callerFaultCodes = new Set([-32602, -32600, -32002]);
/** Transient error, and server busy: a retry may help. Rate limits have no code and are recognised by their text. */
const transient = new Set([-32050, -32009]);
const unknownMethod = -32601;

/** Messages for a cursor whose item the node no longer has; some nodes use the code of bad parameters for it. */
const staleTexts = [
  /could not find the referenced (transaction|event)/i,
  /\bcursor\b.{0,80}\b(not found|not exist|unknown|invalid|expired|stale|pruned|too old|no longer|outside|out of range)\b/i,
  /\b(unknown|invalid|expired|stale|pruned|no such|find( the)?|found( the)?)\b.{0,40}\bcursor\b/i,
  /\b(transaction|event)\b.{0,120}\b(not found|not exist|been pruned|no longer available)\b/i,
];
/** Longer than any real message; the rest could be megabytes and is not searched. */
const maxReadCharacters = 1_000;

/**
 * Translates a JSON-RPC error for the client. The node's own text is shown only if it explains a fault of the request and contains
 * nothing that looks like a host or source code.
 * @param cursorSent whether the call carried a cursor: only then can "not found" mean that the cursor is stale
 */
export function toRpcGatewayError({ code, message, data }: RpcFailure, cursorSent: boolean): GraphQLError {
  const facts = { upstream: 'events', rpcCode: code } as const;
  if (transient.has(code) || /too many requests/i.test(message)) {
    return gatewayError('UPSTREAM_UNAVAILABLE', 'The events upstream is busy.', facts);
  }
  if (cursorSent && (isStaleMessage(message) || isStaleMessage(toText(data)))) {
    return gatewayError(
      'STALE_CURSOR',
      'The events upstream no longer knows the position this cursor points to.',
      facts,
    );
  }
  if (callerFaultCodes.has(code)) {
    const shownMessage = isPlainText(message) ? message : 'The events upstream refused the query.';
    return gatewayError('BAD_USER_INPUT', shownMessage, facts);
  }
  return gatewayError(
    'UPSTREAM_BAD_RESPONSE',
    code === unknownMethod ? 'The events upstream does not have this query.' : 'The events upstream failed to answer.',
    facts,
  );
}

function isStaleMessage(text: string): boolean {
  const start = text.slice(0, maxReadCharacters);
  return staleTexts.some((pattern) => pattern.test(start));
}

function toText(data: unknown): string {
  return typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
}

/** One short line without URLs, source locations or control characters. */
function isPlainText(text: string): boolean {
  return /^[\x20-\x7e]{1,300}$/.test(text) && !/:\/\/|\.(rs|ts|js|go):\d|panicked|(^|\s)at \S+ \(/.test(text);
}
