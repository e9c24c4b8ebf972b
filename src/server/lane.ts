import type { GraphQLError } from 'graphql';
import { withUsage } from '../documents/cost/usage.ts';
import type { AdmitOperation } from '../operation/admit-operation.ts';
import type { UnreadOutcome } from '../operation/operation-answer.ts';
import type { OperationRunner } from '../operation/operation-runner.ts';
import type { OperationRequest } from '../operation/parse-request.ts';
import type { AdmittedOperation } from '../operation/prepared-operation.ts';
import type { ServerContext } from '../operation/server-context.ts';
import type { Caller } from '../upstream/operation-context.ts';

export type LaneOutcome =
  | Exclude<UnreadOutcome, { kind: 'failed' }>
  /** To be opened as an event stream. */
  | { readonly kind: 'subscription'; readonly admitted: AdmittedOperation };

export interface LaneOptions {
  readonly admit: Pick<AdmitOperation, 'decide'>;
  readonly runner: Pick<OperationRunner, 'runUnread'>;
  readonly maskError: (error: unknown, requestId: string) => GraphQLError;
}

/**
 * Admits the operation of a caller who has been counted, and runs it without Yoga, whatever its answer is.
 * @param canStream may the answer have an unknown length?
 * @param done called once, perhaps by the connection to the ledger
 */
export type Lane = (
  request: OperationRequest,
  caller: Caller,
  server: ServerContext,
  canStream: boolean,
  done: (outcome: LaneOutcome) => void,
) => Promise<void>;

export function createLane({ admit, runner, maskError }: LaneOptions): Lane {
  return async (request, caller, server, canStream, done) => {
    const decided = admit.decide(server, caller, request);
    const admission = decided instanceof Promise ? await decided : decided;
    const refuse = (errors: readonly GraphQLError[]) =>
      done({ kind: 'result', result: withUsage({ errors }, server.showUsage ? admission.usage : null) });
    if (admission.kind === 'refused') return refuse(admission.errors);
    if (admission.operation.openStream) return done({ kind: 'subscription', admitted: admission });
    await runner.runUnread(admission, server, canStream, (outcome) => {
      if (outcome.kind === 'failed') refuse([maskError(outcome.error, server.requestId)]);
      else done(outcome);
    });
  };
}
