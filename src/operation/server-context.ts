import type { Standing } from '../callers/caller-gate.ts';
import type { Sender } from '../callers/identify-caller.ts';
import type { AnswerNotes } from '../ledger/immutable/answer-notes.ts';
import type { OperationFacts } from '../telemetry/request-record.ts';
import type { Held } from '../upstream/cancellation.ts';
import type { Caller, StreamPlace } from '../upstream/operation-context.ts';
import type { OperationAdmission } from './prepared-operation.ts';

/** What the listener knows about a request before GraphQL does. */
export interface ServerContext {
  readonly requestId: string;
  readonly sender: Sender;
  /** Monotonic milliseconds. Deadlines count from here. */
  readonly arrivedAt: number;
  /** Has the client left? */
  readonly isGone: () => boolean;
  /** Calls back when the client leaves; immediately if it has left. May also call back after the response was sent. */
  readonly onGone: (giveUp: () => void) => void;
  /**
   * Returns the caller that was counted before the request was read, and then `null`: the first operation of a batch takes that
   * count, and each other one is counted by itself.
   */
  readonly takeCounted?: () => Caller | null;
  /** Key for the caller's turns. Left out where no response is written for it as a whole. */
  readonly turnKey?: string;
  /** Called with the caller's remaining rate limit, each time it was counted. */
  readonly onStanding: (standing: Standing) => void;
  /** Bytes of the request's body or message; left out where that cannot be long. */
  readonly requestBytes?: number;
  /** Memory of that body or message, counted until the operation is over. */
  held?: Held | undefined;
  /** Does the client want usage in the response? */
  readonly showUsage: boolean;
  /** Entries of the request's log line, one for each complete operation. */
  readonly operations: OperationFacts[];
  /** Cursor of a stream whose transport keeps it for the client. */
  readonly streamPlace?: StreamPlace | undefined;
  /** Collects facts for the response headers. Left out for responses without headers. */
  readonly notes?: AnswerNotes;
  /** Error codes of the response, for the same line. */
  readonly codes: string[];
  /** What was decided before Yoga was called. Left out for a batch: Yoga decides about each entry. */
  readonly admission?: OperationAdmission;
}
