import type { GraphQLError } from 'graphql';
import type { StreamedAnswer } from '../ledger/answers/answer-stream.ts';
import type { RawLedger } from '../ledger/raw-ledger.ts';
import {
  type Complete,
  createComplete,
  createOpenOperation,
  createTidy,
  lateError,
  type OpenOperation,
  type OperationOptions,
  type Tidy,
  timeoutOf,
  waitedMs,
} from './open-operation.ts';
import { type OperationAnswer, tellResult, type UnreadOutcome } from './operation-answer.ts';
import type { AdmittedOperation, UnreadForm } from './prepared-operation.ts';
import { type RunPlan, settleAnswer, settleLedgersAnswer } from './run-plan.ts';
import { runUnreadSplit } from './run-unread-split.ts';
import type { ServerContext } from './server-context.ts';
import { runStream } from './subscriptions/run-stream.ts';

/**
 * The life of an admitted operation, the same for every shell: it gets a deadline, runs by its plan, its errors and usage get
 * the form that clients see, and it is recorded. A shell decides only how the answer leaves.
 */
export interface OperationRunner {
  /** Rejects as `execute` of graphql-js does. */
  run(admitted: AdmittedOperation, server: ServerContext): Promise<OperationAnswer>;
  /** The same for a shell that writes bytes: passes the ledger's answer on without parsing it, where possible. */
  readonly runUnread: RunUnread;
}

export interface OperationRunnerOptions extends OperationOptions {
  readonly runPlan: RunPlan;
  readonly ledger: RawLedger;
}

export function createOperationRunner({ runPlan, ledger, ...options }: OperationRunnerOptions): OperationRunner {
  const { turns } = options;
  const open = createOpenOperation(options);
  const tidy = (server: ServerContext, admitted: AdmittedOperation) => createTidy(server, admitted, options.maskError);
  const runUnread = createRunUnread({ ...options, open, tidy, runPlan, ledger });
  return {
    async run(admitted, server) {
      return turns.run(admitted.caller.rate.key, server, () => runNow(admitted, server));
    },
    async runUnread(admitted, server, canStream, done) {
      return turns.run(admitted.caller.rate.key, server, () => runUnread(admitted, server, canStream, done));
    },
  };

  async function runNow(admitted: AdmittedOperation, server: ServerContext): Promise<OperationAnswer> {
    const run = open(server, admitted);
    const { operation, operationName, variables } = admitted;
    const ask = operation.immutable?.ask(variables) ?? null;
    try {
      if (run.context.cancellation.cause) throw lateError();
      if (operation.openStream) {
        const bounds = { itemTimeoutMs: options.timeouts.queryMs, requestBytes: server.requestBytes ?? 0 };
        return await runStream(operation.openStream(), admitted, run, bounds);
      }
      const request = { operation, operationName, variables, context: run.context, keep: ask?.keep };
      const answer = ask?.kept?.read() ?? (await runPlan(request));
      run.end();
      const result = run.tidy(answer);
      run.complete(result.errors?.length ?? 0, ask?.isFromMemory);
      if (ask?.kept) server.notes?.onKept(ask.kept);
      return result;
    } catch (error) {
      run.end();
      run.complete(1);
      throw error;
    }
  }
}

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
  { queryJson }: UnreadForm,
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
