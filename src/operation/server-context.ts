import type { Standing } from '../callers/caller-gate.ts';
import type { Sender } from '../callers/identify-caller.ts';
import type { AnswerNotes } from '../ledger/immutable/answer-notes.ts';
import type { OperationFacts } from '../telemetry/request-record.ts';
import type { Held } from '../upstream/cancellation.ts';
import type { Caller, StreamPlace } from '../upstream/operation-context.ts';
import type { OperationAdmission } from './prepared-operation.ts';

/** What the listener knows of a request before GraphQL does. */
export interface ServerContext {
  readonly requestId: string;
  readonly sender: Sender;
  /** Monotonic milliseconds: its deadlines count from then. */
  readonly arrivedAt: number;
  /** Has the client left? */
  readonly isGone: () => boolean;
  /** Calls back when the client leaves, at once if it has already. May also call back after the answer was sent. */
  readonly onGone: (giveUp: () => void) => void;
  /**
   * Returns the caller, who was counted once before the request was read, and then `null`: of a batch, the first operation
   * takes that count, and each other one is counted by itself.
   */
  readonly takeCounted?: () => Caller | null;
  /** Under which its caller is served in turn. Left out where no answer is written for it as a whole. */
  readonly turnKey?: string;
  /** Called with what the caller has left of its rate limit, each time it was counted. */
  readonly onStanding: (standing: Standing) => void;
  /** Bytes of the body or message that it came in; left out where that cannot be long. */
  readonly requestBytes?: number;
  /** Memory of that body or message, counted until the operation is over. */
  held?: Held | undefined;
  /** Is the caller to be told what the operation cost? */
  readonly showUsage: boolean;
  /** For the request's log line: one entry for each complete operation. */
  readonly operations: OperationFacts[];
  /** Of a stream whose client's transport keeps it. */
  readonly streamPlace?: StreamPlace | undefined;
  /** Collects what the answer's headers say about it. Left out for answers without headers. */
  readonly notes?: AnswerNotes;
  /** Of the errors its caller is told, for the same line; a shell notes them as they leave. */
  readonly codes: string[];
  /** What was decided before Yoga was called. Left out for a batch: Yoga decides about each entry. */
  readonly admission?: OperationAdmission;
}
