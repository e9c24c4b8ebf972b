import { base58 } from '@scure/base';
import type { GraphQLError } from 'graphql';
import { gatewayError } from '../../errors/gateway-error.ts';
import { printJson } from '../../json/exact-json.ts';
import { isMoveIdentifier, toCanonicalAddress, toCanonicalStructType } from './move-types.ts';

/**
 * Checks the form of argument values before an upstream call. Each returns the canonical text of the value, or throws
 * `BAD_USER_INPUT` with argument, value and rule.
 */

export function checkAddress(argument: string, value: string): string {
  return toCanonicalAddress(value) ?? refuseArgument(argument, value, 'must be 0x and 1 to 64 hex digits');
}

export function checkDigest(argument: string, value: string): string {
  return isDigest(value) ? value : refuseArgument(argument, value, 'must be a digest: base58 of 32 bytes');
}

/** The name of a Move module, function or struct. */
export function checkIdentifier(argument: string, value: string): string {
  if (isMoveIdentifier(value)) return value;
  return refuseArgument(
    argument,
    value,
    'must be a Move identifier: letters, digits and _, not beginning with a digit, at most 128',
  );
}

export function checkStructType(argument: string, value: string): string {
  return (
    toCanonicalStructType(value) ?? refuseArgument(argument, value, 'must be a struct type, package::module::Struct')
  );
}

export function checkStructTypeOrName(argument: string, value: string): string {
  if (isMoveIdentifier(value)) return value;
  const rule = 'must be the name of a struct, or its type, package::module::Struct';
  return toCanonicalStructType(value) ?? refuseArgument(argument, value, rule);
}

/** A u64 as decimal text without leading zeros. */
export function checkU64Text(argument: string, value: string): string {
  if (isU64Text(value)) return value;
  return refuseArgument(argument, value, 'must be a whole number from 0 to 2^64-1 as decimal text');
}

export function checkUInt53(argument: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  return refuseArgument(argument, value, 'must be a whole number from 0 to 2^53-1');
}

/** @throws `BAD_USER_INPUT` that names the argument, the rule it breaks, and its value, shortened */
export function refuseArgument(argument: string, value: unknown, rule: string): never {
  throw argumentError(argument, `Argument '${argument}' ${rule}; got ${shorten(value)}.`);
}

export function argumentError(argument: string, message: string): GraphQLError {
  return gatewayError('BAD_USER_INPUT', message, { argument });
}

export function isDigest(text: string): boolean {
  // 32 bytes take at most 44 digits. Longer text is not decoded, since that costs its length squared.
  if (text.length > 44) return false;
  try {
    return base58.decode(text).length === 32;
  } catch {
    return false;
  }
}

export function isU64Text(text: string): boolean {
  return /^(0|[1-9][0-9]{0,19})$/.test(text) && BigInt(text) < 2n ** 64n;
}

const maxShownCharacters = 64;

function shorten(value: unknown): string {
  // Truncate before escaping: the text may be a megabyte, and many fields may get it.
  const shown = typeof value === 'string' ? value.slice(0, maxShownCharacters) : value;
  const text = shown === undefined ? String(shown) : printJson(shown);
  return text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text;
}
