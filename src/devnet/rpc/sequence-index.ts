/** Sequence numbers in ascending order. */
export interface SequenceList {
  readonly length: number;
  at(position: number): number;
}

/** For each key, where in an append-only list the records with that key are. Catches up with the list when asked. */
export interface SequenceIndex {
  lookup(key: string): SequenceList;
}

export function createSequenceIndex<Item>(
  items: () => readonly Item[],
  keysOf: (item: Item) => Iterable<string>,
): SequenceIndex {
  const lists = new Map<string, number[]>();
  let indexed = 0;

  function catchUp() {
    const all = items();
    for (; indexed < all.length; indexed += 1) {
      for (const key of new Set(keysOf(all[indexed] as Item))) {
        const list = lists.get(key);
        if (list) list.push(indexed);
        else lists.set(key, [indexed]);
      }
    }
  }

  return {
    lookup: (key) => {
      catchUp();
      const list = lists.get(key) ?? [];
      return { length: list.length, at: (position) => list[position] ?? Number.NaN };
    },
  };
}

/** All sequence numbers from `start` up to, but not including, `end`. */
export function sequenceRange(start: number, end: number): SequenceList {
  return { length: Math.max(0, end - start), at: (position) => start + position };
}

/** The first position from 0 to `length` at which a monotonic condition holds; `length` if it never does. */
export function firstPosition(length: number, holds: (position: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
