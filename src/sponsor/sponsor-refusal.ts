import { GraphQLError } from 'graphql';
import { type ErrorCode, isErrorCode } from '../errors/catalogue.ts';
import { type ErrorFacts, gatewayError } from '../errors/gateway-error.ts';
import { toGatewayError, UpstreamCallError } from '../upstream/upstream-call-error.ts';
import { readNodeRefusal, readSubmissionError, submissionError } from './node-refusal.ts';
import {
  errorTextOf,
  hasResult,
  isCutOff,
  type SponsorAnswer,
  type SponsorEndpoint,
  sentenceOf,
} from './sponsor-response.ts';

/** The error for the caller of a response without a result. */
export interface SponsorRefusal {
  readonly code: ErrorCode;
  /** The sponsor's own words if `own`: not redacted yet. */
  readonly message: string;
  readonly own: boolean;
  /** The response has an unknown form: its text belongs in the log. */
  readonly unknown: boolean;
  readonly mayHaveRun: boolean;
  /** The sponsor kept the reservation: another transaction may use it. */
  readonly isReservationKept: boolean;
  /** A transaction that ran may be rejected so when it is sent again: the ledger knows. */
  readonly needsLookUp: boolean;
}

/** What an execution sent. A response that names another transaction or reservation says nothing about it. */
export interface SentExecution {
  readonly digest: string;
  readonly rawReservationId: string;
}

/** The sponsor compared the transaction with its reservation, rejected it, and kept the reservation. */
export class ReservationKept extends Error {
  override readonly name = 'ReservationKept';
}

/** A rejection that a transaction gets which did not run, or which ran in an earlier attempt of the sponsor. */
export class DoubtfulRefusal extends Error {
  override readonly name = 'DoubtfulRefusal';
}

/** The sponsor's response does not show whether it executed the request. */
export class InconclusiveResponse extends Error {
  override readonly name = 'InconclusiveResponse';
}

/** May the sponsor have executed the request despite this error? A fault of the gateway does not rule it out. */
export function mayHaveRun(error: unknown): boolean {
  if (!(error instanceof GraphQLError)) return true;
  const { originalError, extensions } = error;
  if (extensions.code === 'INTERNAL_SERVER_ERROR') return true;
  return originalError instanceof UpstreamCallError
    ? originalError.mayHaveArrived
    : originalError instanceof InconclusiveResponse;
}

/** Statuses of the sponsor's web framework for requests that it cannot parse. They never reach the sponsor's own code. */
const unreadableRequest = new Set([400, 413, 415, 422]);

/**
 * Interprets a response without a readable result. Clients see the text of an envelope with a 4xx status, as in the sponsor's
 * contract, and with other statuses only if the text is known. `EXECUTION_OUTCOME_UNKNOWN` unless the response rules out that
 * the transaction ran.
 */
export function toSponsorRefusal(
  endpoint: SponsorEndpoint,
  answer: SponsorAnswer,
  sent: SentExecution | undefined = undefined,
): SponsorRefusal {
  const { status } = answer;
  const plain = { own: false, unknown: false, mayHaveRun: false, isReservationKept: false, needsLookUp: false };
  const inconclusive = { ...plain, ...inconclusiveRefusal(endpoint, status), unknown: true, mayHaveRun: true };
  if (hasResult(answer)) return inconclusive;
  const envelopeText = errorTextOf(answer);
  if (endpoint === 'executeTx' && envelopeText?.startsWith(submissionError)) {
    const refusal = readSubmissionError(envelopeText, sent?.digest);
    if (!refusal) return inconclusive;
    const { message, isKnown, needsLookUp } = refusal;
    return { ...plain, code: 'SPONSOR_REJECTED', message, unknown: !isKnown, needsLookUp };
  }
  // A text of another form may be about a transaction that ran.
  if (sent && answer.text.includes(sent.digest)) return inconclusive;
  const known = findKnownRefusal(endpoint, envelopeText ?? sentenceOf(answer) ?? '', sent);
  // The missing end of an envelope may contain the digest. Plain text comes from a web framework or a proxy that executed
  // nothing, so its end does not matter.
  const isRefused = isClientError(status) && !isCutOff(answer);
  if (known?.isReservationKept) return { ...plain, ...known };
  if (isRefused && envelopeText !== null) {
    return { ...plain, code: codeOfClientError(status), ...known, message: envelopeText, own: true };
  }
  if (known) return { ...plain, ...known };
  return isRefused ? { ...plain, ...fixedClientError(status), unknown: true } : inconclusive;
}

/** Not 408: a proxy may send it for a silent sponsor, after it forwarded the request. */
function isClientError(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408;
}

function codeOfClientError(status: number): ErrorCode {
  if (status === 401) return 'SPONSOR_UNAUTHORIZED';
  if (status === 403) return 'SPONSOR_FORBIDDEN';
  if (status === 429) return 'SPONSOR_EXHAUSTED';
  return 'SPONSOR_REJECTED';
}

/** For a response that does not show whether the sponsor executed the request. */
function inconclusiveRefusal(endpoint: SponsorEndpoint, status: number): Pick<SponsorRefusal, 'code' | 'message'> {
  if (endpoint === 'executeTx') {
    return {
      code: 'EXECUTION_OUTCOME_UNKNOWN',
      message: `The sponsor answered the execution in a way that does not tell its outcome (HTTP ${status}). ${lookUpAdvice}`,
    };
  }
  const possibleEffects = possibleEffectsOf(endpoint);
  if (status === 502 || status === 503) {
    return {
      code: 'UPSTREAM_UNAVAILABLE',
      message: `The sponsor is not available (HTTP ${status}).${possibleEffects}`,
    };
  }
  if (status === 504 || status === 408) {
    return {
      code: 'UPSTREAM_TIMEOUT',
      message: `The sponsor did not answer in time (HTTP ${status}).${possibleEffects}`,
    };
  }
  const says = status >= 500 ? 'failed' : 'answered something that is not of its contract';
  return { code: 'UPSTREAM_BAD_RESPONSE', message: `The sponsor ${says} (HTTP ${status}).${possibleEffects}` };
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

/** Possible effects of a call without a response: a sentence after a space, or nothing. */
function possibleEffectsOf(endpoint: SponsorEndpoint): string {
  if (endpoint === 'reserveGas') return ' If it reserved coins, they stay locked until the requested duration is over.';
  if (endpoint === 'debugHealthCheck') return ' If it reserved coins for the check, they return by themselves.';
  if (endpoint === 'reloadAccessController') return ' The configuration may or may not have been read again.';
  return '';
}

/** When to look up the digest: the sponsor submits up to three times, and the ledger's indexer lags a few seconds behind. */
export const checkAfterMs = 5_000;

/**
 * The error for a call without a response. If the call may have reached the sponsor, an execution has an unknown outcome, and
 * the errors of other calls name their possible effects.
 */
export function toLostAnswerError(endpoint: SponsorEndpoint, error: unknown, facts: ErrorFacts): GraphQLError {
  const plain = toGatewayError(error, 'sponsor');
  if (!(error instanceof UpstreamCallError)) return plain;
  const { code } = plain.extensions;
  if (endpoint === 'executeTx' && error.mayHaveArrived) {
    const message = `The transaction was handed to the sponsor and its answer was lost. ${lookUpAdvice}`;
    return gatewayError('EXECUTION_OUTCOME_UNKNOWN', message, { ...facts, checkAfterMs }, { originalError: error });
  }
  const message = plain.message + (error.mayHaveArrived ? possibleEffectsOf(endpoint) : unsentNote(endpoint, error));
  return gatewayError(isErrorCode(code) ? code : 'UPSTREAM_UNAVAILABLE', message, facts, { originalError: error });
}

/** `UPSTREAM_UNAVAILABLE` alone does not say whether a transaction was sent. */
function unsentNote(endpoint: SponsorEndpoint, { failure }: UpstreamCallError): string {
  if (endpoint !== 'executeTx') return '';
  return failure === 'unreachable' ? ' Nothing was sent and the reservation is unused.' : ' The reservation is unused.';
}

interface KnownRefusal {
  readonly code: ErrorCode;
  readonly isReservationKept?: true;
  readonly needsLookUp?: boolean;
  /** Safe to show: the text that the pattern matched, or a fixed text. */
  readonly message: string;
}

/** The shown message: if not given, the first group of the pattern, or else the whole match. */
type Row = readonly [code: ErrorCode, pattern: RegExp, message?: string];

/**
 * Rejections that only their text identifies: the sponsor responds with status 500 to an empty pool as to a bug. A pattern
 * matches the whole text, since a longer text may have another source and meaning. For an execution, list a text only if it
 * rules out that the transaction ran or will run. The sponsor sends these before it calls the ledger; the ledger's own are
 * below.
 */
const refusalsAnywhere: readonly Row[] = [
  ['SPONSOR_UNAUTHORIZED', /^(?:Invalid authorization token|Authorization token is required or invalid|Unauthorized)$/],
  [
    'SPONSOR_UNAUTHORIZED',
    /^Header of type `?authorization`? was missing$/i,
    'The sponsor requires an Authorization header.',
  ],
  ['SPONSOR_MAINTENANCE', /^Gas station is in maintenance mode\. Please try again later\.$/],
  ['SPONSOR_FORBIDDEN', /^Access denied by access controller$/],
];

const refusalsByEndpoint: Readonly<Partial<Record<SponsorEndpoint, readonly Row[]>>> = {
  reserveGas: [
    ['SPONSOR_MAINTENANCE', /^Gas pool initialization is in progress, please retry shortly$/],
    ['SPONSOR_EXHAUSTED', /^Gas pool is not initialized and coin-init-config is not configured$/],
    ['SPONSOR_EXHAUSTED', /^Unable to reserve gas coins for the given budget\.?$/],
    ['SPONSOR_EXHAUSTED', /^Gas usage exceeds daily cap$/],
    ['UPSTREAM_BAD_RESPONSE', /^Failed to spawn reserve_gas task$/],
  ],
  executeTx: [
    // Before the sponsor takes the reservation; the coins return when it expires.
    ['SPONSOR_REJECTED', /^Error while checking access\. EventId=[0-9a-zA-Z-]{1,64}$/],
    ['SPONSOR_REJECTED', /^Invalid bcs bytes for TransactionData$/],
    [
      'SPONSOR_REJECTED',
      /^(?:Sponsor 0x[0-9a-fA-F]{1,64}|Sponsor Address\("0x[0-9a-fA-F]{1,64}"\)) is not registered$/,
    ],
    ['SPONSOR_REJECTED', /^Gas coin can only be used to pay gas$/],
    ['SPONSOR_REJECTED', /^Sender cannot match sponsor$/],
    ['SPONSOR_REJECTED', /^Expected that the transaction signer is the same as the sender$/],
    ['SPONSOR_REJECTED', /^Transaction must pay with at least one gas coin$/],
    ['SPONSOR_REJECTED', /^Transaction pays with \d{1,9} gas coins, but the protocol accepts fewer than \d{1,9}$/],
    ['SPONSOR_REJECTED', /^Unrecognized transaction command variant; rejecting as unsafe by default$/],
    ['SPONSOR_REJECTED', /^Failed to get input objects from transaction$/],
    ['SPONSOR_REJECTED', /^Transaction has too many input objects\. The maximum allowed is \d{1,9}$/],
    // After the sponsor took the reservation, and before it sent the transaction: it has locked an object itself (a
    // validator's lock would mean that it was sent), or the signature is wrong.
    ['SPONSOR_REJECTED', /^(Object is already locked(?:: 0x[0-9a-fA-F]{1,64}\b)?)(?:[:, (][^\n]{0,400})?$/],
    ['SPONSOR_REJECTED', /^Object version is out of date: 0x[0-9a-fA-F]{1,64}, provided: \d{1,20}, latest: \d{1,20}$/],
    ['SPONSOR_REJECTED', /^Invalid transaction signature$/],
  ],
  reloadAccessController: [
    // A path on the sponsor's machine follows.
    ['SPONSOR_REJECTED', /^(Failed to load config file)(?:[ :][\s\S]{0,400})?$/],
  ],
};

/** The rejection that a text means at an endpoint; `null` for an unknown text. */
function findKnownRefusal(
  endpoint: SponsorEndpoint,
  text: string,
  sent: SentExecution | undefined,
): KnownRefusal | null {
  const whole = text.trim();
  for (const [code, pattern, message] of [...refusalsAnywhere, ...(refusalsByEndpoint[endpoint] ?? [])]) {
    const match = pattern.exec(whole);
    if (match) return { code, message: message ?? match[1] ?? match[0] };
  }
  if (endpoint !== 'executeTx') return null;
  const refusal = readNodeRefusal(whole);
  if (refusal) return { code: 'SPONSOR_REJECTED', message: refusal.message, needsLookUp: refusal.needsLookUp };
  return readScriptError(whole, sent);
}

/**
 * Errors of the script that takes the reservation. The prefix of the sponsor's store may name machines. Redis 6 writes the
 * script's place before the error, Redis 7 and later also after it.
 */
const scriptError =
  /^(?:[^"'`{}\n]{1,300}: )?(Reservation no longer exist(?:: ?\d{1,20})?|Gas coins in the transaction do not belong to reservation (\d{1,20})|Transaction pays with \d{1,9} gas coins but reservation (\d{1,20}) holds \d{1,9})(?: script: [0-9a-f]{40}, on @user_script:\d{1,9}\.?)?$/;

function readScriptError(text: string, sent: SentExecution | undefined): KnownRefusal | null {
  const match = scriptError.exec(text);
  if (!match) return null;
  const [, error = '', foreign, partial] = match;
  const comparedWith = foreign ?? partial;
  // An earlier call may have spent the reservation; this one had no effect.
  if (comparedWith === undefined) return { code: 'RESERVATION_NOT_FOUND', message: error };
  if (sent && comparedWith !== sent.rawReservationId) return null;
  // The script compares the coins before it takes the reservation. A copy of the request would be rejected too.
  const message =
    'The transaction must pay with all gas coins of its reservation and no others. The reservation is unused.';
  return { code: 'SPONSOR_REJECTED', message, isReservationKept: true };
}
