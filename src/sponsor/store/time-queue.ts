/** A search for unneeded entries is worth its time from this number on. */
const minForgotten = 64;

/**
 * Items by time: a binary heap, so that each operation takes logarithmic time.
 * @param isAwaited is the entry of this item at this time still needed?
 */
export function createTimeQueue<Item>(isAwaited: (item: Item, atMs: number) => boolean) {
  let heap: { readonly atMs: number; readonly item: Item }[] = [];
  let forgotten = 0;
  const at = (index: number) => heap[index]?.atMs ?? Number.POSITIVE_INFINITY;
  const swap = (left: number, right: number) => {
    const [a, b] = [heap[left], heap[right]];
    if (a && b) [heap[left], heap[right]] = [b, a];
  };
  return {
    push(atMs: number, item: Item): void {
      let index = heap.push({ atMs, item }) - 1;
      while (index > 0 && at((index - 1) >> 1) > at(index)) {
        swap(index, (index - 1) >> 1);
        index = (index - 1) >> 1;
      }
    },
    /** Removes and returns the earliest entry if it is due. */
    popDue(nowMs: number): { readonly atMs: number; readonly item: Item } | undefined {
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
    /**
     * Reports that one entry is no longer needed. Once about half of all entries are such, they are removed together: an entry
     * that ends early must not stay in memory until its time.
     */
    forget(): void {
      forgotten += 1;
      if (forgotten < minForgotten || 2 * forgotten < heap.length) return;
      forgotten = 0;
      // A sorted list is a valid heap.
      heap = heap.filter(({ item, atMs }) => isAwaited(item, atMs)).sort((one, other) => one.atMs - other.atMs);
    },
  };
}
