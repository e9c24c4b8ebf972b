import type { ExecutionResult } from 'graphql';
import type { Usage } from '../limits/usage.ts';

/** Adds what the operation cost to what else the answer's extensions say. */
export function withUsage<Result extends ExecutionResult>(result: Result, usage: Usage): Result {
  return { ...result, extensions: { ...result.extensions, usage } };
}
