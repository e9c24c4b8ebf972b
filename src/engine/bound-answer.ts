import type { ExecutionResult } from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';
import { isLonger } from '../json/is-longer.ts';
import type { OperationContext } from '../upstream/operation-context.ts';

/**
 * In characters. What an upstream says once can be asked for under hundreds of names, for each of fifty items; writing it all
 * out would hold up everybody else, and beyond half a gigabyte there is no text that long.
 */
const maxAnswerCharacters = 16 * 1024 * 1024;
/** The largest event has a tenth of it, and the largest transaction with its effects less than half. */
const maxItemCharacters = 4 * 1024 * 1024;
/** Below it even three hundred names for everything that was read come to no such answer. */
const harmlessBytes = maxAnswerCharacters / 300;

type Execute = (
  variables: Readonly<Record<string, unknown>>,
  context: OperationContext,
  rootValue?: unknown,
) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Refuses answers that would be too long, before they are written.
 * @param isAlwaysMeasured for what may answer more than upstreams were heard to say just now: what is remembered, and joins
 */
export function boundAnswer(execute: Execute, isAlwaysMeasured: boolean): Execute {
  return bound(execute, maxAnswerCharacters, isAlwaysMeasured ? 0 : harmlessBytes);
}

/** The same for results of a stream: each of its items is one, and there may be many in a second. */
export function boundItemAnswer(execute: Execute): Execute {
  return bound(execute, maxItemCharacters, 0);
}

/** @param leastBytes of what was read: less is not measured */
function bound(execute: Execute, most: number, leastBytes: number): Execute {
  return (variables, context, rootValue) => {
    const check = (result: ExecutionResult): ExecutionResult => {
      if (leastBytes > 0 && context.cancellation.bytesRead < leastBytes) return result;
      return isLonger(result.data, most) ? tooLong(most) : result;
    };
    const result = execute(variables, context, rootValue);
    return result instanceof Promise ? result.then(check) : check(result);
  };
}

function tooLong(most: number): ExecutionResult {
  const message = `The answer would be longer than ${most} characters: ask for less, or for the same under fewer names. What a mutation did is done.`;
  return { data: null, errors: [gatewayError('PAYLOAD_TOO_LARGE', message)] };
}
