import { bcs } from '@mysten/bcs';
import { hash256 } from '../../transactions/digest.ts';
import { ledgerBcs, toAddress } from '../../transactions/ledger-bcs.ts';
import { typeTagBcs } from '../../transactions/transaction-bcs.ts';
import { type ObjectDraft, toObjectBcs } from '../execution/move-object.ts';
import { toWellKnownAddress } from '../transactions/address.ts';
import { encodeBcs } from '../transactions/encode-bcs.ts';
import { parseTypeTag } from '../transactions/type-text.ts';

/** First byte of what is hashed to the id of a dynamic field. */
const childObjectScope = Uint8Array.of(0xf0);

const string = bcs.string();
const { u64 } = ledgerBcs;

export interface TypedValue {
  readonly type: string;
  readonly json: unknown;
  readonly bcs: Uint8Array;
}

/** The id of the field called `name` below `parent`, as the network derives it. */
function toDynamicFieldId(parent: string, name: Pick<TypedValue, 'type' | 'bcs'>): string {
  const parentId = encodeBcs(ledgerBcs.address, parent);
  const length = encodeBcs(u64, name.bcs.length);
  const type = encodeBcs(typeTagBcs, parseTypeTag(name.type));
  return toAddress(hash256(childObjectScope, parentId, length, name.bcs, type));
}

/** A dynamic field: an object owned by its parent that holds a name and a value. */
export function createDynamicField(parent: string, name: TypedValue, value: TypedValue): ObjectDraft {
  const objectId = toDynamicFieldId(parent, name);
  return {
    objectId,
    type: `${toWellKnownAddress(2)}::dynamic_field::Field<${name.type},${value.type}>`,
    owner: { kind: 'object', address: parent },
    json: { id: objectId, name: name.json, value: value.json },
    bcs: toObjectBcs(objectId, name.bcs, value.bcs),
    balance: null,
  };
}

export function toTypedString(text: string): TypedValue {
  const type = `${toWellKnownAddress(1)}::string::String`;
  return { type, json: text, bcs: encodeBcs(string, text) };
}

export function toTypedU64(value: bigint): TypedValue {
  return { type: 'u64', json: value.toString(), bcs: encodeBcs(u64, value) };
}
