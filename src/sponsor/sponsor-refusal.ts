import { GraphQLError } from 'graphql';
import { type ErrorCode, isErrorCode } from '../errors/catalogue.ts';
import { type ErrorFacts, gatewayError } from '../errors/gateway-error.ts';
import { toGatewayError, UpstreamCallError } from '../upstream/upstream-call-error.ts';
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
 * @param digest of the transaction that was sent; a response that contains it is not a rejection, whatever its status
 */
export function toSponsorRefusal(
  endpoint: SponsorEndpoint,
  answer: SponsorAnswer,
  digest: string | null = null,
): SponsorRefusal {
  const { status } = answer;
  if (hasResult(answer) || (digest !== null && answer.text.includes(digest)))
    return { ...inconclusiveRefusal(endpoint, status), own: false, unknown: true, mayHaveRun: true };
  const envelopeText = errorTextOf(answer);
  const known = findKnownRefusal(endpoint, envelopeText ?? sentenceOf(answer) ?? '');
  // The missing end of an envelope may contain the digest. Plain text comes from a web framework or a proxy that executed
  // nothing, so its end does not matter.
  const isRefused = isClientError(status) && !isCutOff(answer);
  if (isRefused && envelopeText !== null) {
    const code = known?.code ?? codeOfClientError(status);
    return { code, message: envelopeText, own: true, unknown: false, mayHaveRun: false };
  }
  if (known) return { ...known, own: false, unknown: false, mayHaveRun: false };
  const fixed = isRefused ? fixedClientError(status) : inconclusiveRefusal(endpoint, status);
  return { ...fixed, own: false, unknown: true, mayHaveRun: !isRefused };
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
    ['SPONSOR_EXHAUSTED', /^Unable to reserve gas coins for the given budget\.?$/],
    ['SPONSOR_EXHAUSTED', /^Gas usage exceeds daily cap$/],
    ['UPSTREAM_BAD_RESPONSE', /^Failed to spawn reserve_gas task$/],
  ],
  executeTx: [
    // Before the sponsor takes the reservation; the coins return when it expires.
    ['SPONSOR_REJECTED', /^Error while checking access\. EventId=[0-9a-zA-Z-]{1,64}$/],
    ['SPONSOR_REJECTED', /^Invalid bcs bytes for TransactionData$/],
    ['SPONSOR_REJECTED', /^Sponsor 0x[0-9a-fA-F]{1,64} is not registered$/],
    ['SPONSOR_REJECTED', /^Gas coin can only be used to pay gas$/],
    ['SPONSOR_REJECTED', /^Transaction has too many input objects\. The maximum allowed is \d{1,9}$/],
    // The sponsor's store adds a prefix that may name machines. An earlier call may have spent the reservation; this one had
    // no effect.
    ['RESERVATION_NOT_FOUND', /^(?:[^"'`{}\n]{1,300}: )?(Reservation no longer exist(?:: ?\d{1,20})?)$/],
    // After the sponsor took the reservation, and before it sent the transaction: it has locked an object itself (a
    // validator's lock would mean that it was sent), or the signature is wrong.
    ['SPONSOR_REJECTED', /^(Object is already locked(?:: 0x[0-9a-fA-F]{1,64}\b)?)(?:[:, (][^\n]{0,400})?$/],
    ['SPONSOR_REJECTED', /^Invalid transaction signature$/],
  ],
  reloadAccessController: [
    // A path on the sponsor's machine follows.
    ['SPONSOR_REJECTED', /^(Failed to load config file)(?:[ :][\s\S]{0,400})?$/],
  ],
};

/** The rejection that a text means at an endpoint; `null` for an unknown text. */
function findKnownRefusal(endpoint: SponsorEndpoint, text: string): KnownRefusal | null {
  const whole = text.trim();
  for (const [code, pattern, message] of [...refusalsAnywhere, ...(refusalsByEndpoint[endpoint] ?? [])]) {
    const match = pattern.exec(whole);
    if (match) return { code, message: message ?? match[1] ?? match[0] };
  }
  const refusalMessage = endpoint === 'executeTx' ? readNodeRefusal(whole) : null;
  return refusalMessage === null ? null : { code: 'SPONSOR_REJECTED', message: refusalMessage };
}

/**
 * Sentences of a ledger node about a transaction that it refuses to sign, as the sponsor forwards them. Each means that the
 * transaction did not run, because a node answers with the effects of one that ran. And it cannot run later, because only the
 * sponsor has all signatures, and it stops after such an answer.
 *
 * Not listed, because they may also apply to a transaction that ran or is about to run:
 * - objects at another version, deleted, or with another digest: the transaction itself may have changed them;
 * - objects reserved for, or locked by, another transaction: it may be this one in flight;
 * - already finalised with other signatures: it ran;
 * - timeouts, overload, errors that the node calls transient, and its internal errors.
 *
 * Only numbers and ids may vary in a sentence. Signers control names, abort messages and other text, and could forge a
 * rejection.
 */
const number = '\\d{1,40}';
const id = '0x[0-9a-fA-F]{1,64}';
const version = '(?:None|Some\\(SequenceNumber\\((?:0x[0-9a-fA-F]{1,16}|\\d{1,20})\\)\\))';
const word = '[A-Za-z]{1,40}';

/** Final rejections of the gas price, the gas budget or the gas payment. */
const gas = [
  `Gas price ${number} under reference gas price \\(RGP\\) ${number}`,
  `Gas price cannot exceed ${number}(?: ${word})?`,
  `Gas budget: ${number} is lower than min: ${number}`,
  `Gas budget: ${number} is higher than max: ${number}`,
  `Balance of gas object ${number} is lower than the needed amount: ${number}`,
  'Gas object does not have enough balance to cover minimal gas spend',
  'Transaction gas payment missing',
  `Object ${id} is not a gas object`,
  `Gas object is not an owned object with owner: (?:Immutable|(?:Address|Object)Owner\\(${id}\\)|Shared(?: \\{ initial_shared_version: (?:SequenceNumber\\()?${number}\\)? \\})?)`,
  `Gas object ${id} is not an owned object of ${id}, its owner: (?:${id}|${word})`,
  `Gas object ${id} is not a coin of type ${id}(?:::\\w{1,128}){2}`,
  'Transaction kind does not support Sponsored Transaction',
];

/** Objects that do not exist at the named version, or that the sender may not use. */
const objects = [
  `Could not find the referenced object ${id} at version ${version}`,
  `Dependent package not found on-chain: ${id}`,
  `Transaction was not signed by the correct sender: Object ${id} is owned by account address ${id}, but given owner/signer address is ${id}`,
  `Object ${id} is owned by object ${id}\\. Objects owned by other objects cannot be used as input arguments`,
  `Object ${id} is shared and cannot be used as an owned input`,
  `Object ${id} is a system object and cannot be accessed by user transactions`,
  `A move object is expected, instead a move package is passed: ${id}`,
  `A move package is expected, instead a move object is passed: ${id}`,
  'Object used as shared is not shared',
  'Object used as owned is not owned',
  'Mutable shared or read-only shared object expected: the object is not shared',
  'Wrong initial version given for shared object',
  'The shared object starting version does not match the version provided by the transaction',
  'Mutable parameter provided, immutable parameter expected',
  'Immutable parameter provided, mutable parameter expected',
];

/** The form of the transaction, which does not depend on the ledger's state; and its expiration. */
const form = [
  "The transaction inputs contain duplicated ObjectRef's",
  `Mutable object ${id} cannot appear more than one in one transaction`,
  `Size limit exceeded: [a-z][a-z0-9 /_-]{0,100} is ${number}`,
  'TransferObjects, MergeCoin, and Publish cannot have empty arguments\\. If MakeMoveVec has empty arguments, it must have a type specified',
  `Empty command input: ${word} needs at least one argument`,
  'Empty input: a transaction needs at least one command',
  `${number} max publish/upgrade commands allowed, ${number} provided`,
  'Transaction is not supported: only validators send system transactions',
  'Transaction Expired',
];

/** Signatures that are invalid for these bytes, too few or too many. */
const signatures = [
  `Expect ${number} signer signatures but got ${number}`,
  `Required Signature from ${id} is absent \\[(?:"${id}"(?:, "${id}"){0,15})?\\]`,
  '(?:Signature is not valid|Value was not signed by the correct sender): [A-Za-z][A-Za-z ]{0,200}',
];

const sentence = `(?:(?:Error checking transaction input objects|Invalid user signature): )?(?:${[...gas, ...objects, ...form, ...signatures].join('|')})`;
/** Nodes collect the messages of their validators, on separate lines or separated by commas. */
const gathered =
  'Transaction (?:execution|validator signing) failed due to issues with transaction inputs, please review the errors and try again:(?: |\\n- )';
const refusal = new RegExp(`^(?:${gathered})?${sentence}(?:(?:, |\\n- )${sentence})*\\.?$`);

/** The text of a cryptographic library after the colon may contain anything, and is not shown. */
const signatureRefusal =
  /^(?:Error checking transaction input objects: )?(Invalid user signature|Signature is not valid|Value was not signed by the correct sender): [^,\n]{1,400}$/;

/** A JSON-RPC error in Rust's notation, as the sponsor's client library writes it. */
const rpcError = /^ErrorObject \{ code: ([A-Za-z]+(?:\(-?\d{1,6}\))?), message: "((?:[^"\\]|\\.)*)", data: None \}$/s;
/** The code for invalid input, and the codes that older nodes use for the same sentences. No codes that mean "retry". */
const finalCodes = new Set(['ServerError(-32002)', 'ServerError(-32000)', 'ServerError(-32602)', 'InvalidParams']);
/** Longer than a few of the known sentences together. */
const maxLength = 4_000;

/**
 * The sentence of a node that finally rejected a transaction, safe to show; `null` for any other text.
 * @param text as the sponsor forwards it, with or without the envelope of its client library
 */
export function readNodeRefusal(text: string): string | null {
  if (text.length > maxLength) return null;
  const unprefixed = text.replace(/^RPC call failed: /, '');
  const [, code, escaped] = rpcError.exec(unprefixed) ?? [];
  if (code !== undefined && !finalCodes.has(code)) return null;
  const refusalMessage = escaped === undefined ? unprefixed : unescaped(escaped);
  if (refusal.test(refusalMessage)) return refusalMessage;
  return signatureRefusal.exec(refusalMessage)?.[1] ?? null;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (_, letter: string) => (letter === 'n' ? '\n' : letter));
}
