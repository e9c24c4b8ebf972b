export interface TimeQueue<Item> {
  push(atMs: number, item: Item): void;
  /** Takes the earliest out if its time has come; `undefined` if none has. */
  popDue(nowMs: number): { readonly atMs: number; readonly item: Item } | undefined;
}

/** Items by time: a binary heap, so that each costs a few steps however many there are. */
export function createTimeQueue<Item>(): TimeQueue<Item> {
  const heap: { readonly atMs: number; readonly item: Item }[] = [];
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
  };
}
