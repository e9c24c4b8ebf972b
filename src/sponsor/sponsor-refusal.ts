import { GraphQLError } from 'graphql';
import { type ErrorCode, isErrorCode } from '../errors/catalogue.ts';
import { type ErrorFacts, gatewayError } from '../errors/gateway-error.ts';
import { toGatewayError, UpstreamCallError } from '../upstream/upstream-call-error.ts';
import { findKnownRefusal } from './known-refusals.ts';
import { errorTextOf, hasResult, type SponsorAnswer, type SponsorEndpoint, sentenceOf } from './sponsor-response.ts';

/** What a response without a result means for the caller. */
export interface SponsorRefusal {
  readonly code: ErrorCode;
  /** The sponsor's own words if `own`: still to be redacted. */
  readonly message: string;
  readonly own: boolean;
  /** The response has an unknown form: its text belongs in the log. */
  readonly unknown: boolean;
  /** May the sponsor have done what it was asked to do? */
  readonly mayBeDone: boolean;
}

/** The sponsor's response leaves open whether it did what it was asked to do. */
export class InconclusiveResponse extends Error {
  override readonly name = 'InconclusiveResponse';
}

/** May the sponsor have done what it was asked to do, despite this error? A fault of the gateway does not rule it out. */
export function mayBeDone(error: unknown): boolean {
  if (!(error instanceof GraphQLError)) return true;
  const { originalError, extensions } = error;
  if (extensions.code === 'INTERNAL_SERVER_ERROR') return true;
  return originalError instanceof UpstreamCallError
    ? originalError.mayHaveArrived
    : originalError instanceof InconclusiveResponse;
}

/** Statuses of the sponsor's web framework for requests that it cannot read. They never reach the sponsor itself. */
const unreadableRequest = new Set([400, 413, 415, 422]);

/**
 * Interprets a response without a readable result. Clients see the text of an envelope under 4xx, as the sponsor's contract has it,
 * and under other statuses only if the text is known. `EXECUTION_OUTCOME_UNKNOWN` unless the response rules out that it ran.
 * @param digest of the transaction that was sent; a response that names it is no refusal, whatever its status
 */
export function toSponsorRefusal(
  endpoint: SponsorEndpoint,
  answer: SponsorAnswer,
  digest: string | null = null,
): SponsorRefusal {
  const { status } = answer;
  if (hasResult(answer) || (digest !== null && answer.text.includes(digest)))
    return { ...inconclusiveRefusal(endpoint, status), own: false, unknown: true, mayBeDone: true };
  const envelopeText = errorTextOf(answer);
  const known = findKnownRefusal(endpoint, envelopeText ?? sentenceOf(answer) ?? '');
  const isRefused = isClientError(status);
  if (isRefused && envelopeText !== null) {
    const code = known?.code ?? codeOfClientError(status);
    return { code, message: envelopeText, own: true, unknown: false, mayBeDone: false };
  }
  if (known) return { ...known, own: false, unknown: false, mayBeDone: false };
  const fixed = isRefused ? fixedClientError(status) : inconclusiveRefusal(endpoint, status);
  return { ...fixed, own: false, unknown: true, mayBeDone: !isRefused };
}

/** Not 408: a proxy may answer it for a silent sponsor, after it forwarded the request. */
function isClientError(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408;
}

function codeOfClientError(status: number): ErrorCode {
  if (status === 401) return 'SPONSOR_UNAUTHORIZED';
  if (status === 403) return 'SPONSOR_FORBIDDEN';
  if (status === 429) return 'SPONSOR_EXHAUSTED';
  return 'SPONSOR_REJECTED';
}

/** For a response that leaves open whether the sponsor did what it was asked to do. */
function inconclusiveRefusal(endpoint: SponsorEndpoint, status: number): Pick<SponsorRefusal, 'code' | 'message'> {
  if (endpoint === 'executeTx') {
    return {
      code: 'EXECUTION_OUTCOME_UNKNOWN',
      message: `The sponsor answered the execution in a way that does not tell its outcome (HTTP ${status}). ${lookUpAdvice}`,
    };
  }
  const aftermath = aftermathOf(endpoint);
  if (status === 502 || status === 503) {
    return { code: 'UPSTREAM_UNAVAILABLE', message: `The sponsor is not available (HTTP ${status}).${aftermath}` };
  }
  if (status === 504 || status === 408) {
    return { code: 'UPSTREAM_TIMEOUT', message: `The sponsor did not answer in time (HTTP ${status}).${aftermath}` };
  }
  const says = status >= 500 ? 'failed' : 'answered something that is not of its contract';
  return { code: 'UPSTREAM_BAD_RESPONSE', message: `The sponsor ${says} (HTTP ${status}).${aftermath}` };
}

function fixedClientError(status: number): Pick<SponsorRefusal, 'code' | 'message'> {
  if (status === 401) return { code: 'SPONSOR_UNAUTHORIZED', message: 'The sponsor did not accept the authorization.' };
  if (status === 403) return { code: 'SPONSOR_FORBIDDEN', message: 'The sponsor denied the request.' };
  if (status === 429) return { code: 'SPONSOR_EXHAUSTED', message: 'The sponsor refuses requests for now (HTTP 429).' };
  return {
    code: 'UPSTREAM_BAD_RESPONSE',
    message: unreadableRequest.has(status)
      ? `The sponsor could not read the request of this gateway (HTTP ${status}); it did nothing.`
      : `The sponsor does not serve this request (HTTP ${status}); it did nothing.`,
  };
}

export const lookUpAdvice =
  'The transaction may or may not execute: look its digest up on the ledger before anything else.';

/** What a call without a response may have left behind: a sentence after a space, or nothing. */
function aftermathOf(endpoint: SponsorEndpoint): string {
  if (endpoint === 'reserveGas') return ' If it reserved coins, they stay locked until the duration asked for is over.';
  if (endpoint === 'debugHealthCheck') return ' If it reserved coins for the check, they return by themselves.';
  if (endpoint === 'reloadAccessController') return ' The configuration may or may not have been read again.';
  return '';
}

/** When to look up the digest: the sponsor submits up to three times, and the ledger's indexer is a few seconds behind. */
export const checkAfterMs = 5_000;

/**
 * The error for a call without a response. If it may have reached the sponsor, an execution has an unknown outcome, and other calls
 * say what they may have left behind.
 */
export function toLostAnswerError(endpoint: SponsorEndpoint, error: unknown, facts: ErrorFacts): GraphQLError {
  const plain = toGatewayError(error, 'sponsor');
  if (!(error instanceof UpstreamCallError)) return plain;
  const { code } = plain.extensions;
  if (endpoint === 'executeTx' && error.mayHaveArrived) {
    const message = `The transaction was handed to the sponsor and its answer was lost. ${lookUpAdvice}`;
    return gatewayError('EXECUTION_OUTCOME_UNKNOWN', message, { ...facts, checkAfterMs }, { originalError: error });
  }
  const message = plain.message + (error.mayHaveArrived ? aftermathOf(endpoint) : unsentNote(endpoint, error));
  return gatewayError(isErrorCode(code) ? code : 'UPSTREAM_UNAVAILABLE', message, facts, { originalError: error });
}

/** `UPSTREAM_UNAVAILABLE` alone does not say whether a transaction was sent. */
function unsentNote(endpoint: SponsorEndpoint, { failure }: UpstreamCallError): string {
  if (endpoint !== 'executeTx') return '';
  return failure === 'unreachable' ? ' Nothing was sent and the reservation is unused.' : ' The reservation is unused.';
}
