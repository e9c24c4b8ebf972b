import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';
import { variablesIn } from '../../documents/plan-operation.ts';
import { usedFragments, walkFields } from '../../documents/selections.ts';
import { openSource, type SourceOptions } from '../../engine/open-source.ts';
import { gatewayError } from '../../errors/gateway-error.ts';
import { printJson } from '../../json/exact-json.ts';
import type { OpenLedgerStream } from '../../ledger/ledger-streams.ts';
import { createCancellation } from '../../upstream/cancellation.ts';
import type { FairTurns } from '../../upstream/fair-turns.ts';
import {
  type OperationContext,
  type PushedItems,
  type ResumableItem,
  type ResumableResult,
  resumeCursorKey,
  toQuotaGroups,
} from '../../upstream/operation-context.ts';
import type { ExecuteOwn } from '../execute-own.ts';
import { type OperationRun, toFailure } from '../open-operation.ts';
import type { ItemStream, LedgerPart, OpenStream, PreparedOperation, RequestVariables } from '../prepared-operation.ts';
import { failAll, settleAnswer, toLedgerPost } from '../run-plan.ts';
import {
  ResultStream,
  type ResultStreamOptions,
  ResultText,
  type ResultTexts,
  type SharedPrinting,
  type SharedResults,
} from './result-stream.ts';

/**
 * Runs a subscription until its source ends or its client leaves. Each item is executed as an operation of its own, in its
 * caller's turn and only when the client is ready for it, so a slow client delays no other.
 * @param bounds timeout for the joins of one item, in milliseconds, and the bytes of the whole request
 */
export async function runStream(
  operation: PreparedOperation,
  variables: RequestVariables,
  run: OperationRun,
  { itemTimeoutMs, requestBytes }: { readonly itemTimeoutMs: number; readonly requestBytes: number },
  turns: Pick<FairTurns, 'run'>,
): Promise<ExecutionResult | ResultStream> {
  const opened = refuseLongRequest(requestBytes) ?? (await openStream(operation, variables, run.context));
  if (!('items' in opened)) return opened;
  return new StreamRun(opened, operation, variables.values, run, itemTimeoutMs, turns).stream;
}

/** An open stream. One object, since there may be ten thousand. */
class StreamRun implements ResultStreamOptions {
  readonly stream: ResultStream;
  readonly items: PushedItems;
  readonly shared: SharedPrinting | null;
  readonly #opened: ItemStream;
  readonly #operation: PreparedOperation;
  readonly #values: RequestVariables['values'];
  readonly #run: OperationRun;
  readonly #itemTimeoutMs: number;
  readonly #turns: Pick<FairTurns, 'run'>;
  /** One item at a time waits, so one listener for the whole stream is enough. */
  #abandon: (() => void) | null = null;
  #stopWaiting: (() => void) | null = null;

  constructor(
    opened: ItemStream,
    operation: PreparedOperation,
    values: RequestVariables['values'],
    run: OperationRun,
    itemTimeoutMs: number,
    turns: Pick<FairTurns, 'run'>,
  ) {
    this.items = opened.items;
    this.shared = operation.plan === 'LOCAL' ? sharePrinting(opened, run) : null;
    this.#opened = opened;
    this.#operation = operation;
    this.#values = values;
    this.#run = run;
    this.#itemTimeoutMs = itemTimeoutMs;
    this.#turns = turns;
    this.stream = new ResultStream(this);
    const { caller, cancellation } = run.context;
    if (caller.validity) this.#stopWaiting = caller.validity.onEnd(() => this.stream.stop(withdrawn()));
    // Calls back at once if the client has left already.
    cancellation.onCancel(() => {
      this.stream.leave();
      this.#abandon?.();
    });
  }

  async toResult(item: object): Promise<ExecutionResult> {
    const { context } = this.#run;
    const result = this.#operation.hasJoins
      ? await executeJoined((each, joined) => this.#execute(each, joined), item, context, this.#itemTimeoutMs)
      : await this.#execute(item, context);
    const shown = this.#run.tidy(result.errors ? settleAnswer(this.#operation, this.#values, result) : result);
    return context.streamSlot ? withCursor(shown, item as ResumableItem) : shown;
  }

  #execute(item: unknown, context: OperationContext): ExecutionResult | Promise<ExecutionResult> {
    const { caller, cancellation } = this.#run.context;
    const execute = () => (cancellation.cause ? {} : this.#opened.execute(item, context));
    return this.#turns.run(caller.rate.key, this, execute);
  }

  onGone(abandon: () => void): void {
    this.#abandon = abandon;
  }

  toFault(error: unknown): unknown {
    return this.#run.tidy(toFailure(error)).errors?.[0];
  }

  onEnd(errors: number): void {
    this.#stopWaiting?.();
    // Cancels the requests of its joins.
    this.#run.leave();
    this.#run.end();
    this.#run.complete(errors);
  }
}

async function openStream(operation: PreparedOperation, variables: RequestVariables, context: OperationContext) {
  const parts = operation.parts();
  if (parts.kind !== 'stream') throw new Error('the operation is not a subscription');
  return parts.open(variables, context);
}

function withdrawn(): Error {
  return gatewayError('UNAUTHENTICATED', 'The credential of this stream is no longer valid.');
}

function withCursor(result: ExecutionResult & ResumableResult, item: ResumableItem): ExecutionResult {
  const cursor = item[resumeCursorKey]?.();
  if (cursor !== undefined) result[resumeCursorKey] = cursor;
  return result;
}

/** Executes an item with joins. Their ledger requests have their own timeout, and count against the caller's rate limit. */
export async function executeJoined(
  execute: (item: unknown, context: OperationContext) => ExecutionResult | Promise<ExecutionResult>,
  item: unknown,
  context: OperationContext,
  timeoutMs: number,
): Promise<ExecutionResult> {
  await mayJoin(context);
  const cancellation = createCancellation(timeoutMs);
  const stopListening = context.cancellation.onCancel((cause) => cancellation.cancel(cause));
  try {
    return await execute(item, { ...context, cancellation });
  } finally {
    stopListening();
    cancellation.finish();
  }
}

/** Longest wait before the rate limit is checked again. */
const longestWaitMs = 60_000;

/**
 * Charges one point for an item with joins. Over the rate limit the item waits; late items are reported as missed, since a
 * stream has no response to reject.
 */
async function mayJoin({ charge, cancellation }: OperationContext): Promise<void> {
  while (charge && !cancellation.cause) {
    const refusal = await charge(1);
    if (!refusal) return;
    const { retryAfterMs = 1_000 } = (refusal as { extensions?: { retryAfterMs?: number } }).extensions ?? {};
    const waitMs = Math.min(Math.max(retryAfterMs, 1_000), longestWaitMs);
    await delay(waitMs, undefined, { signal: cancellation.signal }).catch(() => {});
  }
}

/** @returns `null` where the results of a stream belong to it alone */
export function sharePrinting(
  { execute, share }: Pick<ItemStream, 'execute' | 'share'>,
  run: Pick<OperationRun, 'context' | 'tidy'>,
): SharedPrinting | null {
  return share ? new PrintedResults(execute, run, share(JSON.stringify(run.tidy({})))) : null;
}

/**
 * Prints the results of a stream without joins for all streams that send the same. Only usage and errors are specific to a
 * caller: errors contain the id of its request.
 */
class PrintedResults implements SharedPrinting {
  readonly results: SharedResults;
  readonly #execute: ItemStream['execute'];
  readonly #run: Pick<OperationRun, 'context' | 'tidy'>;

  constructor(execute: ItemStream['execute'], run: Pick<OperationRun, 'context' | 'tidy'>, results: SharedResults) {
    this.#execute = execute;
    this.#run = run;
    this.results = results;
  }

  print(item: object): ResultText | null {
    try {
      const result = this.#execute(item, this.#run.context);
      if (!(result instanceof Promise)) {
        return result.errors
          ? null
          : new ResultText(printJson(this.#run.tidy(result)), (item as ResumableItem)[resumeCursorKey]);
      }
      // Each stream executes it again, and reports the failure.
      result.catch(() => {});
      return null;
    } catch {
      return null;
    }
  }
}

/**
 * Bytes of a subscription request. All of it may be kept in memory while the stream is open, and there may be thousands of
 * streams. A filter with a hundred tests takes a third of it.
 */
const maxBytes = 64 * 1024;

function refuseLongRequest(bytes: number): ExecutionResult | null {
  if (bytes <= maxBytes) return null;
  const says = `A subscription comes in at most ${maxBytes} bytes, with its variables and extensions.`;
  return { errors: [gatewayError('PAYLOAD_TOO_LARGE', says)] };
}

interface OpenStreamOptions extends SourceOptions {
  readonly execute: ExecuteOwn;
  /** Results printed once for all streams that send the same. */
  readonly printed: ResultTexts;
}

export function createOpenStream({ execute, printed, ...source }: OpenStreamOptions): OpenStream {
  const join = printed.ofDocument();
  const resultVariables = findResultVariables(source);
  return async ({ values }, context) => {
    const opened = await openSource(source, values, context);
    if (!('items' in opened)) return opened;
    return {
      items: opened.items as PushedItems,
      execute: (item, itemContext) => execute(values, itemContext, item),
      share: (rest) => join(printJson([rest, ...resultVariables.map((name) => valueFor(values, name))])),
    };
  };
}

/** A variable without a value may stand where an argument has a default, unlike one that is null. */
function valueFor(variables: Readonly<Record<string, unknown>>, name: string): readonly unknown[] {
  return Object.hasOwn(variables, name) ? [variables[name]] : [];
}

/**
 * Names of the variables that decide the result of a known item: all but those in the arguments of the root field, which decide
 * which items there are.
 */
export function findResultVariables({
  operation: { selectionSet },
  fragments,
}: Pick<SourceOptions, 'operation' | 'fragments'>): readonly string[] {
  const names: string[] = [];
  walkFields([{ selectionSet, on: null }], fragments, {
    isIncluded: ({ directives = [] }) => {
      names.push(...directives.flatMap(variablesIn));
      return true;
    },
    onField: ({ selectionSet: below }) => {
      if (below) names.push(...[below, ...usedFragments(below, fragments)].flatMap(variablesIn));
    },
  });
  return [...new Set(names)].sort();
}

/** Opens a subscription of the ledger, and forwards its results and its end. */
export function createOpenLedgerStream(
  operation: PreparedOperation,
  part: LedgerPart,
  open: OpenLedgerStream,
): OpenStream {
  return async ({ sent, values }, { caller }) => {
    const fail = (error: unknown) => failAll(error, operation, values);
    try {
      const group = caller.live && toQuotaGroups(caller.live).streams;
      const results = open({ ...toLedgerPost(part, operation.name, sent), caller: caller.rate.key, group });
      return { items: withFailure(results, fail), execute: forwardItem };
    } catch (error) {
      return fail(error);
    }
  };
}

/** Turns a failure of the stream into its last result. */
function withFailure(
  results: ReturnType<OpenLedgerStream>,
  toResult: (error: unknown) => ExecutionResult,
): PushedItems<ExecutionResult> {
  return {
    pushTo: (reader) =>
      results.pushTo({
        get isReady() {
          return reader.isReady;
        },
        take: (result) => reader.take(result),
        end: () => reader.end(),
        fail(error) {
          reader.take(toResult(error));
          reader.end();
        },
      }),
    resume: () => results.resume(),
    leave: () => results.leave(),
    stop: (why) => results.stop(why),
  };
}

const forwardItem = ((item: unknown) => item) as ItemStream['execute'];
