import type { ExecutionResult } from 'graphql';
import type { OperationRun } from './open-operation.ts';
import type { UnreadOutcome } from './operation-answer.ts';

/** Tells the result that an operation comes to, or why there is none. */
export async function tellResult(
  answer: Promise<ExecutionResult>,
  { tidy, complete }: Pick<OperationRun, 'tidy' | 'complete'>,
  done: (outcome: UnreadOutcome) => void,
): Promise<void> {
  let outcome: UnreadOutcome;
  try {
    const result = tidy(await answer);
    complete(result.errors?.length ?? 0);
    outcome = { kind: 'result', result };
  } catch (error) {
    complete(1);
    outcome = { kind: 'failed', error };
  }
  done(outcome);
}
