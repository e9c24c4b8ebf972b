/** Something that is kept together with text, until it is too old or younger items need its room. */
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
  /** Called for an item that is too old, or that made room. */
  readonly forget: (item: Item) => void;
}

export interface KeptTexts<Item extends Kept> {
  has(item: Item): boolean;
  add(item: Item): void;
  /** Changes the size of an item, if it is kept. */
  resize(item: Item, bytes: number): void;
  remove(item: Item): void;
  /** Forgets items that are too old, at most so many. */
  sweep(nowMs: number, most: number): void;
  /** Forgets this item if it is too old. */
  dropOld(item: Item, nowMs: number): void;
}

/**
 * Keeps items in the order of their age. The oldest items of a caller make room for that caller's younger ones; the oldest of all
 * make room when all callers together exceed the bounds.
 */
export function createKeptTexts<Item extends Kept>(options: KeptTextsOptions<Item>): KeptTexts<Item> {
  const { lifeMs, perCaller, inAll, forget } = options;
  const all = new AgeOrder<Item>();
  const byCaller = new Map<string, AgeOrder<Item>>();
  const isOld = ({ keptAtMs }: Kept, nowMs: number) => keptAtMs + lifeMs <= nowMs;

  function remove(item: Item): void {
    const own = byCaller.get(item.caller);
    if (!own?.delete(item)) return;
    all.delete(item);
    if (own.size === 0) byCaller.delete(item.caller);
  }

  function drop(item: Item): void {
    remove(item);
    forget(item);
  }

  function makeRoom(caller: string): void {
    for (const [order, { maxItems, maxBytes }] of [
      [byCaller.get(caller), perCaller],
      [all, inAll],
    ] as const)
      while (order?.oldest && (order.size > maxItems || order.bytes > maxBytes)) drop(order.oldest);
  }

  return {
    has: (item) => all.has(item),
    add(item) {
      const own = byCaller.get(item.caller) ?? new AgeOrder<Item>();
      byCaller.set(item.caller, own);
      own.add(item);
      all.add(item);
      makeRoom(item.caller);
    },
    resize(item, bytes) {
      const own = byCaller.get(item.caller);
      if (!own?.has(item)) return;
      for (const order of [own, all]) order.bytes += bytes - item.bytes;
      item.bytes = bytes;
      makeRoom(item.caller);
    },
    remove,
    sweep(nowMs, most) {
      for (let count = 0; count < most && all.oldest && isOld(all.oldest, nowMs); count += 1) drop(all.oldest);
    },
    dropOld(item, nowMs) {
      if (all.has(item) && isOld(item, nowMs)) drop(item);
    },
  };
}

/** Items in the order of their addition, with their bytes in all. */
class AgeOrder<Item extends Kept> {
  readonly #items = new Set<Item>();
  /** Stays open: a new scan would pass everything that was deleted since the set was last rebuilt. */
  #scan = this.#items.values();
  #oldest: Item | null = null;
  bytes = 0;

  get size(): number {
    return this.#items.size;
  }

  get oldest(): Item | null {
    if (this.#oldest || this.size === 0) return this.#oldest;
    let next = this.#scan.next();
    if (next.done) {
      this.#scan = this.#items.values();
      next = this.#scan.next();
    }
    this.#oldest = next.value ?? null;
    return this.#oldest;
  }

  has(item: Item): boolean {
    return this.#items.has(item);
  }

  add(item: Item): void {
    this.#items.add(item);
    this.bytes += item.bytes;
  }

  delete(item: Item): boolean {
    if (!this.#items.delete(item)) return false;
    this.bytes -= item.bytes;
    if (item === this.#oldest) this.#oldest = null;
    return true;
  }
}
