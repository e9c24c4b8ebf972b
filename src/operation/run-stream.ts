import type { ExecutionResult, GraphQLError } from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';
import { itemPlace, type PlacedItem, type PlacedResult } from '../upstream/item-place.ts';
import type { OperationRun } from './open-operation.ts';
import type { AdmittedOperation } from './operation-admission.ts';
import { settleAnswer } from './run-plan.ts';
import { executeJoined } from './subscriptions/execute-joined.ts';
import type { OpenStream } from './subscriptions/open-stream.ts';
import { ResultStream } from './subscriptions/result-stream.ts';
import { sharePrinting } from './subscriptions/share-printing.ts';
import { refuseLongRequest } from './subscriptions/stream-request-bound.ts';

/**
 * Runs a subscription until its source ends or its client leaves. Each item is executed as an operation of its own, when it
 * is asked for: whoever reads slowly holds up nobody.
 * @param bounds what the joins of one item may take, in milliseconds, and the bytes of the whole request
 */
export async function runStream(
  open: OpenStream,
  { operation, variables }: AdmittedOperation,
  run: OperationRun,
  { itemTimeoutMs, requestBytes }: { readonly itemTimeoutMs: number; readonly requestBytes: number },
): Promise<ExecutionResult | ResultStream> {
  const opened = refuseLongRequest(requestBytes) ?? (await open(variables, run.context));
  if (!('items' in opened)) {
    run.end();
    const result = run.tidy(opened);
    run.complete(result.errors?.length ?? 0);
    return result;
  }
  const isJoined = operation.plan === 'STITCHED';
  const toResult = async (item: unknown): Promise<ExecutionResult> => {
    const result = isJoined
      ? await executeJoined(opened, item, run.context, itemTimeoutMs)
      : await opened.execute(item, run.context);
    const told = run.tidy(result.errors ? settleAnswer(operation, variables, result) : result);
    return run.context.streamPlace ? withPlace(told, item as PlacedItem) : told;
  };
  let stopWaiting = () => {};
  const stream = new ResultStream({
    items: opened.items,
    toResult,
    shared: operation.plan === 'LOCAL' ? sharePrinting(opened, run) : null,
    toFault: (error) => run.tidy({ errors: [error as GraphQLError] }).errors?.[0],
    onEnd: (errors) => {
      stopWaiting();
      // Ends what its joins ask for.
      run.leave();
      run.end();
      run.complete(errors);
    },
  });
  const { validity } = run.context.caller;
  if (validity) stopWaiting = validity.onEnd(() => stream.stop(withdrawn()));
  // Who has left already will not say so again.
  run.context.cancellation.onCancel(() => void stream.return());
  return stream;
}

function withdrawn(): Error {
  return gatewayError('UNAUTHENTICATED', 'The credential that this stream was opened with is not valid any more.');
}

function withPlace(result: ExecutionResult & PlacedResult, item: PlacedItem): ExecutionResult {
  const place = item[itemPlace]?.();
  if (place !== undefined) result[itemPlace] = place;
  return result;
}
