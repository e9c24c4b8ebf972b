import type { ObjectDraft } from '../execution/move-object.ts';
import { toAddress, toWellKnownAddress } from '../transactions/address.ts';
import { BcsWriter } from '../transactions/bcs-writer.ts';
import { hash256 } from '../transactions/digest.ts';
import { parseTypeTag, writeTypeTag } from '../transactions/type-tag.ts';

/** Hashing scope of the ids of dynamic fields. */
const childObjectScope = Uint8Array.of(0xf0);

export interface TypedValue {
  readonly type: string;
  readonly json: unknown;
  readonly bcs: Uint8Array;
}

/** The id of the field called `name` below `parent`, as the network derives it. */
export function toDynamicFieldId(parent: string, name: Pick<TypedValue, 'type' | 'bcs'>): string {
  const writer = new BcsWriter().fixed(childObjectScope).address(parent).u64(name.bcs.length).fixed(name.bcs);
  writeTypeTag(writer, parseTypeTag(name.type));
  return toAddress(hash256(writer.toBytes()));
}

/** A dynamic field: an object owned by its parent that holds a name and a value. */
export function createDynamicField(parent: string, name: TypedValue, value: TypedValue): ObjectDraft {
  const objectId = toDynamicFieldId(parent, name);
  return {
    objectId,
    type: `${toWellKnownAddress(2)}::dynamic_field::Field<${name.type},${value.type}>`,
    owner: { kind: 'object', address: parent },
    json: { id: objectId, name: name.json, value: value.json },
    bcs: new BcsWriter().address(objectId).fixed(name.bcs).fixed(value.bcs).toBytes(),
    balance: null,
  };
}

export function toTypedString(text: string): TypedValue {
  const type = `${toWellKnownAddress(1)}::string::String`;
  return { type, json: text, bcs: new BcsWriter(64).string(text).toBytes() };
}

export function toTypedU64(value: bigint): TypedValue {
  return { type: 'u64', json: value.toString(), bcs: new BcsWriter(8).u64(value).toBytes() };
}
