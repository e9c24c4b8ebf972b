import type { ExecutionResult } from 'graphql';
import type { StreamedAnswer } from '../ledger/answers/answer-stream.ts';
import type { ChunkedBody } from '../ledger/answers/plain-answer.ts';
import type { OperationRun } from './open-operation.ts';
import type { ResultReader, ResultStream } from './subscriptions/result-stream.ts';
import type { ResultText } from './subscriptions/shared-results.ts';

/** The answer to an operation: one result, or a stream of them. */
export type OperationAnswer = ExecutionResult | ResultStream | AsyncIterable<ExecutionResult>;

export type { ResultReader, ResultStream, ResultText };

/** How an operation ended for a transport that writes bytes and forwards answers without parsing them. */
export type UnreadOutcome =
  /** The body of the response. */
  | { readonly kind: 'bytes'; readonly body: ChunkedBody }
  | { readonly kind: 'text'; readonly text: string }
  /** A large response, to be written as it arrives. */
  | { readonly kind: 'stream'; readonly body: StreamedAnswer }
  /** Made by the gateway, or with errors. */
  | { readonly kind: 'result'; readonly result: ExecutionResult }
  /** There is no response. */
  | { readonly kind: 'failed'; readonly error: unknown }
  /** The client is gone. */
  | { readonly kind: 'gone' };

/** Hands over the result of an operation, or why there is none. */
export async function tellResult(
  answer: Promise<ExecutionResult>,
  { tidy, complete }: Pick<OperationRun, 'tidy' | 'complete'>,
  done: (outcome: UnreadOutcome) => void,
): Promise<void> {
  let outcome: UnreadOutcome;
  try {
    const result = tidy(await answer);
    complete(result.errors?.length ?? 0);
    outcome = { kind: 'result', result };
  } catch (error) {
    complete(1);
    outcome = { kind: 'failed', error };
  }
  done(outcome);
}
