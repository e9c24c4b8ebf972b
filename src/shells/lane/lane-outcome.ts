import type { UnreadOutcome } from '../../operation/operation-answer.ts';
import type { BegunOperation } from '../../operation/server-context.ts';

/** What the lane is asked. */
export interface LaneRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
}

/** What the lane made of it. */
export type LaneOutcome =
  | Extract<UnreadOutcome, { kind: 'bytes' | 'stream' | 'gone' }>
  /** The body of an answer that was made here. */
  | { readonly kind: 'text'; readonly text: string }
  /** Left to Yoga, which goes on from here. */
  | { readonly kind: 'handover'; readonly begun: BegunOperation };
