import type { ExecutionResult } from 'graphql';
import type { Usage } from '../documents/cost/usage.ts';
import { printJson } from '../json/exact-json.ts';
import type { CancelCause, Cancellation, ServedOperation } from '../upstream/cancellation.ts';
import type { RawCall, RawResponse } from '../upstream/raw-call.ts';
import { toWhole } from '../upstream/upstream-call.ts';
import { toGatewayError } from '../upstream/upstream-call-error.ts';
import { AnswerStream, type SettleErrors, type StreamedAnswer } from './answers/answer-stream.ts';
import { parseLedgerAnswer } from './answers/ledger-answer.ts';
import { type ChunkedBody, findPlainEnd, hasPlainHead, isPlain, spliceUsage } from './answers/plain-answer.ts';
import type { LedgerExecutorOptions } from './ledger-executor.ts';

export interface LedgerPostOptions {
  /** Path of the GraphQL endpoint, query string included. */
  readonly path: string;
  readonly timeouts: { readonly queryMs: number; readonly mutationMs: number };
}

/** An operation in the form that is sent to the ledger. */
interface LedgerPostContent {
  /** The document as a JSON string, with its quotes. */
  readonly queryJson: string;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly operationName: string | null;
  /** Once sent, a mutation is never cancelled: its outcome would be unknown. */
  readonly isMutation: boolean;
}

/** In characters. A longer body is encoded once, so that its text is not kept. */
const longBody = 16 * 1024;

/** No header of the caller is sent, so that callers can share equal reads. */
const headers = { 'content-type': 'application/json', accept: 'application/json' } as const;

/** The request headers as alternating names and values. */
const postHeaderPairs: readonly string[] = Object.entries(headers).flat();

/** Creates the request that carries an operation to the ledger, with its body as text or, if that is long, as bytes. */
export function createToLedgerPost({ path, timeouts }: LedgerPostOptions) {
  return ({ queryJson, variables, operationName, isMutation }: LedgerPostContent, cancellation?: Cancellation) => {
    // Add nothing to the client's request: some ledgers count every byte of a body against the query allowance.
    const variablesText = variables === undefined || isEmpty(variables) ? '' : printJson(variables);
    const variablesMember = variablesText === '' ? '' : `,"variables":${variablesText}`;
    const named = operationName === null ? '' : `,"operationName":${JSON.stringify(operationName)}`;
    const text = `{"query":${queryJson}${variablesMember}${named}}`;
    const isLong = text.length > longBody;
    return {
      method: 'POST',
      path,
      headers,
      body: isLong ? Buffer.from(text) : text,
      timeoutMs: isMutation ? timeouts.mutationMs : timeouts.queryMs,
      runOnMs: isMutation ? timeouts.mutationMs : undefined,
      isShareable: !isMutation,
      variablesText: isLong ? undefined : variablesText,
      cancellation,
    } as const;
  };
}

function isEmpty(members: object): boolean {
  for (const _ in members) return false;
  return true;
}

interface RawLedgerRequest {
  /** The document as a JSON string, with its quotes. */
  readonly queryJson: string;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Did the client write it? Only then do error locations in it mean anything to the client. */
  readonly isClientsText: boolean;
  /** Once sent, a mutation is never cancelled: its outcome would be unknown. */
  readonly isMutation: boolean;
  readonly operation: ServedOperation;
  /** Spliced into a plain response; `null` = not requested. */
  readonly usage: Usage | null;
  /** May a large response be forwarded as it arrives? A mutation's never is. */
  readonly canStream: boolean;
  /** Applied to the errors of a streamed response. */
  readonly settle?: SettleErrors;
  /** Called with a plain response after it was handed over. */
  readonly keep?: ((body: ChunkedBody) => void) | undefined;
}

export type RawLedgerAnswer =
  | PlainLedgerAnswer
  /** Large and plain so far: the rest is forwarded as it arrives. Cancelling the request stops it. */
  | { readonly kind: 'stream'; readonly body: StreamedAnswer }
  /** Anything else: `read` parses it, and throws if there is no response. */
  | { readonly kind: 'other'; readonly read: () => ExecutionResult };

/** A response with data and nothing else, as bytes that can be sent unchanged. */
class PlainLedgerAnswer {
  readonly kind = 'plain';
  /** The ledger's bytes, with usage added if requested. */
  readonly body: ChunkedBody;
  /** Where the ledger's bytes end, without their last brace. */
  readonly plainEnd: number;
  readonly #response: RawResponse;

  constructor(response: RawResponse, plainEnd: number, usage: Usage | null) {
    this.#response = response;
    this.plainEnd = plainEnd;
    this.body = usage ? spliceUsage(response, plainEnd, usage) : response;
  }

  read(): ExecutionResult {
    // A plain response has no errors, so no text is needed to locate them.
    return parseLedgerAnswer(toWhole(this.#response), null, false);
  }
}

/** Sends a prepared document to the ledger. @returns cancels it, unless it is a mutation that was sent */
export type RawLedger = (
  request: RawLedgerRequest,
  answered: (answer: RawLedgerAnswer) => void,
) => (cause: CancelCause) => void;

type RawLedgerOptions = Omit<LedgerExecutorOptions, 'call'> & { readonly rawCall: RawCall };

/** In bytes. Larger responses are forwarded as they arrive; buffering smaller ones costs less. */
const streamAboveBytes = 1024 * 1024;

export function createRawLedger({ rawCall, versionHeader, version, ...options }: RawLedgerOptions): RawLedger {
  const toPost = createToLedgerPost(options);
  return (
    { queryJson, operationName, variables, isMutation, operation, usage, canStream, settle, keep, isClientsText },
    answered,
  ) => {
    const readText = isClientsText ? () => JSON.parse(queryJson) as string : null;
    const { method, path, body, timeoutMs, runOnMs, isShareable, variablesText } = toPost({
      queryJson,
      variables,
      operationName,
      isMutation,
    });
    const inFlight = rawCall(
      // No object spread: it would create a new hidden class for each request, which is slow to create and to read.
      {
        method,
        path,
        headers: postHeaderPairs,
        body,
        timeoutMs,
        runOnMs,
        operation,
        isShareable,
        variablesText,
        streamAboveBytes: canStream && !isMutation ? streamAboveBytes : Number.POSITIVE_INFINITY,
      },
      {
        answered: (response) => {
          version.observe(response.headers.get(versionHeader));
          const plainEnd = isPlain(response) ? findPlainEnd(response) : null;
          if (plainEnd === null)
            answered({ kind: 'other', read: () => parseLedgerAnswer(toWhole(response), readText, isMutation) });
          else {
            answered(new PlainLedgerAnswer(response, plainEnd, usage));
            keep?.(response);
          }
        },
        stream: (begun, resume) => {
          if (!canStream || isMutation || !isPlain(begun) || !hasPlainHead(begun)) return null;
          version.observe(begun.headers.get(versionHeader));
          const body = new AnswerStream(begun, resume, { usage, readText, settle });
          answered({ kind: 'stream', body });
          return body;
        },
        failed: (error) =>
          answered({
            kind: 'other',
            read: () => {
              throw toGatewayError(error, 'ledger', isMutation);
            },
          }),
      },
    );
    return (cause) => inFlight.cancel(cause);
  };
}
