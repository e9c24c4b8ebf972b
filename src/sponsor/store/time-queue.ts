export interface TimeQueue<Item> {
  push(atMs: number, item: Item): void;
  /** Removes and returns the earliest entry if it is due. */
  popDue(nowMs: number): { readonly atMs: number; readonly item: Item } | undefined;
  /**
   * Reports that one entry is no longer awaited. Once about half of all entries may be such, they are removed together: an entry
   * that ends long before its time must not stay in memory until then.
   */
  forget(): void;
}

/** Fewer forgotten entries are not worth a search. */
const minForgotten = 64;

/**
 * Items by time: a binary heap, so that each operation takes logarithmic time.
 * @param isAwaited is the entry of this item at this time still awaited?
 */
export function createTimeQueue<Item>(isAwaited: (item: Item, atMs: number) => boolean): TimeQueue<Item> {
  let heap: { readonly atMs: number; readonly item: Item }[] = [];
  let forgotten = 0;
  const at = (index: number) => heap[index]?.atMs ?? Number.POSITIVE_INFINITY;
  const swap = (left: number, right: number) => {
    const [a, b] = [heap[left], heap[right]];
    if (a && b) [heap[left], heap[right]] = [b, a];
  };
  return {
    push(atMs, item) {
      let index = heap.push({ atMs, item }) - 1;
      while (index > 0 && at((index - 1) >> 1) > at(index)) {
        swap(index, (index - 1) >> 1);
        index = (index - 1) >> 1;
      }
    },
    popDue(nowMs) {
      const [first] = heap;
      if (!first || first.atMs > nowMs) return undefined;
      const last = heap.pop();
      if (heap.length === 0 || !last) return first;
      heap[0] = last;
      for (let index = 0; ; ) {
        const left = 2 * index + 1;
        const smaller = at(left + 1) < at(left) ? left + 1 : left;
        if (at(smaller) >= at(index)) return first;
        swap(index, smaller);
        index = smaller;
      }
    },
    forget() {
      forgotten += 1;
      if (forgotten < minForgotten || 2 * forgotten < heap.length) return;
      forgotten = 0;
      // A sorted list is a heap too.
      heap = heap.filter(({ item, atMs }) => isAwaited(item, atMs)).sort((one, other) => one.atMs - other.atMs);
    },
  };
}
