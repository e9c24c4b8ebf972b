import type { ExecutionResult, GraphQLError } from 'graphql';
import { withUsage } from '../documents/cost/usage.ts';
import { toExtensions } from '../errors/gateway-error.ts';
import { withExtensions } from '../errors/light-error.ts';
import type { StreamedAnswer } from '../ledger/answers/answer-stream.ts';
import type { ChunkedBody } from '../ledger/answers/data-extent.ts';
import { maxLoggedName } from '../telemetry/request-line.ts';
import { createCancellation, type OpenCancellation } from '../upstream/cancellation.ts';
import type { FairTurns } from '../upstream/fair-turns.ts';
import type { OperationContext } from '../upstream/operation-context.ts';
import type { AdmitOperation, AdmittedOperation, ServerContext } from './admit-operation.ts';

export interface OperationOptions {
  /** Milliseconds from the arrival of an operation. */
  readonly timeouts: { readonly queryMs: number; readonly mutationMs: number };
  readonly turns: Pick<FairTurns, 'run' | 'runNext' | 'now'>;
  /** Charges for additional work of operations. Left out: it is free. */
  readonly charge?: AdmitOperation['charge'];
  readonly maskError?: (error: unknown, requestId: string, isMutation: boolean) => GraphQLError;
}

/**
 * Opens an operation: starts its deadline and its record for the log. If the client leaves, reads are cancelled. A mutation
 * that was sent runs on; one that was not is never sent.
 */
export function createOpenOperation({ timeouts, turns, charge, maskError }: OperationOptions) {
  return (server: ServerContext, admitted: AdmittedOperation): OperationRun => {
    const { caller } = admitted;
    const timeoutMs = timeoutOf(admitted, timeouts);
    const leftMs = timeoutMs && timeoutMs - waitedMs(server, turns);
    const cancellation = createCancellation(leftMs);
    if (leftMs !== undefined && leftMs <= 0) cancellation.cancel('timeout');
    cancellation.held = server.held;
    cancellation.trace = server.trace;
    cancellation.caller = caller.rate.key;
    const context: OperationContext = {
      requestId: server.requestId,
      cancellation,
      caller,
      // Bound, because a function made here would keep the whole admission, variables included.
      charge: charge?.bind(null, server, caller),
      streamSlot: server.streamSlot,
    };
    const run = new OperationRun(context, cancellation, server, admitted, maskError);
    server.onGone(() => {
      run.leave();
      run.complete(0);
    });
    return run;
  };
}

/** An open operation. It does not keep its variables, because a stream stays open for days. */
export class OperationRun {
  readonly context: OperationContext;
  readonly operation: AdmittedOperation['operation'];
  readonly usage: AdmittedOperation['usage'];
  readonly #cancellation: OpenCancellation;
  readonly #server: ServerContext;
  readonly #maskError: OperationOptions['maskError'];
  #isComplete = false;

  constructor(
    context: OperationContext,
    cancellation: OpenCancellation,
    server: ServerContext,
    { operation, usage }: Pick<AdmittedOperation, 'operation' | 'usage'>,
    maskError: OperationOptions['maskError'],
  ) {
    this.context = context;
    this.operation = operation;
    this.usage = usage;
    this.#cancellation = cancellation;
    this.#server = server;
    this.#maskError = maskError;
  }

  /** Stops the deadline. Must be called however the operation ends; safe to call twice. */
  end(): void {
    this.#cancellation.finish();
  }

  /** Cancels the operation: its client has left. */
  leave(): void {
    this.#cancellation.cancel('aborted');
  }

  /** Writes the record for the log once: the response is complete, or the client has left. */
  complete(errors: number): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    recordOperation(this.#server, this.context.caller, this, this.#cancellation.calls, errors);
  }

  tidy(result: ExecutionResult): ExecutionResult {
    return formatResult(result, this.#server, this, this.#maskError);
  }
}

/** `undefined` for a stream, which has no deadline. */
export function timeoutOf(
  { operation: { type } }: AdmittedOperation,
  { queryMs, mutationMs }: OperationOptions['timeouts'],
): number | undefined {
  return type === 'subscription' ? undefined : type === 'mutation' ? mutationMs : queryMs;
}

/**
 * Shorter waits are ignored: every operation has one, and Node keeps a list of timers for each length of timeout. In
 * milliseconds.
 */
const usualWaitMs = 20;

/** Milliseconds that an operation has waited for its turn; 0 if it hardly waited. */
export function waitedMs({ arrivedAt }: Pick<ServerContext, 'arrivedAt'>, turns: Pick<FairTurns, 'now'>): number {
  const waited = turns.now() - arrivedAt;
  return waited < usualWaitMs ? 0 : Math.ceil(waited);
}

/** Puts a result into the form that clients see: each error on its own, request errors marked, usage if asked for. */
export function formatResult(
  result: ExecutionResult,
  { requestId, showUsage }: Pick<ServerContext, 'requestId' | 'showUsage'>,
  { usage, operation: { type } }: Pick<AdmittedOperation, 'usage' | 'operation'>,
  maskError: OperationOptions['maskError'],
): ExecutionResult {
  const shown = showUsage ? usage : null;
  if (!result.errors) return withUsage(result, shown);
  const all = result.errors;
  const errors = maskError ? all.map((error) => maskError(error, requestId, type === 'mutation')) : all;
  // Without data nothing was executed: the variables do not fit, or an argument is out of range.
  return withUsage({ ...result, errors: result.data === undefined ? errors.map(asVariableError) : errors }, shown);
}

/**
 * Writes the log record of an operation. Call once: when its response is complete or its client has left.
 * @param calls to upstreams, begun for the operation
 * @param errors how many the response has
 */
export function recordOperation(
  server: ServerContext,
  { id }: AdmittedOperation['caller'],
  { usage, operation: { type, plan, name: fullName } }: Pick<AdmittedOperation, 'usage' | 'operation'>,
  calls: number,
  errors: number,
  isFromMemory = false,
): void {
  const name = fullName === null ? null : fullName.slice(0, maxLoggedName);
  // Two literals, because an object spread costs as much as the rest of the record.
  server.operations.push(
    isFromMemory
      ? { caller: id, name, type, plan, errors, calls, usage, from: 'memory' }
      : { caller: id, name, type, plan, errors, calls, usage },
  );
}

function asVariableError(error: GraphQLError): GraphQLError {
  const { code = 'BAD_USER_INPUT' } = error.extensions;
  if (code !== 'BAD_USER_INPUT') return error;
  return withExtensions(error, { ...toExtensions(code, error.extensions), http: { spec: true, status: 400 } });
}

/** How an operation ended for a transport that writes bytes and forwards answers without parsing them. */
export type UnreadOutcome =
  | { readonly kind: 'bytes'; readonly body: ChunkedBody }
  | { readonly kind: 'text'; readonly text: string }
  /** A large response, to be written as it arrives. */
  | { readonly kind: 'stream'; readonly body: StreamedAnswer }
  /** Made by the gateway, or with errors; as clients see it. */
  | { readonly kind: 'result'; readonly result: ExecutionResult }
  | { readonly kind: 'gone' };

/** The result of an operation that threw. */
export function toFailure(error: unknown): ExecutionResult {
  return { errors: [error as GraphQLError] };
}

/** Passes the answer of an operation to `done`; a failure becomes a result with one error. */
export async function passResult(
  answer: Promise<ExecutionResult | ChunkedBody>,
  operation: Pick<OperationRun, 'tidy' | 'complete'>,
  done: (outcome: UnreadOutcome) => void,
): Promise<void> {
  const answered = await answer.catch(toFailure);
  if ('chunks' in answered) {
    operation.complete(0);
    return done({ kind: 'bytes', body: answered });
  }
  const result = operation.tidy(answered);
  operation.complete(result.errors?.length ?? 0);
  done({ kind: 'result', result });
}
