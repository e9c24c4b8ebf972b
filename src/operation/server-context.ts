import type { ExecutionResult } from 'graphql';
import type { Standing } from '../admission/caller-gate.ts';
import type { Sender } from '../admission/identify-caller.ts';
import type { AnswerNotes } from '../immutable/answer-notes.ts';
import type { Caller } from '../subschemas/operation-context.ts';
import type { OperationFacts } from '../telemetry/events.ts';
import type { OperationAdmission } from './operation-admission.ts';

/** What the listener knows of a request before GraphQL does. */
export interface ServerContext {
  readonly requestId: string;
  readonly sender: Sender;
  /** Is nobody there any more to take the answer? */
  readonly isGone: () => boolean;
  /** Calls back when nobody is there any more, at once if that is so already; perhaps also after the answer. */
  readonly onGone: (giveUp: () => void) => void;
  /**
   * The caller, where it was counted before anything of its request was read. One operation takes it: of a batch the first;
   * each other one is counted by itself. `null` once it is taken.
   */
  readonly takeCounted?: () => Caller | null;
  /** Told where the caller stands, each time that was counted. */
  readonly onStanding: (standing: Standing) => void;
  /** Is the caller to be told what the operation cost? */
  readonly showUsage: boolean;
  /** One for each operation that is complete, for the one log line of the request. */
  readonly operations: OperationFacts[];
  /** What the answer says of itself, where it leaves with headers. */
  readonly notes?: AnswerNotes;
  /** Of the errors its caller is told, for the same line; a shell notes them as they leave. */
  readonly codes: string[];
  /** Where the lane leaves an operation to Yoga, what it has done of it. Yoga alone reads it. */
  readonly begun?: BegunOperation;
}

/** What the lane has done of an operation that Yoga finishes. */
export interface BegunOperation {
  /** The caller has been counted, and is not counted again. */
  readonly admission: OperationAdmission;
  /** What came of executing it; throws where there is no answer. `null`: it has not been executed. */
  readonly answer: (() => ExecutionResult) | null;
}
