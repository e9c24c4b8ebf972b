import type { ExecutionResult } from 'graphql';
import type { Usage } from '../documents/cost/usage.ts';
import type { TakeTurn } from '../json/complete-in-turns.ts';
import { printJson } from '../json/exact-json.ts';
import type { CancelCause, ServedOperation } from '../upstream/cancellation.ts';
import type { RawCall, RawResponse } from '../upstream/raw-call.ts';
import { toWhole } from '../upstream/upstream-call.ts';
import { toGatewayError } from '../upstream/upstream-call-error.ts';
import {
  type AnswerEnd,
  AnswerStream,
  checkEnd,
  heldBackBytes,
  type SettleErrors,
  type StreamedAnswer,
} from './answers/answer-stream.ts';
import { type ChunkedBody, extentOf } from './answers/data-extent.ts';
import { parseAhead, parseLedgerAnswer, type TransientErrors } from './answers/ledger-answer.ts';
import { findPlainEnd, hasPlainHead, isPlain, spliceUsage } from './answers/plain-answer.ts';
import type { RpcVersion } from './rpc-version.ts';

export interface RawLedgerRequest {
  /** The document as a JSON string, with its quotes. */
  readonly queryJson: string;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  /** Did the client write it? Only then do error locations in it mean anything to the client. */
  readonly isClientsText: boolean;
  /** Once sent, a mutation is never cancelled: its outcome would be unknown. */
  readonly isMutation: boolean;
  /** Left out: the gateway itself. */
  readonly operation: ServedOperation | undefined;
  /** The oldest data that can answer, as a checkpoint. Left out or `null`: any. */
  readonly least?: number | null | undefined;
  /** The response is parsed in any case, so its bytes are not searched for a plain end. */
  readonly isParsed?: boolean | undefined;
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
      /** Parses a long response in turns before it is read; `null` for any other. */
      readonly parseAhead?: (takeTurn: TakeTurn) => Promise<void> | null;
      /** Bytes of the response. */
      readonly size: number;
      /** Formats the end of a large response with errors, and leaves its data unparsed; `null` if that is impossible. */
      readonly end?: () => AnswerEnd | null;
    };

/** A response with data and nothing else, as bytes that can be sent unchanged. */
export class PlainLedgerAnswer {
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

  parseAhead(takeTurn: TakeTurn): Promise<void> | null {
    return parseAhead(toWhole(this.#response).body, takeTurn);
  }

  read(): ExecutionResult {
    // A plain response has no errors, so no text is needed to locate them.
    return parseLedgerAnswer(toWhole(this.#response), null, { isMutation: false });
  }
}

/** Sends a prepared document to the ledger. @returns cancels it, unless it is a mutation that was sent */
export type RawLedger = (
  request: RawLedgerRequest,
  answered: (answer: RawLedgerAnswer) => void,
) => (cause: CancelCause) => void;

export interface RawLedgerOptions {
  readonly rawCall: RawCall;
  /** Path of the GraphQL endpoint, query string included. */
  readonly path: string;
  readonly timeouts: { readonly queryMs: number; readonly mutationMs: number };
  /** Response header that carries the build version, lower case. */
  readonly versionHeader: string;
  readonly version: RpcVersion;
  /** Left out: none. */
  readonly transient?: TransientErrors | undefined;
}

/**
 * Bytes above which a response is forwarded as it arrives; buffering smaller ones costs less. Far more than is held back: once a
 * response is streamed, its client has a part of it, and gets no other response if the rest is malformed.
 */
const streamAboveBytes = 2 * heldBackBytes;
/** Characters above which a body is encoded once, so that its text is not kept. */
const longBody = 16 * 1024;
/** Alternating names and values. No header of the caller is sent, so that callers can share equal reads. */
const headers: readonly string[] = ['content-type', 'application/json', 'accept', 'application/json'];

export function createRawLedger(options: RawLedgerOptions): RawLedger {
  const { rawCall, path, timeouts, versionHeader, version, transient } = options;
  return (request, answered) => {
    const { queryJson, operationName, variables, isMutation, isClientsText, usage, canStream, settle, keep } = request;
    const readText = isClientsText ? () => JSON.parse(queryJson) as string : null;
    // Add nothing to the client's request: some ledgers count every byte of a body against the query allowance.
    const variablesText = variables === undefined || isEmpty(variables) ? '' : printJson(variables);
    const variablesMember = variablesText === '' ? '' : `,"variables":${variablesText}`;
    const named = operationName === null ? '' : `,"operationName":${JSON.stringify(operationName)}`;
    const text = `{"query":${queryJson}${variablesMember}${named}}`;
    const isLong = text.length > longBody;
    const inFlight = rawCall(
      // No object spread: it would create a new hidden class for each request, which is slow to create and to read.
      {
        method: 'POST',
        path,
        headers,
        body: isLong ? Buffer.from(text) : text,
        timeoutMs: isMutation ? timeouts.mutationMs : timeouts.queryMs,
        runOnMs: isMutation ? timeouts.mutationMs : undefined,
        operation: request.operation,
        isShareable: !isMutation,
        variablesText: isLong ? undefined : variablesText,
        least: request.least,
        streamAboveBytes: canStream && !isMutation ? streamAboveBytes : Number.POSITIVE_INFINITY,
      },
      {
        answered: (response) => {
          version.observe(response.headers.get(versionHeader));
          const plainEnd = !request.isParsed && isPlain(response) ? findPlainEnd(response) : null;
          if (plainEnd === null)
            answered({
              kind: 'other',
              size: response.size,
              read: () => parseLedgerAnswer(toWhole(response), readText, { isMutation, transient }),
              parseAhead: (takeTurn) => parseAhead(toWhole(response).body, takeTurn),
              end: () => {
                if (isMutation || !settle || !isPlain(response) || !hasPlainHead(response)) return null;
                return checkEnd(response, extentOf(response), { usage, readText, transient, settle });
              },
            });
          else {
            // It is kept after it was handed over, when its writer may have reused its memory already.
            if (keep) response.recycle = undefined;
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

function isEmpty(members: object): boolean {
  for (const _ in members) return false;
  return true;
}
