import { endSequence, firstSequence } from '../state/kept-records.ts';
import { lowerBound } from '../state/lower-bound.ts';

/** Sequence numbers in ascending order. */
export interface SequenceList {
  readonly length: number;
  at(position: number): number;
}

/**
 * An index over a list that only grows at its end and is only cut at its front: for each key, the sequence numbers of
 * its records. Catches up with the list when it is asked.
 */
export interface SequenceIndex {
  lookup(key: string): SequenceList;
}

export function createSequenceIndex<Item extends { readonly sequence: number }>(
  items: () => readonly Item[],
  keysOf: (item: Item) => Iterable<string>,
): SequenceIndex {
  const lists = new Map<string, number[]>();
  /** The index covers sequence numbers from `oldest` up to, but not including, `indexed`. */
  let oldest = 0;
  let indexed = 0;

  function forgetBefore(first: number) {
    oldest = first;
    for (const [key, list] of lists) {
      const gone = lowerBound(list.length, (position) => (list[position] ?? first) >= first);
      if (gone === list.length) lists.delete(key);
      else if (gone > 0) list.splice(0, gone);
    }
  }

  function catchUp() {
    const all = items();
    const first = firstSequence(all);
    if (first > oldest) forgetBefore(first);
    indexed = Math.max(indexed, first);
    for (; indexed < endSequence(all); indexed += 1) {
      for (const key of new Set(keysOf(all[indexed - first] as Item))) {
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
