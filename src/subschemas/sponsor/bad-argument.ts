import type { GraphQLError } from 'graphql';
import { gatewayError } from '../../errors/gateway-error.ts';

/** Shorter than any signature or transaction, so that neither is ever repeated whole. */
const maxShownLength = 24;

/** `BAD_USER_INPUT` that names argument, value and rule; a long value is shown by its beginning and its length. */
export function badArgument(argument: string, value: string, rule: string): GraphQLError {
  const shown =
    value.length > maxShownLength
      ? `${JSON.stringify(value.slice(0, maxShownLength))}… (${value.length} characters)`
      : JSON.stringify(value);
  return gatewayError('BAD_USER_INPUT', `Argument "${argument}" has value ${shown}: ${rule}.`, { argument });
}
