import type { ExecutionResult } from 'graphql';
import type { OpenLedgerStream } from '../ledger/ledger-streams.ts';
import type { PreparedOperation } from './prepared-operation.ts';
import { failAll, toLedgersPart, valuesOf } from './run-plan.ts';
import type { ItemStream, OpenStream } from './subscriptions/open-stream.ts';
import type { StoppableItems } from './subscriptions/result-stream.ts';

/** Opens a subscription of the ledger: its results are forwarded, and so is what ends it. */
export function createOpenLedgerStream(operation: PreparedOperation, open: OpenLedgerStream): OpenStream {
  return async (variables, { caller }) => {
    const { errors } = operation.fits(variables) ? {} : operation.coerce(variables);
    if (errors) return { errors };
    const fail = (error: unknown) => failAll(error, operation, valuesOf(operation, variables));
    try {
      const part = toLedgersPart(operation, operation.name, variables);
      const results = open({ ...part, caller: caller.rate.key });
      return { items: withFailure(results, fail), execute: passOn };
    } catch (error) {
      return fail(error);
    }
  };
}

/** Turns a failure of the stream into its last result. */
function withFailure(
  results: ReturnType<OpenLedgerStream>,
  toResult: (error: unknown) => ExecutionResult,
): AsyncIterator<ExecutionResult, undefined> & StoppableItems {
  let isOver = false;
  return {
    async next() {
      if (isOver) return { done: true, value: undefined };
      try {
        return await results.next();
      } catch (error) {
        isOver = true;
        await results.return?.();
        return { done: false, value: toResult(error) };
      }
    },
    stop: (why) => results.fail(why),
    async return() {
      isOver = true;
      await results.return?.();
      return { done: true, value: undefined };
    },
  };
}

const passOn = ((item: unknown) => item) as ItemStream['execute'];
