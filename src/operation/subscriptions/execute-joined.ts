import type { ExecutionResult } from 'graphql';
import { type Cancellation, createCancellation } from '../../upstream/cancellation.ts';
import type { OperationContext } from '../../upstream/operation-context.ts';
import type { ItemStream } from './open-stream.ts';

/**
 * Executes an item with joins. They ask the ledger: in a time of their own, and against the caller's limit.
 * @param timeoutMs what they may take, in milliseconds
 */
export async function executeJoined(
  { execute }: ItemStream,
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

/** The longest wait before a caller is looked at again, in seconds. */
const longestWaitSeconds = 60;

/**
 * Counts an item that is joined as one attempt. A caller that is over its limit gets it later, and what it cannot get in time
 * is told as missed: a stream has no answer that could be refused.
 */
async function mayJoin({ charge, cancellation }: OperationContext): Promise<void> {
  while (charge && !cancellation.cause) {
    const refusal = await charge(1);
    if (!refusal) return;
    const { retryAfterSeconds } = (refusal as { extensions?: { retryAfterSeconds?: number } }).extensions ?? {};
    await pause(Math.min(Math.max(retryAfterSeconds ?? 1, 1), longestWaitSeconds) * 1_000, cancellation);
  }
}

function pause(ms: number, cancellation: Cancellation): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      stopListening();
      resolve();
    }, ms);
    const stopListening = cancellation.onCancel(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
