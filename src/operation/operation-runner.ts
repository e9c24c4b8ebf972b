import type { ExecutionResult } from 'graphql';
import type { StreamedAnswer } from '../ledger/answers/answer-stream.ts';
import type { ChunkedBody } from '../ledger/answers/data-extent.ts';
import type { CacheLookup } from '../ledger/immutable/immutable-reads.ts';
import type { RawLedger, RawLedgerAnswer } from '../ledger/raw-ledger.ts';
import { startPeerTimeout } from '../upstream/peer-timeout.ts';
import { type AdmittedOperation, lateError, type ServerContext } from './admit-operation.ts';
import {
  createOpenOperation,
  formatResult,
  type OperationOptions,
  passResult,
  recordOperation,
  timeoutOf,
  toFailure,
  type UnreadOutcome,
  waitedMs,
} from './open-operation.ts';
import { type ForwardForm, noVariables, type RequestVariables } from './prepared-operation.ts';
import { type RunPlan, settleAnswer, settleLedgersAnswer } from './run-plan.ts';
import { ResultStream } from './subscriptions/result-stream.ts';
import { runStream } from './subscriptions/run-stream.ts';

export type OperationRunner = ReturnType<typeof createOperationRunner>;

/**
 * Runs an operation for a transport that writes bytes: forwards the ledger's answer without parsing it, where possible. Returns
 * a promise only if the operation waits for its turn, or is executed here.
 * @param canStream the client can receive an answer of unknown length
 * @param done called once, perhaps from within the connection to the ledger
 */
type RunUnparsed = (
  admitted: AdmittedOperation,
  server: ServerContext,
  canStream: boolean,
  done: (outcome: UnreadOutcome) => void,
) => void | Promise<void>;

interface OperationRunnerOptions extends OperationOptions {
  readonly runPlan: RunPlan;
  readonly ledger: RawLedger;
}

/**
 * The life of an admitted operation, the same for every transport: wait for its turn, run its plan within the timeout, format
 * errors and usage for clients, and write its log record. A transport decides only how to send the response.
 */
export function createOperationRunner({ runPlan, ledger, ...options }: OperationRunnerOptions) {
  const { turns, timeouts, maskError } = options;
  const open = createOpenOperation(options);
  /** Opens a subscription, or resolves with the errors that reject it. */
  const subscribe = async (
    admitted: AdmittedOperation,
    server: ServerContext,
  ): Promise<ExecutionResult | ResultStream> =>
    turns.run(admitted.caller.rate.key, server, () => subscribeNow(admitted, server));
  const runUnparsed: RunUnparsed = (admitted, server, canStream, done) =>
    turns.run(admitted.caller.rate.key, server, () => runUnparsedNow(admitted, server, canStream, done));
  /** Resolves with the bytes of an answer, or with a result that is to be printed. Never rejects. */
  const runWhole = (admitted: AdmittedOperation, server: ServerContext): Promise<ExecutionResult | ChunkedBody> =>
    new Promise((resolve) => {
      const fail = (error: unknown) => resolve(formatResult(toFailure(error), server, admitted, maskError));
      const done = (outcome: UnreadOutcome): void => {
        if (outcome.kind === 'bytes') resolve(outcome.body);
        else if (outcome.kind === 'text') resolve(toChunkedBody(outcome.text));
        else if (outcome.kind === 'result') resolve(outcome.result);
        // Nothing is sent to a client that has left.
        else if (outcome.kind === 'gone') resolve({ data: null });
        else fail(new Error('an answer is streamed that must be whole'));
      };
      (async () => runUnparsed(admitted, server, false, done))().catch(fail);
    });
  return { subscribe, runUnparsed, runWhole };

  async function subscribeNow(admitted: AdmittedOperation, server: ServerContext) {
    const run = open(server, admitted);
    const { operation, variables } = admitted;
    const begin = async () => {
      const { errors, values } = operation.coerce?.(variables) ?? noVariables;
      if (errors) return { errors };
      const bounds = { itemTimeoutMs: timeouts.queryMs, requestBytes: server.requestBytes ?? 0 };
      return runStream(operation, { sent: variables, values }, run, bounds, turns);
    };
    const begun = await begin().catch(toFailure);
    if (begun instanceof ResultStream) return begun;
    run.end();
    const result = run.tidy(begun);
    run.complete(result.errors?.length ?? 0);
    return result;
  }

  function runUnparsedNow(...[admitted, server, canStream, done]: Parameters<RunUnparsed>): void | Promise<void> {
    const { operation, operationName, variables } = admitted;
    const { errors, values } = operation.coerce?.(variables) ?? noVariables;
    if (errors) {
      // Nothing is executed, whatever the plan.
      recordOperation(server, admitted.caller, admitted, 0, errors.length);
      return done({ kind: 'result', result: formatResult({ errors }, server, admitted, maskError) });
    }
    const form = operation.unread;
    if (form) {
      const waited = waitedMs(server, turns);
      const leftMs = (timeoutOf(admitted, timeouts) ?? Number.POSITIVE_INFINITY) - waited;
      if (leftMs > 0) return forward(form, values, waited === 0 ? null : leftMs, admitted, server, canStream, done);
    }
    const run = open(server, admitted);
    const { context } = run;
    const pass = (outcome: UnreadOutcome) =>
      done(context.cancellation.cause === 'aborted' ? { kind: 'gone' } : outcome);
    if (context.cancellation.cause) return passResult(Promise.reject(lateError()), run, pass);
    const usage = server.showUsage ? admitted.usage : null;
    const answer = runPlan({ operation, operationName, variables: { sent: variables, values }, context, usage });
    return passResult(
      answer.finally(() => run.end()),
      run,
      pass,
    );
  }

  /**
   * Runs an operation that is a single call to the ledger.
   * @param values coerced variables
   * @param leftMs until its deadline; `null` = that of the call is enough, because the operation has hardly waited
   */
  function forward(
    { queryJson, ledgerVariables }: ForwardForm,
    values: RequestVariables['values'],
    leftMs: number | null,
    ...[admitted, server, canStream, done]: Parameters<RunUnparsed>
  ): void {
    const { operation, operationName, variables } = admitted;
    const upstream = { calls: 0, held: server.held, trace: server.trace, caller: admitted.caller.rate.key };
    let stopDeadline = () => {};
    let isComplete = false;
    const complete = (errors: number, isFromMemory = false): void => {
      stopDeadline();
      if (!isComplete) recordOperation(server, admitted.caller, admitted, upstream.calls, errors, isFromMemory);
      isComplete = true;
    };
    const usage = server.showUsage ? admitted.usage : null;
    const ask = operation.immutable?.ask(variables);
    if (ask?.kept) {
      complete(0, true);
      server.notes?.onKept(ask.kept);
      done(ask.kept.write(usage));
      return;
    }
    let isGone = false;
    let abandon: ReturnType<RawLedger> = () => {};
    server.onGone(() => {
      isGone = true;
      // Record it before `giveUp` makes the response fail, which would count as an error.
      complete(0);
      abandon('aborted');
    });
    // The client may have left during admission: then begin nothing.
    if (isGone) {
      done({ kind: 'gone' });
      return;
    }
    const deliver = (answer: RawLedgerAnswer): void => {
      if (isGone) {
        done({ kind: 'gone' });
        return;
      }
      if (answer.kind === 'stream') {
        done({ kind: 'stream', body: completing(answer.body, complete) });
        return;
      }
      if (answer.kind === 'plain') {
        complete(0);
        if (server.notes && ask && usage === null) noteKept(server.notes, ask, answer.body);
        done({ kind: 'bytes', body: answer.body });
        return;
      }
      const end = answer.size > longAnswerBytes ? answer.end?.() : null;
      if (end) {
        complete(end.errorCount);
        done({ kind: 'bytes', body: end.body });
        return;
      }
      const settle = () => settleLedgersAnswer(operation, values, answer.read);
      const ahead = answer.parseAhead?.((work) => turns.runNext(admitted.caller.rate.key, server, work)) ?? null;
      void passResult(
        ahead ? ahead.then(settle) : settle(),
        { tidy: (result) => formatResult(result, server, admitted, maskError), complete },
        done,
      );
    };
    if (leftMs !== null) stopDeadline = startPeerTimeout(leftMs, () => abandon('timeout'));
    abandon = ledger(
      {
        queryJson,
        operationName: ledgerVariables ? null : operationName,
        variables: ledgerVariables ? ledgerVariables(variables) : variables,
        isMutation: operation.type === 'mutation',
        operation: upstream,
        isClientsText: ledgerVariables === null,
        usage,
        canStream,
        keep: server.notes && usage === null ? undefined : ask?.keep,
        settle: (errors) => settleAnswer(operation, values, { data: {}, errors }).errors ?? errors,
      },
      (answer) => {
        if (answer.kind === 'stream' || sizeOf(answer) <= longAnswerBytes) return deliver(answer);
        // Many requests may share a long response, and writing it to each takes time.
        void turns.run(admitted.caller.rate.key, server, () => deliver(answer));
      },
    );
  }
}

function toChunkedBody(text: string): ChunkedBody {
  const bytes = Buffer.from(text);
  return { chunks: [bytes], size: bytes.length };
}

/** Bytes above which a response is written in a turn of its caller. */
const longAnswerBytes = 64 * 1024;

function sizeOf(answer: Exclude<RawLedgerAnswer, { kind: 'stream' }>): number {
  return answer.kind === 'plain' ? answer.body.size : answer.size;
}

/** Keeps a response before it is written, because its headers say so. A response with usage is for its caller alone. */
function noteKept(notes: NonNullable<ServerContext['notes']>, ask: CacheLookup, body: ChunkedBody): void {
  ask.keep(body);
  if (ask.kept) notes.onKept(ask.kept);
}

/** Records a streamed operation at its end, when its errors are known. A broken response counts as one error. */
function completing(body: StreamedAnswer, complete: (errors: number) => void): StreamedAnswer {
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
