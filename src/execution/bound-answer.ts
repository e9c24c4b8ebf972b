import type { ExecutionResult } from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';
import { isLonger } from '../json/is-longer.ts';
import type { OperationContext } from '../subschemas/operation-context.ts';

/**
 * In characters. What an upstream says once can be asked for under hundreds of names, for each of fifty items; writing it all
 * out would hold up everybody else, and beyond half a gigabyte there is no text that long.
 */
const maxAnswerCharacters = 16 * 1024 * 1024;
/** Below it even three hundred names for everything that was read come to no such answer. */
const harmlessBytes = maxAnswerCharacters / 300;

type Execute = (
  variables: Readonly<Record<string, unknown>>,
  context: OperationContext,
) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Refuses answers that would be too long, before they are written.
 * @param isAlwaysMeasured for what may answer more than upstreams were heard to say just now: what is remembered, and joins
 */
export function boundAnswer(execute: Execute, isAlwaysMeasured: boolean): Execute {
  return (variables, context) => {
    const check = (result: ExecutionResult): ExecutionResult => {
      if (!isAlwaysMeasured && context.cancellation.bytesRead < harmlessBytes) return result;
      return isLonger(result.data, maxAnswerCharacters) ? tooLong() : result;
    };
    const result = execute(variables, context);
    return result instanceof Promise ? result.then(check) : check(result);
  };
}

function tooLong(): ExecutionResult {
  const bound = `${maxAnswerCharacters} characters`;
  const message = `The answer would be longer than ${bound}: ask for less, or for the same under fewer names. What a mutation did is done.`;
  return { data: null, errors: [gatewayError('PAYLOAD_TOO_LARGE', message)] };
}
