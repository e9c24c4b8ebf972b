import type { Usage } from './usage.ts';

/**
 * Adds to an answer what the operation cost, where that was asked for. Usage stands in the extensions alone: what an
 * upstream says in the extensions of its own answer is about its own request, and is shown nowhere.
 * @param usage `null` = not asked for, or nothing was counted
 */
export function withUsage<Result extends object>(result: Result, usage: Usage | null): Result {
  return usage ? { ...result, extensions: { usage } } : result;
}

/** The same as JSON has it behind another member of an answer, comma included; empty where usage is not asked for. */
export function toUsageMember(usage: Usage | null): string {
  return usage ? `,"extensions":{"usage":${JSON.stringify(usage)}}` : '';
}
