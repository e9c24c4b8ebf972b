import type { ExecutionResult } from 'graphql';
import type { Usage } from '../documents/cost/usage.ts';
import type { CancelCause, ServedOperation } from '../upstream/cancellation.ts';
import type { RawCall, RawResponse } from '../upstream/raw-call.ts';
import { toWhole } from '../upstream/upstream-call.ts';
import { toGatewayError } from '../upstream/upstream-call-error.ts';
import {
  type AnswerEnd,
  AnswerStream,
  checkEnd,
  type SettleErrors,
  type StreamedAnswer,
} from './answers/answer-stream.ts';
import { type ChunkedBody, extentOf } from './answers/data-extent.ts';
import { parseLedgerAnswer } from './answers/ledger-answer.ts';
import { findPlainEnd, hasPlainHead, isPlain, spliceUsage } from './answers/plain-answer.ts';
import { createToLedgerPost, type LedgerExecutorOptions, postHeaderPairs } from './ledger-executor.ts';

export interface RawLedgerRequest {
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
  /** Rewrites the errors of a streamed response. */
  readonly settle?: SettleErrors;
  /** Called with a plain response after it was handed over. */
  readonly keep?: ((body: ChunkedBody) => void) | undefined;
}

export type RawLedgerAnswer =
  | PlainLedgerAnswer
  /** Large and plain so far: the rest is forwarded as it arrives. Cancelling the request stops it. */
  | { readonly kind: 'stream'; readonly body: StreamedAnswer }
  /** Anything else: `read` parses it, and throws if there is no response. */
  | {
      readonly kind: 'other';
      readonly read: () => ExecutionResult;
      /** Bytes of the response. */
      readonly size: number;
      /** Formats the end of a large response with errors, and leaves its data unparsed; `null` if that is impossible. */
      readonly end?: () => AnswerEnd | null;
    };

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
    return parseLedgerAnswer(toWhole(this.#response), null, { isMutation: false, isReadOnly: true });
  }
}

/** Sends a prepared document to the ledger. @returns cancels it, unless it is a mutation that was sent */
export type RawLedger = (
  request: RawLedgerRequest,
  answered: (answer: RawLedgerAnswer) => void,
) => (cause: CancelCause) => void;

export type RawLedgerOptions = Omit<LedgerExecutorOptions, 'call' | 'turns'> & { readonly rawCall: RawCall };

/** Bytes above which a response is forwarded as it arrives; buffering smaller ones costs less. */
const streamAboveBytes = 1024 * 1024;

export function createRawLedger({
  rawCall,
  versionHeader,
  version,
  transient,
  ...options
}: RawLedgerOptions): RawLedger {
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
            answered({
              kind: 'other',
              size: response.size,
              read: () => parseLedgerAnswer(toWhole(response), readText, { isMutation, isReadOnly: true, transient }),
              end: () => {
                if (isMutation || !settle || !isPlain(response) || !hasPlainHead(response)) return null;
                return checkEnd(response, extentOf(response), { usage, readText, transient, settle });
              },
            });
          else {
            answered(new PlainLedgerAnswer(response, plainEnd, usage));
            keep?.(response);
          }
        },
        stream: (begun, resume) => {
          if (!canStream || !isPlain(begun) || !hasPlainHead(begun)) return null;
          version.observe(begun.headers.get(versionHeader));
          const body = new AnswerStream(begun, resume, { usage, readText, transient, settle });
          answered({ kind: 'stream', body });
          return body;
        },
        failed: (error) =>
          answered({
            kind: 'other',
            size: 0,
            read: () => {
              throw toGatewayError(error, 'ledger', isMutation);
            },
          }),
      },
    );
    return (cause) => inFlight.cancel(cause);
  };
}
