import type { ExecutionResult } from 'graphql';
import { printJson } from '../../json/exact-number.ts';
import { itemPlace, type PlacedItem } from '../../upstream/item-place.ts';
import type { OperationContext } from '../../upstream/operation-context.ts';
import type { ItemStream } from './open-stream.ts';
import { arePushed, type SharedPrinting } from './result-stream.ts';
import { ResultText } from './shared-results.ts';

/** The operation that one of the streams runs as. */
interface StreamRun {
  readonly context: OperationContext;
  /** A result as its client sees it. */
  readonly tidy: (result: ExecutionResult) => ExecutionResult;
}

/**
 * Prints the results of a stream without joins for all that are told the same. Nothing in them is of one caller alone, but for its
 * usage, and for errors, which hold the id of its request.
 * @returns `null` where that is impossible
 */
export function sharePrinting(
  { items, execute, share }: ItemStream,
  { context, tidy }: StreamRun,
): SharedPrinting | null {
  if (!share || !arePushed(items)) return null;
  return {
    results: share(JSON.stringify(tidy({}))),
    print(item) {
      try {
        const result = execute(item, context);
        if (!(result instanceof Promise)) {
          return result.errors ? null : new ResultText(printJson(tidy(result)), (item as PlacedItem)[itemPlace]);
        }
        // It is executed again by each, and may fail there.
        result.catch(() => {});
        return null;
      } catch {
        return null;
      }
    },
  };
}
