import type { DynamicFieldName } from '../../generated/ledger.ts';
import type { LedgerReader } from '../../state/ledger-state.ts';
import type { ObjectRecord } from '../../state/records.ts';
import { parseTypeTag, toTypeText } from '../../transactions/type-text.ts';
import { withinInput } from '../arguments/parse-failure.ts';
import { parseBase64 } from '../arguments/parse-scalars.ts';
import { requireAvailable } from '../history/visible-history.ts';
import type { DynamicFieldModel } from '../models.ts';
import type { TypeLimits } from '../moves/parse-type.ts';
import { parseExactType } from '../moves/type-filter.ts';
import { bcsLength } from './bcs-length.ts';

const framework = `0x${'2'.padStart(64, '0')}`;
const fieldStruct = `${framework}::dynamic_field::Field`;
const wrapperPrefix = `${framework}::dynamic_object_field::Wrapper<`;
/** A field object's content begins with its id. */
const idBytes = 32;

/** The objects that hold an object's dynamic fields, ordered by id. */
export function fieldObjectsAt(ledger: LedgerReader, parent: string, checkpoint: number): readonly ObjectRecord[] {
  requireAvailable(ledger, checkpoint);
  return ledger.ownedObjects(parent, checkpoint).filter((record) => record.type.startsWith(`${fieldStruct}<`));
}

/**
 * The entry with a name.
 * @param kind by value, or as an object of its own
 */
export function findDynamicField(
  ledger: LedgerReader,
  parent: string,
  name: DynamicFieldName,
  kind: 'value' | 'object',
  checkpoint: number,
  limits: TypeLimits,
): DynamicFieldModel | null {
  const { type, bcs } = withinInput('DynamicFieldName', () => ({
    type: parseExactType(name.type, limits),
    bcs: parseBase64(name.bcs),
  }));
  for (const record of fieldObjectsAt(ledger, parent, checkpoint)) {
    const parts = partsOf(record);
    if (parts.isObject !== (kind === 'object') || parts.nameType !== type) continue;
    const found = record.bcs.subarray(idBytes, idBytes + bcs.length);
    if (Buffer.compare(found, bcs) === 0) return toDynamicField(ledger, record, checkpoint, bcs.length);
  }
  return null;
}

export function toDynamicField(
  ledger: LedgerReader,
  record: ObjectRecord,
  viewedAt: number,
  knownNameBytes?: number,
): DynamicFieldModel {
  const parts = partsOf(record);
  const nameBytes = knownNameBytes ?? bcsLength(parseTypeTag(parts.nameType), record.bcs, idBytes);
  const nameEnd = idBytes + nameBytes;
  const name = { type: parts.nameType, bcs: record.bcs.subarray(idBytes, nameEnd), json: record.json.name };
  const child = parts.isObject ? ledger.object(String(record.json.value), { checkpoint: viewedAt }) : undefined;
  const value = child
    ? { record: child, viewedAt }
    : { type: parts.valueType, bcs: record.bcs.subarray(nameEnd), json: record.json.value };
  return { name, value, viewedAt };
}

function partsOf(record: ObjectRecord) {
  const tag = parseTypeTag(record.type);
  const [nameTag, valueTag] = tag.kind === 'struct' ? tag.struct.typeParameters : [];
  const nameText = nameTag ? toTypeText(nameTag) : '';
  const isObject = nameText.startsWith(wrapperPrefix);
  return {
    isObject,
    nameType: isObject ? nameText.slice(wrapperPrefix.length, -1) : nameText,
    valueType: valueTag ? toTypeText(valueTag) : '',
  };
}
