import { type BcsType, bcs } from '@mysten/bcs';
import { ledgerBcs, parseBcs, toAddress } from '../../transactions/ledger-bcs.ts';
import type { CallParameter } from './ledger-view.ts';

/** The types whose values are read as JSON writes them: a u64 as decimal text. */
const pureTypes: Readonly<Record<CallParameter['type'], Pick<BcsType<unknown>, 'read'>>> = {
  u8: bcs.u8(),
  u64: bcs.u64(),
  bool: bcs.bool(),
  string: bcs.string(),
  address: ledgerBcs.address,
  object: ledgerBcs.address,
};

/** Reads a pure argument of a known type as JSON; `undefined` if the bytes are not of that type. */
export function readPureValue(bytes: Uint8Array, type: CallParameter['type']): unknown {
  try {
    return parseBcs(pureTypes[type], bytes);
  } catch {
    return undefined;
  }
}

/**
 * Guesses the JSON of a pure argument of unknown type from its bytes: text if they are exactly one printable BCS
 * string, else by their length an address, a whole number or a byte, else base64.
 */
export function guessPureValue(bytes: Uint8Array): unknown {
  const text = readPureValue(bytes, 'string');
  if (typeof text === 'string' && text !== '' && /^[\p{L}\p{N}\p{P}\p{S}\p{Zs}\n\t]+$/u.test(text)) return text;
  if (bytes.length === 32) return toAddress(bytes);
  if (bytes.length === 1) return bytes[0];
  if ([2, 4, 8, 16].includes(bytes.length)) return readUnsigned(bytes);
  return Buffer.from(bytes).toString('base64');
}

/** Numbers of up to 32 bits are JSON numbers, wider ones decimal text, as in all JSON of the ledger. */
function readUnsigned(bytes: Uint8Array): number | string {
  const value = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  return bytes.length <= 4 ? Number(value) : value.toString();
}
