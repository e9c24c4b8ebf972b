import type { ObjectFilter } from '../../generated/ledger.ts';
import type { LedgerReader } from '../../state/ledger-state.ts';
import type { ObjectRecord } from '../../state/records.ts';
import { withinInput } from '../arguments/parse-failure.ts';
import { parseLedgerAddress, parseUInt53 } from '../arguments/parse-scalars.ts';
import { requireAvailable } from '../history/visible-history.ts';
import type { TypeLimits } from '../moves/parse-type.ts';
import { parseTypeFilter } from '../moves/type-filter.ts';

/** An object filter that has been read and checked. */
export interface ObjectSelection {
  readonly owner: string | undefined;
  readonly ids: readonly string[] | undefined;
  readonly keys: readonly { readonly objectId: string; readonly version: number }[] | undefined;
  readonly fitsType: (type: string) => boolean;
}

export function parseObjectFilter(filter: ObjectFilter | null | undefined, limits: TypeLimits): ObjectSelection {
  return withinInput('ObjectFilter', () => ({
    owner: filter?.owner == null ? undefined : parseLedgerAddress(filter.owner),
    ids: filter?.objectIds?.map(parseLedgerAddress),
    keys: filter?.objectKeys?.map((key) => ({
      objectId: parseLedgerAddress(key.objectId),
      version: parseUInt53(key.version),
    })),
    fitsType: filter?.type == null ? () => true : parseTypeFilter(filter.type, limits),
  }));
}

/**
 * The objects that a selection matches at a checkpoint, ordered by id. Refuses a checkpoint outside the available
 * range.
 */
export function selectObjects(
  ledger: LedgerReader,
  selection: ObjectSelection,
  checkpoint: number,
): readonly ObjectRecord[] {
  requireAvailable(ledger, checkpoint);
  const { owner, ids, keys, fitsType } = selection;
  if (ids === undefined && keys === undefined) {
    const records = owner === undefined ? ledger.liveObjects(checkpoint) : ledger.ownedObjects(owner, checkpoint);
    return records.filter((record) => fitsType(record.type));
  }
  const named = new Map<string, ObjectRecord>();
  for (const id of ids ?? []) {
    const record = ledger.object(id, { checkpoint });
    if (record?.live) named.set(id, record);
  }
  for (const { objectId, version } of keys ?? []) {
    const record = ledger.object(objectId, { version });
    const visible = record !== undefined && record.checkpoint !== null && record.checkpoint <= checkpoint;
    if (visible && !named.has(objectId)) named.set(objectId, record);
  }
  return [...named.values()]
    .filter((record) => fitsType(record.type) && (owner === undefined || isOwnedBy(record, owner)))
    .sort((left, right) => (left.objectId < right.objectId ? -1 : 1));
}

function isOwnedBy(record: ObjectRecord, owner: string): boolean {
  return (record.owner.kind === 'address' || record.owner.kind === 'object') && record.owner.address === owner;
}
