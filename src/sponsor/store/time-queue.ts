export interface TimeQueue<Item> {
  push(atMs: number, item: Item): void;
  /** Takes the earliest out if its time has come; `undefined` if none has. */
  popDue(nowMs: number): { readonly atMs: number; readonly item: Item } | undefined;
  /**
   * Nobody waits any more for one that is in here. Once these may be half of all they are let go of together: what is over
   * long before its time must not be kept until then.
   */
  forget(): void;
}

/** Fewer that nobody waits for are not worth looking for. */
const minForgotten = 64;

/**
 * Items by time: a binary heap, so that each costs a few steps however many there are.
 * @param isAwaited does anybody wait for this item, and for it at this time?
 */
export function createTimeQueue<Item>(isAwaited: (item: Item, atMs: number) => boolean): TimeQueue<Item> {
  let heap: { readonly atMs: number; readonly item: Item }[] = [];
  let forgotten = 0;
  const at = (index: number) => heap[index]?.atMs ?? Number.POSITIVE_INFINITY;
  const swap = (left: number, right: number) => {
    const [a, b] = [heap[left], heap[right]];
    if (a && b) [heap[left], heap[right]] = [b, a];
  };
  const sink = (start: number) => {
    for (let index = start; ; ) {
      const left = 2 * index + 1;
      const smaller = at(left + 1) < at(left) ? left + 1 : left;
      if (at(smaller) >= at(index)) return;
      swap(index, smaller);
      index = smaller;
    }
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
      sink(0);
      return first;
    },
    forget() {
      forgotten += 1;
      if (forgotten < minForgotten || 2 * forgotten < heap.length) return;
      forgotten = 0;
      heap = heap.filter(({ item, atMs }) => isAwaited(item, atMs));
      for (let index = (heap.length >> 1) - 1; index >= 0; index -= 1) sink(index);
    },
  };
}
