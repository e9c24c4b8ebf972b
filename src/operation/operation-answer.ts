import type { ExecutionResult } from 'graphql';
import type { StreamedAnswer } from '../answers/answer-stream.ts';
import type { ChunkedBody } from '../answers/find-plain-end.ts';

/** What an operation gives: one result, or one after the other as long as somebody listens. */
export type OperationAnswer = ExecutionResult | AsyncIterable<ExecutionResult>;

/** How an answer leaves that nobody need read: as bytes, or as a result that has data and nothing to complain of. */
export type UnreadOutcome =
  /** The body of the answer, to be written as it is. */
  | { readonly kind: 'bytes'; readonly body: ChunkedBody }
  | { readonly kind: 'text'; readonly text: string }
  /** A large answer, to be written as it comes. */
  | { readonly kind: 'stream'; readonly body: StreamedAnswer }
  | { readonly kind: 'result'; readonly result: ExecutionResult }
  /** Anything else, not complete yet: to be run again, by `run`, with this answer. It throws where there is none. */
  | { readonly kind: 'unfinished'; readonly answer: () => ExecutionResult }
  /** The caller is gone. */
  | { readonly kind: 'gone' };
