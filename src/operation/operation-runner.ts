import type { RawLedger } from '../ledger/raw-ledger.ts';
import { createOpenOperation, createTidy, lateError, type OperationOptions } from './open-operation.ts';
import type { AdmittedOperation } from './operation-admission.ts';
import type { OperationAnswer } from './operation-answer.ts';
import type { RunPlan } from './run-plan.ts';
import { runStream } from './run-stream.ts';
import { createRunUnread, type RunUnread } from './run-unread.ts';
import type { ServerContext } from './server-context.ts';

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
