import { base58, base64 } from '@scure/base';
import { kindFailure, parseFailure } from './parse-failure.ts';

const digestBytes = 32;

/** `0x` and 1 to 64 hexadecimal digits → `0x` and 64 in lower case. */
export function parseLedgerAddress(value: unknown): string {
  if (typeof value !== 'string') throw kindFailure('LedgerAddress', value);
  if (!value.startsWith('0x')) throw parseFailure('LedgerAddress', 'Invalid LedgerAddress. Missing 0x prefix.');
  const digits = value.slice(2);
  if (digits.length === 0 || digits.length > 64) {
    throw parseFailure(
      'LedgerAddress',
      `Expected LedgerAddress string with between 1 and 64 digits (32 bytes), received ${digits.length}`,
    );
  }
  const wrong = digits.search(/[^0-9a-fA-F]/);
  if (wrong >= 0) {
    throw parseFailure('LedgerAddress', `Invalid character '${digits[wrong]}' at position ${wrong + 2}`);
  }
  return `0x${digits.toLowerCase().padStart(64, '0')}`;
}

/** A JSON number, whole and not negative. Above 2^53-1 it is no longer exact and is refused. */
export function parseUInt53(value: unknown): number {
  if (typeof value !== 'number') throw kindFailure('UInt53', value);
  if (!Number.isSafeInteger(value) || value < 0) throw parseFailure('UInt53', 'Expected an unsigned integer.');
  return value;
}

/** Standard base64 with padding → bytes. */
export function parseBase64(value: unknown): Uint8Array {
  if (typeof value !== 'string') throw kindFailure('Base64', value);
  try {
    return base64.decode(value);
  } catch (error) {
    throw parseFailure('Base64', reasonOf(error));
  }
}

/** Base58 of 32 bytes, as it came. */
export function parseDigest(value: string): string {
  let bytes: Uint8Array;
  try {
    bytes = base58.decode(value);
  } catch (error) {
    throw parseFailure('String', `Invalid digest: ${reasonOf(error)}`);
  }
  if (bytes.length !== digestBytes) {
    throw parseFailure('String', `Expected digest to be ${digestBytes} bytes but got ${bytes.length}`);
  }
  return value;
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
