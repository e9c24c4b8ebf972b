import type { ObjectRecord } from './records.ts';

export type ObjectHistory = ReturnType<typeof createObjectHistory>;

/**
 * Versions of objects, by id and by owner. "As of a checkpoint" is the last version that had become visible by
 * then; a deleted object is not there.
 */
export function createObjectHistory() {
  const versions = new Map<string, ObjectRecord[]>();
  const owners = createOwnerIndex();
  const keep = createViewCache();
  let sortedIds: string[] | undefined;

  const put = (record: ObjectRecord): void => {
    const known = versions.get(record.objectId);
    if (known) known.push(record);
    else {
      versions.set(record.objectId, [record]);
      sortedIds = undefined;
    }
    owners.add(record);
  };

  /** Forgets versions that no checkpoint from this one on can show. */
  const forget = (before: number): void => {
    owners.clear();
    for (const [objectId, known] of versions) {
      dropReplaced(known, before);
      if (known.length === 0) versions.delete(objectId);
      else for (const record of known) owners.add(record);
    }
    sortedIds = undefined;
  };

  const asOf = (objectId: string, checkpoint: number): ObjectRecord | undefined => {
    const known = versions.get(objectId) ?? [];
    const record = known[countVisible(known, checkpoint) - 1];
    return record?.live ? record : undefined;
  };

  const collect = (ids: readonly string[], checkpoint: number): ObjectRecord[] =>
    ids.flatMap((objectId) => asOf(objectId, checkpoint) ?? []);

  return {
    put,
    forget,
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
        collect(owners.objectsOf(owner).sort(), checkpoint).filter(
          (record) => 'address' in record.owner && record.owner.address === owner,
        ),
      ),
  };
}

/** Ids of the objects that each address or object has ever owned. */
function createOwnerIndex() {
  const everOwned = new Map<string, Set<string>>();
  return {
    add({ owner, objectId }: ObjectRecord): void {
      if (owner.kind !== 'address' && owner.kind !== 'object') return;
      const owned = everOwned.get(owner.address);
      if (owned) owned.add(objectId);
      else everOwned.set(owner.address, new Set([objectId]));
    },
    objectsOf: (owner: string): string[] => [...(everOwned.get(owner) ?? [])],
    clear: () => everOwned.clear(),
  };
}

/** How many views of closed checkpoints are kept: they never change, and the pages of one query all read the same one. */
const keptViews = 16;

/** Returns a function that gives the view kept under a key, or computes and keeps it in place of the oldest. */
function createViewCache() {
  const views = new Map<string, readonly ObjectRecord[]>();
  return (key: string, compute: () => readonly ObjectRecord[]): readonly ObjectRecord[] => {
    const kept = views.get(key);
    if (kept) return kept;
    const view = compute();
    const oldest = views.keys().next();
    if (views.size >= keptViews && !oldest.done) views.delete(oldest.value);
    views.set(key, view);
    return view;
  };
}

/** Removes the versions that were replaced before a checkpoint; if the object was deleted by then, all of them. */
function dropReplaced(versions: ObjectRecord[], checkpoint: number): void {
  const visible = countVisible(versions, checkpoint);
  if (visible > 1) versions.splice(0, visible - 1);
  if (versions.length === 1 && visible > 0 && versions[0]?.live === false) versions.pop();
}

/** How many of an object's versions a checkpoint can see. */
function countVisible(versions: readonly ObjectRecord[], checkpoint: number): number {
  let low = 0;
  let high = versions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const seen = versions[middle]?.checkpoint ?? null;
    if (seen !== null && seen <= checkpoint) low = middle + 1;
    else high = middle;
  }
  return low;
}
