import type { TypeTag } from '../../../transactions/transaction-bcs.ts';
import { serviceFault } from '../arguments/parse-failure.ts';

const widths: Readonly<Record<string, number>> = {
  bool: 1,
  u8: 1,
  u16: 2,
  u32: 4,
  u64: 8,
  u128: 16,
  u256: 32,
  address: 32,
  signer: 32,
};

/** Structs whose layout every node knows: text is a vector of bytes, an object id an address. */
const byteStrings = new Set(['string::String', 'ascii::String']);
const addressLike = new Set(['object::ID', 'object::UID']);

/** How many bytes a value takes from an offset on. Names of dynamic fields are of types this can tell. */
export function bcsLength(tag: TypeTag, bytes: Uint8Array, offset: number): number {
  if (tag.kind === 'primitive') return widths[tag.name] ?? 0;
  if (tag.kind === 'vector') return vectorLength(tag.element, bytes, offset);
  const name = `${tag.struct.module}::${tag.struct.name}`;
  if (byteStrings.has(name)) return vectorLength({ kind: 'primitive', name: 'u8' }, bytes, offset);
  if (addressLike.has(name)) return 32;
  throw serviceFault(`layout of ${name} is not known here`);
}

function vectorLength(element: TypeTag, bytes: Uint8Array, offset: number): number {
  let count = 0;
  let at = offset;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = bytes[at];
    if (byte === undefined) throw serviceFault('a Move value ends early');
    at += 1;
    count += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  for (let index = 0; index < count; index += 1) at += bcsLength(element, bytes, at);
  return at - offset;
}
