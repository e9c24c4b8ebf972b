/** An item stored with its text until it is too old, or younger items need its space. */
export interface Kept {
  readonly caller: string;
  /** Milliseconds since the Unix epoch. */
  keptAtMs: number;
  /** Size of the text; changed with `resize` only. */
  bytes: number;
}

export interface TextBounds {
  readonly maxItems: number;
  readonly maxBytes: number;
}

export interface KeptTextsOptions<Item extends Kept> {
  readonly lifeMs: number;
  readonly perCaller: TextBounds;
  readonly inAll: TextBounds;
  readonly forget: (item: Item) => void;
}

/**
 * Stores items in order of age. A caller's oldest items make room for its younger ones. Those of busy callers make room when
 * all callers together exceed the limits.
 */
export function createKeptTexts<Item extends Kept>(options: KeptTextsOptions<Item>) {
  const { lifeMs, perCaller, inAll, forget } = options;
  const all = new AgeOrder<Item>();
  const byCaller = new Map<string, AgeOrder<Item>>();
  const isOver = ({ size, bytes }: AgeOrder<Item>, { maxItems, maxBytes }: TextBounds) =>
    size > maxItems || bytes > maxBytes;
  const isOld = ({ keptAtMs }: Kept, nowMs: number) => keptAtMs + lifeMs <= nowMs;
  const loadOf = ({ size, bytes }: AgeOrder<Item>) => size / inAll.maxItems + bytes / inAll.maxBytes;
  const isBusy = (own: AgeOrder<Item>) => loadOf(own) * byCaller.size >= loadOf(all);
  const callers = new Cycle(byCaller);
  let busy: AgeOrder<Item> | undefined;

  function drop(item: Item): void {
    const own = byCaller.get(item.caller);
    if (!own?.delete(item)) return;
    all.delete(item);
    if (own.size === 0) byCaller.delete(item.caller);
    forget(item);
  }

  function makeRoom(caller: string): void {
    const own = byCaller.get(caller);
    while (own?.oldest && isOver(own, perCaller)) drop(own.oldest);
    while (all.oldest && isOver(all, inAll)) drop(oldestOfBusy(own) ?? all.oldest);
  }

  /**
   * The oldest item of a caller with at least the average load, so that busy callers displace only one another. Prefers the
   * caller that needs the room. Otherwise the search continues where the last one ended: from the first caller, it would pass
   * the same thousands of light callers each time.
   */
  function oldestOfBusy(own: AgeOrder<Item> | undefined): Item | null {
    // A caller's only item is its newest.
    if (own && own.size > 1 && isBusy(own)) return own.oldest;
    for (let left = byCaller.size; left >= 0 && !(busy && isBusy(busy)); left -= 1) busy = callers.next();
    return busy?.oldest ?? null;
  }

  return {
    has: (item: Item): boolean => all.has(item),
    add(item: Item): void {
      let own = byCaller.get(item.caller);
      if (!own) {
        own = new AgeOrder();
        byCaller.set(item.caller, own);
        callers.noteAdded();
      }
      own.add(item);
      all.add(item);
      makeRoom(item.caller);
    },
    resize(item: Item, bytes: number): void {
      const own = byCaller.get(item.caller);
      if (!own?.has(item)) return;
      for (const order of [own, all]) order.bytes += bytes - item.bytes;
      item.bytes = bytes;
      makeRoom(item.caller);
    },
    drop,
    /** Drops items that are too old, up to this number. */
    sweep(nowMs: number, most: number): void {
      for (let count = 0; count < most && all.oldest && isOld(all.oldest, nowMs); count += 1) drop(all.oldest);
    },
    dropOld(item: Item, nowMs: number): void {
      if (all.has(item) && isOld(item, nowMs)) drop(item);
    },
  };
}

/** Items in order of insertion, with their total bytes. */
class AgeOrder<Item extends Kept> {
  readonly #items = new Set<Item>();
  readonly #cycle = new Cycle(this.#items);
  #oldest: Item | null = null;
  bytes = 0;

  get size(): number {
    return this.#items.size;
  }

  get oldest(): Item | null {
    if (this.size > 0) this.#oldest ??= this.#cycle.next() ?? null;
    return this.#oldest;
  }

  has(item: Item): boolean {
    return this.#items.has(item);
  }

  add(item: Item): void {
    this.#items.add(item);
    this.#cycle.noteAdded();
    this.bytes += item.bytes;
  }

  delete(item: Item): boolean {
    if (!this.#items.delete(item)) return false;
    this.bytes -= item.bytes;
    if (item === this.#oldest) this.#oldest = null;
    return true;
  }
}

interface Iterated<Item> {
  readonly size: number;
  values(): IterableIterator<Item>;
}

/** Iterates over a set or a map, and begins again at its end. */
class Cycle<Item> {
  readonly #items: Iterated<Item>;
  /** Stays open: a new iterator would skip everything deleted since the set was last rebuilt. */
  #scan: IterableIterator<Item>;
  #added = 0;

  constructor(items: Iterated<Item>) {
    this.#items = items;
    this.#scan = items.values();
  }

  /** Begins again from time to time, because an open iterator keeps everything in memory that the set has outgrown. */
  noteAdded(): void {
    this.#added += 1;
    if (this.#added > this.#items.size) this.#begin();
  }

  next(): Item | undefined {
    let next = this.#scan.next();
    if (next.done) {
      this.#begin();
      next = this.#scan.next();
    }
    return next.value;
  }

  #begin(): void {
    this.#scan = this.#items.values();
    this.#added = 0;
  }
}
