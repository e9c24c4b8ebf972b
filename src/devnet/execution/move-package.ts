import { bcs } from '@mysten/bcs';
import { ledgerBcs } from '../../transactions/ledger-bcs.ts';
import { encodeBcs } from '../transactions/encode-bcs.ts';
import type { ObjectDraft } from './move-object.ts';

const movePackage = bcs.struct('MovePackage', {
  id: ledgerBcs.address,
  version: bcs.u64(),
  modules: bcs.vector(bcs.struct('Module', { name: bcs.string(), bytes: bcs.byteVector() })),
});

/** A package from published bytecode. */
export function createPackage(packageId: string, version: number, modules: readonly Uint8Array[]): ObjectDraft {
  const named = modules.map((bytes, index) => ({ name: readModuleName(bytes) ?? `module_${index}`, bytes }));
  return toPackage(packageId, version, named);
}

/** A package of modules whose names are known. `json` is `{ id, version, modules: [name] }`. */
export function toPackage(
  packageId: string,
  version: number,
  modules: readonly { readonly name: string; readonly bytes: Uint8Array }[],
): ObjectDraft {
  return {
    objectId: packageId,
    type: 'package',
    owner: { kind: 'immutable' },
    json: { id: packageId, version: version.toString(), modules: modules.map(({ name }) => name) },
    bcs: encodeBcs(movePackage, { id: packageId, version, modules }),
    balance: null,
  };
}

const moduleMagic = Buffer.from('a11ceb0b', 'hex');
const moduleHandleTable = 0x01;
const identifierTable = 0x07;

/**
 * The name in a compiled Move module; `undefined` if the bytes are not one. Reads only the parts of the format that
 * lead to it: the table directory, the module's own handle, and the identifier it points to.
 */
function readModuleName(bytes: Uint8Array): string | undefined {
  try {
    const module = Buffer.from(bytes);
    if (!module.subarray(0, 4).equals(moduleMagic)) return undefined;
    const cursor = { at: 8 };
    const tables = new Map<number, { offset: number; length: number }>();
    const count = readUleb(module, cursor);
    for (let index = 0; index < count; index += 1) {
      const kind = module.readUInt8(cursor.at++);
      tables.set(kind, { offset: readUleb(module, cursor), length: readUleb(module, cursor) });
    }
    const contents = cursor.at;
    const handles = tables.get(moduleHandleTable);
    const identifiers = tables.get(identifierTable);
    if (!handles || !identifiers) return undefined;
    // The index of the module's own handle comes after the last table.
    const end = Math.max(...[...tables.values()].map(({ offset, length }) => contents + offset + length));
    const own = readUleb(module, { at: end });
    const handle = { at: contents + handles.offset };
    for (let skipped = 0; skipped < own; skipped += 1) {
      readUleb(module, handle);
      readUleb(module, handle);
    }
    readUleb(module, handle);
    const nameIndex = readUleb(module, handle);
    const name = { at: contents + identifiers.offset };
    for (let index = 0; index < nameIndex; index += 1) {
      const skipped = readUleb(module, name);
      name.at += skipped;
    }
    const length = readUleb(module, name);
    const text = module.toString('utf8', name.at, name.at + length);
    return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

function readUleb(bytes: Buffer, cursor: { at: number }): number {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = bytes.readUInt8(cursor.at++);
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return value;
  }
  throw new RangeError('length is over 32 bits');
}
