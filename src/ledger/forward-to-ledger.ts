import type { ExecutionResult } from 'graphql';
import type { Cancellation } from '../upstream/cancellation.ts';
import { toGatewayError } from '../upstream/upstream-call-error.ts';
import type { ChunkedBody } from './answers/find-plain-end.ts';
import { parseLedgerAnswer } from './answers/ledger-answer.ts';
import type { LedgerExecutorOptions } from './ledger-executor.ts';
import { createToLedgerPost } from './ledger-post.ts';
import { isPlain } from './raw-ledger.ts';

export interface ForwardRequest {
  /** The document, sent as it is. */
  readonly text: string;
  /** Did the client write it? Only then do error locations in it mean anything to the client. */
  readonly isClientsText: boolean;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
  /**
   * A mutation is not sent once the operation is over. One that was sent is never cut short: its outcome would be
   * unknown.
   */
  readonly isMutation: boolean;
  readonly cancellation: Cancellation;
  /** Given a complete JSON answer as it came, whatever is in it. */
  readonly keep?: ((body: ChunkedBody) => void) | undefined;
}

/** Sends a document to the ledger unchanged. Rejects with a catalogued error when there is no answer. */
export type ForwardToLedger = (request: ForwardRequest) => Promise<ExecutionResult>;

export function createForwardToLedger({
  call,
  versionHeader,
  version,
  ...options
}: LedgerExecutorOptions): ForwardToLedger {
  const toPost = createToLedgerPost(options);
  return async ({ text, isClientsText, operationName, variables, isMutation, cancellation, keep }) => {
    try {
      const post = toPost({ queryJson: JSON.stringify(text), variables, operationName, isMutation }, cancellation);
      const response = await call(post);
      version.observe(response.headers.get(versionHeader));
      if (keep && isPlain(response)) keep({ chunks: [response.body], size: response.body.length });
      return parseLedgerAnswer(response, isClientsText ? () => text : null);
    } catch (error) {
      throw toGatewayError(error, 'ledger');
    }
  };
}
