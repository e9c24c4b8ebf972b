import type { ObjectRecord } from './records.ts';

/** Views of closed checkpoints that stay computed: they never change, and pages of one query all read the same one. */
const keptViews = 16;

/**
 * Every version of every object, by id and by owner. "As of a checkpoint" is the last version that had become visible by
 * then; a deleted object is not there.
 */
export function createObjectHistory() {
  const versions = new Map<string, ObjectRecord[]>();
  const everOwned = new Map<string, Set<string>>();
  const views = new Map<string, readonly ObjectRecord[]>();
  let sortedIds: string[] | undefined;

  const put = (record: ObjectRecord): void => {
    const known = versions.get(record.objectId);
    if (known) known.push(record);
    else {
      versions.set(record.objectId, [record]);
      sortedIds = undefined;
    }
    if (record.owner.kind !== 'address' && record.owner.kind !== 'object') return;
    const owned = everOwned.get(record.owner.address);
    if (owned) owned.add(record.objectId);
    else everOwned.set(record.owner.address, new Set([record.objectId]));
  };

  const asOf = (objectId: string, checkpoint: number): ObjectRecord | undefined => {
    const known = versions.get(objectId) ?? [];
    let low = 0;
    let high = known.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const seen = known[middle]?.checkpoint ?? null;
      if (seen !== null && seen <= checkpoint) low = middle + 1;
      else high = middle;
    }
    const record = known[low - 1];
    return record?.live ? record : undefined;
  };

  const keep = (key: string, compute: () => readonly ObjectRecord[]): readonly ObjectRecord[] => {
    const kept = views.get(key);
    if (kept) return kept;
    const view = compute();
    const oldest = views.keys().next();
    if (views.size >= keptViews && !oldest.done) views.delete(oldest.value);
    views.set(key, view);
    return view;
  };

  const collect = (ids: Iterable<string>, checkpoint: number): ObjectRecord[] => {
    const found: ObjectRecord[] = [];
    for (const objectId of ids) {
      const record = asOf(objectId, checkpoint);
      if (record) found.push(record);
    }
    return found;
  };

  return {
    put,
    asOf,
    atVersion: (objectId: string, version: number) =>
      versions.get(objectId)?.find((record) => record.version === version),
    current: (objectId: string): ObjectRecord | undefined => {
      const record = versions.get(objectId)?.at(-1);
      return record?.live ? record : undefined;
    },
    versions: (objectId: string): readonly ObjectRecord[] => versions.get(objectId) ?? [],
    live: (checkpoint: number) =>
      keep(`${checkpoint}`, () => {
        sortedIds ??= [...versions.keys()].sort();
        return collect(sortedIds, checkpoint);
      }),
    ownedBy: (owner: string, checkpoint: number) =>
      keep(`${checkpoint} ${owner}`, () =>
        collect([...(everOwned.get(owner) ?? [])].sort(), checkpoint).filter(
          (record) => 'address' in record.owner && record.owner.address === owner,
        ),
      ),
  };
}
