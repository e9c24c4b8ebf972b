import type { ExecutionResult } from 'graphql';
import { withUsage } from '../documents/cost/usage.ts';
import type { StreamedAnswer } from '../ledger/answers/answer-stream.ts';
import type { RawLedger } from '../ledger/raw-ledger.ts';
import {
  type Complete,
  createComplete,
  lateError,
  type OpenOperation,
  type OperationOptions,
  timeoutOf,
  waitedMs,
} from './open-operation.ts';
import type { AdmittedOperation } from './operation-admission.ts';
import type { UnreadOutcome } from './operation-answer.ts';
import type { UnreadWhole } from './prepared-operation.ts';
import { type RunPlan, settleAnswer } from './run-plan.ts';
import { runUnreadSplit } from './run-unread-split.ts';
import type { ServerContext } from './server-context.ts';

/**
 * Runs an operation for a shell that writes bytes.
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
  readonly runPlan: RunPlan;
  readonly ledger: RawLedger;
}

export function createRunUnread({ open, runPlan, ledger, turns, timeouts }: RunUnreadOptions): RunUnread {
  return async (admitted, server, canStream, done) => {
    const form = admitted.operation.unread();
    if (form?.kind === 'whole') {
      const timeoutMs = timeoutOf(admitted, timeouts) ?? Number.POSITIVE_INFINITY;
      if (waitedMs(server, turns) >= timeoutMs) return done({ kind: 'unfinished', answer: isLate });
      return runWhole(form, admitted, server, canStream, ledger, done);
    }
    const run = open(server, admitted);
    const { cause } = run.context.cancellation;
    if (cause) run.end();
    if (cause === 'aborted') return done({ kind: 'gone' });
    if (cause === 'timeout') return done({ kind: 'unfinished', answer: isLate });
    if (form?.kind === 'split') return runUnreadSplit(form, admitted, server, run, ledger, done);
    const { operation, operationName, variables } = admitted;
    const { context } = run;
    const answer = await runPlan({ operation, operationName, variables, context, answered: null }).then(
      (result) => () => result,
      (error: unknown) => () => {
        throw error;
      },
    );
    run.end();
    if (context.cancellation.cause === 'aborted') return done({ kind: 'gone' });
    const data = toPlainData(answer);
    run.complete(data ? 0 : null);
    if (data) return done({ kind: 'result', result: withUsage({ data }, server.showUsage ? admitted.usage : null) });
    done({ kind: 'unfinished', answer });
  };
}

function isLate(): never {
  throw lateError();
}

/** Runs an operation that is a single call to the ledger. Sets no deadline, because the call has one. */
function runWhole(
  { queryJson, ending }: UnreadWhole,
  admitted: AdmittedOperation,
  server: ServerContext,
  canStream: boolean,
  ledger: RawLedger,
  done: (outcome: UnreadOutcome) => void,
): void {
  const { operation, operationName, variables } = admitted;
  const complete = createComplete(server, admitted);
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
      isClientsText: true,
      ending,
      usage,
      canStream,
      keep: ask?.keep,
      settle: (errors) => settleAnswer(operation, variables, { data: {}, errors }).errors ?? errors,
    },
    (answer) => {
      if (isGone) return done({ kind: 'gone' });
      if (answer.kind === 'stream') return done({ kind: 'stream', body: completing(answer.body, complete) });
      complete(answer.kind === 'plain' ? 0 : null);
      if (answer.kind === 'plain') done({ kind: 'bytes', body: answer.body });
      else done({ kind: 'unfinished', answer: answer.read });
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

/** The data of an answer without errors; `null` for any other. */
function toPlainData(answer: () => ExecutionResult): ExecutionResult['data'] {
  try {
    const { data, errors } = answer();
    return errors ? null : data;
  } catch {
    return null;
  }
}
