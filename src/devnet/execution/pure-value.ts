import { toAddress } from '../transactions/address.ts';
import { BcsReader } from '../transactions/bcs-reader.ts';
import type { CallParameter } from './ledger-view.ts';

/** A pure argument as JSON, read as the declared type; `undefined` when the bytes are not of it. */
export function readPureValue(bytes: Uint8Array, type: CallParameter['type']): unknown {
  try {
    const reader = new BcsReader(bytes);
    const value = readAs(reader, type);
    reader.end();
    return value;
  } catch {
    return undefined;
  }
}

function readAs(reader: BcsReader, type: CallParameter['type']): unknown {
  switch (type) {
    case 'u8':
      return reader.u8();
    case 'u64':
      return reader.u64().toString();
    case 'bool':
      return reader.bool();
    case 'string':
      return reader.string();
    case 'address':
    case 'object':
      return reader.address();
  }
}

/**
 * A pure argument of unknown type, as far as its bytes tell: text where they are exactly one printable BCS string, else
 * by their length an address, a whole number or a byte, and base64 of what is left.
 */
export function guessPureValue(bytes: Uint8Array): unknown {
  const text = readPureValue(bytes, 'string');
  if (typeof text === 'string' && text !== '' && /^[\p{L}\p{N}\p{P}\p{S}\p{Zs}\n\t]+$/u.test(text)) return text;
  if (bytes.length === 32) return toAddress(bytes);
  if (bytes.length === 1) return bytes[0];
  if ([2, 4, 8, 16].includes(bytes.length)) return readUnsigned(bytes);
  return Buffer.from(bytes).toString('base64');
}

/** Up to 32 bits a number, wider ones decimal text, as in every JSON of the ledger. */
function readUnsigned(bytes: Uint8Array): number | string {
  const value = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  return bytes.length <= 4 ? Number(value) : value.toString();
}
