import type { ExecutionResult } from 'graphql';
import { printJson } from '../../json/exact-number.ts';
import type { Usage } from '../../limits/usage.ts';
import type { CancelCause } from '../../transport/cancellation.ts';
import type { RawCall, RawResponse } from '../../transport/raw-call.ts';
import { toGatewayError } from '../../transport/to-gateway-error.ts';
import { toWhole } from '../../transport/upstream-call.ts';
import type { AnswerEnding } from './answer-ending.ts';
import { AnswerStream, type StreamedAnswer } from './answer-stream.ts';
import { findPlainEnd, hasPlainHead } from './find-plain-end.ts';
import type { SettleErrors } from './judge-tail.ts';
import { parseLedgerAnswer } from './ledger-answer.ts';
import type { LedgerExecutorOptions } from './ledger-executor.ts';
import { type ChunkedBody, spliceUsage } from './splice-usage.ts';

export interface RawLedgerRequest {
  /** The document as JSON has it, quotes included. */
  readonly queryJson: string;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Is it the client's own? */
  readonly isClientsText: boolean;
  /** How a whole answer to it ends. */
  readonly ending: AnswerEnding;
  /** Of a mutation the outcome would be unknown: once it is sent it is never cut short. */
  readonly isMutation: boolean;
  /** Spliced into a plain answer; `null` = not asked for. */
  readonly usage: Usage | null;
  /** May a large answer be passed on as it comes? Never of a mutation: what it did is told whole or not at all. */
  readonly canStream: boolean;
  /** For the errors of an answer that is passed on as it comes. */
  readonly settle?: SettleErrors;
}

export type RawLedgerAnswer =
  | PlainLedgerAnswer
  /** Large, and plain as far as it goes: the rest is passed on as it comes. Giving it up cuts it short. */
  | { readonly kind: 'stream'; readonly body: StreamedAnswer }
  /** Anything else: what the ordinary way makes of it. The function throws where there is no answer. */
  | { readonly kind: 'other'; readonly read: () => ExecutionResult };

/** Data and nothing else: bytes that can be written as they are. */
export class PlainLedgerAnswer {
  readonly kind = 'plain';
  /** As it came, and usage behind it where that was asked for. */
  readonly body: ChunkedBody;
  /** Where what came ends, without its last brace. */
  readonly plainEnd: number;
  readonly #response: RawResponse;

  constructor(response: RawResponse, plainEnd: number, usage: Usage | null) {
    this.#response = response;
    this.plainEnd = plainEnd;
    this.body = usage ? spliceUsage(response, plainEnd, usage) : response;
  }

  /** The same, parsed after all. */
  read(): ExecutionResult {
    // It has no errors that could be anywhere.
    return parseLedgerAnswer(toWhole(this.#response), null);
  }
}

/**
 * Sends a prepared document to the ledger. Returns how to give the answer up; a mutation that was sent goes on all the
 * same.
 */
export type RawLedger = (
  request: RawLedgerRequest,
  answered: (answer: RawLedgerAnswer) => void,
) => (cause: CancelCause) => void;

export type RawLedgerOptions = Omit<LedgerExecutorOptions, 'call'> & { readonly rawCall: RawCall };

const plainJson = /^application\/(?:graphql-response\+)?json(?:\s*;\s*charset="?utf-8"?)?\s*$/i;
/** Answers above this are passed on as they come; below it, collecting costs less and shows the whole answer, in bytes. */
const streamAboveBytes = 1024 * 1024;

export function createRawLedger({ rawCall, path, versionHeader, version, timeouts }: RawLedgerOptions): RawLedger {
  return (
    { queryJson, operationName, variables, isMutation, usage, canStream, settle, ending, isClientsText },
    answered,
  ) => {
    const named = operationName === null ? '' : `,"operationName":${JSON.stringify(operationName)}`;
    const readText = isClientsText ? () => JSON.parse(queryJson) as string : null;
    const underWay = rawCall(
      {
        method: 'POST',
        path,
        headers: ['content-type', 'application/json', 'accept', 'application/json'],
        body: `{"query":${queryJson},"variables":${printJson(variables)}${named}}`,
        timeoutMs: isMutation ? timeouts.mutationMs : timeouts.queryMs,
        runOnMs: isMutation ? timeouts.mutationMs : undefined,
        isShareable: !isMutation,
        streamAboveBytes: canStream && !isMutation ? streamAboveBytes : Number.POSITIVE_INFINITY,
      },
      {
        answered: (response) => {
          version.observe(response.headers.get(versionHeader));
          const plainEnd = isPlain(response) ? findPlainEnd(response, ending) : null;
          if (plainEnd === null)
            answered({ kind: 'other', read: () => parseLedgerAnswer(toWhole(response), readText) });
          else answered(new PlainLedgerAnswer(response, plainEnd, usage));
        },
        stream: (begun, resume) => {
          if (!canStream || isMutation || !isPlain(begun) || !hasPlainHead(begun)) return null;
          version.observe(begun.headers.get(versionHeader));
          const body = new AnswerStream(begun, usage, resume, readText, settle);
          answered({ kind: 'stream', body });
          return body;
        },
        failed: (error) =>
          answered({
            kind: 'other',
            read: () => {
              throw toGatewayError(error, 'ledger');
            },
          }),
      },
    );
    return (cause) => underWay.cancel(cause);
  };
}

/** Only framing tells that an answer is whole, so one that just ends where the connection does is looked into. */
function isPlain({ status, headers }: RawResponse): boolean {
  const type = headers.get('content-type');
  return (
    status === 200 &&
    typeof type === 'string' &&
    (type === 'application/json' || plainJson.test(type)) &&
    headers.get('content-encoding') === undefined &&
    (headers.get('content-length') !== undefined || headers.get('transfer-encoding') !== undefined)
  );
}
