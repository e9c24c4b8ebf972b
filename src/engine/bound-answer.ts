import type { ExecutionResult } from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';
import { isLonger } from '../json/is-longer.ts';
import type { OperationContext } from '../upstream/operation-context.ts';

/**
 * Characters of a response. A client can ask for one value of an upstream under hundreds of names for each of fifty items;
 * writing that would block the event loop, and JavaScript strings end at half a gigabyte.
 */
const maxAnswerCharacters = 16 * 1024 * 1024;
/**
 * Characters of one result of a stream. The largest event has a tenth of it, the largest transaction with its effects less than
 * half.
 */
const maxItemCharacters = 4 * 1024 * 1024;
/** Bytes read of upstreams below which even three hundred names for everything make no such response. */
const harmlessBytes = maxAnswerCharacters / 300;

type Execute = (
  variables: Readonly<Record<string, unknown>>,
  context: OperationContext,
  rootValue?: unknown,
) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Rejects responses that would be too long, before they are written.
 * @param isAlwaysMeasured for responses that may hold more than upstreams have just sent: cached values and joins
 */
export function boundAnswer(execute: Execute, isAlwaysMeasured: boolean): Execute {
  return bound(execute, maxAnswerCharacters, isAlwaysMeasured ? 0 : harmlessBytes);
}

/** The same for results of a stream, of which there may be many in a second. */
export function boundItemAnswer(execute: Execute): Execute {
  return bound(execute, maxItemCharacters, 0);
}

/** @param leastBytes responses to operations that read less are not measured */
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
