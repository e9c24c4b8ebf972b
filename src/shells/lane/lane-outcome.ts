import type { BegunOperation } from '../../operation/handover.ts';
import type { StreamedAnswer } from '../../subschemas/ledger/answer-stream.ts';
import type { ChunkedBody } from '../../subschemas/ledger/splice-usage.ts';

/** What the lane is asked. */
export interface LaneRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
}

/** What the lane made of it. */
export type LaneOutcome =
  /** The body of the answer, to be written as it is. */
  | { readonly kind: 'plain'; readonly body: ChunkedBody }
  /** The same, where it was made here. */
  | { readonly kind: 'text'; readonly text: string }
  /** A large answer, to be written as it comes. */
  | { readonly kind: 'stream'; readonly body: StreamedAnswer }
  /** To be finished by the ordinary way, which goes on from here. */
  | { readonly kind: 'handover'; readonly begun: BegunOperation }
  /** The caller is gone. */
  | { readonly kind: 'gone' };
