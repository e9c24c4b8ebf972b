import type { GraphQLError } from 'graphql';
import type { StreamedAnswer } from '../ledger/answers/answer-stream.ts';
import type { RawLedger } from '../ledger/raw-ledger.ts';
import {
  type Complete,
  createComplete,
  lateError,
  type OpenOperation,
  type OperationOptions,
  type Tidy,
  timeoutOf,
  waitedMs,
} from './open-operation.ts';
import type { AdmittedOperation } from './operation-admission.ts';
import type { UnreadOutcome } from './operation-answer.ts';
import type { UnreadWhole } from './prepared-operation.ts';
import { type RunPlan, settleAnswer, settleLedgersAnswer } from './run-plan.ts';
import { runUnreadSplit } from './run-unread-split.ts';
import type { ServerContext } from './server-context.ts';
import { tellResult } from './tell-result.ts';

/**
 * Runs an operation for a shell that writes bytes. Never rejects.
 * @param canStream can the caller be sent an answer whose length is not known?
 * @param done called once, perhaps from within the connection to the ledger
 */
export type RunUnread = (
  admitted: AdmittedOperation,
  server: ServerContext,
  canStream: boolean,
  done: (outcome: UnreadOutcome) => void,
) => Promise<void>;

export interface RunUnreadOptions extends Pick<OperationOptions, 'turns' | 'timeouts'> {
  readonly open: OpenOperation;
  readonly tidy: (server: ServerContext, admitted: AdmittedOperation) => Tidy;
  readonly runPlan: RunPlan;
  readonly ledger: RawLedger;
}

export function createRunUnread(options: RunUnreadOptions): RunUnread {
  const { open, runPlan, ledger, turns, timeouts } = options;
  return async (admitted, server, canStream, done) => {
    const { operation, operationName, variables } = admitted;
    const { errors } = operation.fits(variables) ? {} : operation.coerce(variables);
    if (errors) return refuse(errors, admitted, server, options, done);
    const form = operation.unread();
    if (form?.kind === 'whole') {
      const timeoutMs = timeoutOf(admitted, timeouts) ?? Number.POSITIVE_INFINITY;
      const isLate = waitedMs(server, turns) >= timeoutMs;
      if (!isLate) return runWhole(form, admitted, server, canStream, options, done);
    }
    const run = open(server, admitted);
    const { context } = run;
    const tell = (outcome: UnreadOutcome) =>
      done(context.cancellation.cause === 'aborted' ? { kind: 'gone' } : outcome);
    if (context.cancellation.cause) return tellResult(Promise.reject(lateError()), run, tell);
    if (form?.kind === 'split') return runUnreadSplit(form, admitted, server, run, ledger, tell);
    await tellResult(runPlan({ operation, operationName, variables, context }).finally(run.end), run, tell);
  };
}

/** Tells what is wrong with the variables. Whatever the plan, nothing is executed. */
function refuse(
  errors: readonly GraphQLError[],
  admitted: AdmittedOperation,
  server: ServerContext,
  { tidy }: RunUnreadOptions,
  done: (outcome: UnreadOutcome) => void,
): void {
  createComplete(server, admitted, { calls: 0 })(errors.length);
  done({ kind: 'result', result: tidy(server, admitted)({ errors }) });
}

/** Runs an operation that is a single call to the ledger. Sets no deadline, because the call has one. */
function runWhole(
  { queryJson }: UnreadWhole,
  admitted: AdmittedOperation,
  server: ServerContext,
  canStream: boolean,
  { ledger, tidy }: RunUnreadOptions,
  done: (outcome: UnreadOutcome) => void,
): void {
  const { operation, operationName, variables } = admitted;
  const upstream = { calls: 0, held: server.held };
  const complete = createComplete(server, admitted, upstream);
  const usage = server.showUsage ? admitted.usage : null;
  const ask = operation.immutable?.ask(variables);
  if (ask?.kept) {
    complete(0, true);
    done(ask.kept.write(usage));
    return;
  }
  let isGone = false;
  let giveUp: ReturnType<RawLedger> = () => {};
  server.onGone(() => {
    isGone = true;
    // Record it before `giveUp` makes the answer fail, which would count as an error.
    complete(0);
    giveUp('aborted');
  });
  // The client may have left while the operation was admitted: then begin nothing.
  if (isGone) {
    done({ kind: 'gone' });
    return;
  }
  giveUp = ledger(
    {
      queryJson,
      operationName,
      variables,
      isMutation: operation.type === 'mutation',
      operation: upstream,
      isClientsText: true,
      usage,
      canStream,
      keep: ask?.keep,
      settle: (errors) => settleAnswer(operation, variables, { data: {}, errors }).errors ?? errors,
    },
    (answer) => {
      if (isGone) return done({ kind: 'gone' });
      if (answer.kind === 'stream') return done({ kind: 'stream', body: completing(answer.body, complete) });
      if (answer.kind === 'plain') {
        complete(0);
        return done({ kind: 'bytes', body: answer.body });
      }
      const settled = settleLedgersAnswer(operation, variables, answer.read);
      void tellResult(settled, { tidy: tidy(server, admitted), complete }, done);
    },
  );
}

/** Records a streamed operation at its end, when its errors are known. An answer that breaks off counts as one error. */
function completing(body: StreamedAnswer, complete: Complete): StreamedAnswer {
  return {
    resume: () => body.resume(),
    start: (writer) =>
      body.start({
        write: (bytes) => writer.write(bytes),
        end: (errorCount) => {
          complete(errorCount);
          writer.end(errorCount);
        },
        fail: () => {
          complete(1);
          writer.fail();
        },
      }),
  };
}
