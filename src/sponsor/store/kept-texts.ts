/** What is kept with its answers until it is too old, or pushed out by what is younger. */
export interface Kept {
  /** Since when; milliseconds since the Unix epoch. */
  keptAtMs: number;
  /** Bytes that it takes. */
  bytes: number;
  /** Where it is kept; `null`: nowhere. Belongs to `KeptTexts`. */
  place: Place | null;
}

/** An item among those of all callers, and among those of its own: linked, so that each step costs the same however many there are. */
interface Place {
  readonly shelf: Shelf;
  readonly item: Kept;
  older: Place | null;
  younger: Place | null;
  olderOfCaller: Place | null;
  youngerOfCaller: Place | null;
}

interface Shelf {
  readonly caller: string;
  oldest: Place | null;
  youngest: Place | null;
  count: number;
  bytes: number;
}

export interface KeptTextsOptions<Item extends Kept> {
  readonly lifeMs: number;
  readonly perCaller: TextBounds;
  readonly inAll: TextBounds;
  /** Its life is over, or it was pushed out. */
  readonly forget: (item: Item) => void;
}

export interface TextBounds {
  readonly maxItems: number;
  readonly maxBytes: number;
}

export interface KeptTexts<Item extends Kept> {
  add(caller: string, item: Item): void;
  /** Changes the bytes that it takes, if it is kept. */
  resize(item: Item, bytes: number): void;
  remove(item: Item): void;
  /** Forgets some whose life is over. @param most how many at once */
  sweep(nowMs: number, most: number): void;
  /** Forgets this one if its life is over. */
  dropOld(item: Item, nowMs: number): void;
}

/** Items in the order of their age; each caller's oldest make room for that caller's younger ones. */
export function createKeptTexts<Item extends Kept>(options: KeptTextsOptions<Item>): KeptTexts<Item> {
  const { lifeMs, perCaller, inAll, forget } = options;
  const shelves = new Map<string, Shelf>();
  let oldest: Place | null = null;
  let youngest: Place | null = null;
  let count = 0;
  let bytes = 0;

  function add(caller: string, item: Item): void {
    const shelf = shelves.get(caller) ?? { caller, oldest: null, youngest: null, count: 0, bytes: 0 };
    shelves.set(caller, shelf);
    const place: Place = {
      shelf,
      item,
      older: youngest,
      younger: null,
      olderOfCaller: shelf.youngest,
      youngerOfCaller: null,
    };
    if (youngest) youngest.younger = place;
    else oldest = place;
    youngest = place;
    if (shelf.youngest) shelf.youngest.youngerOfCaller = place;
    else shelf.oldest = place;
    shelf.youngest = place;
    item.place = place;
    count += 1;
    shelf.count += 1;
    charge(shelf, item.bytes);
    makeRoom(shelf);
  }

  function remove({ place, bytes: size }: Kept): void {
    if (!place) return;
    const { shelf, older, younger, olderOfCaller, youngerOfCaller } = place;
    if (older) older.younger = younger;
    else oldest = younger;
    if (younger) younger.older = older;
    else youngest = older;
    if (olderOfCaller) olderOfCaller.youngerOfCaller = youngerOfCaller;
    else shelf.oldest = youngerOfCaller;
    if (youngerOfCaller) youngerOfCaller.olderOfCaller = olderOfCaller;
    else shelf.youngest = olderOfCaller;
    place.item.place = null;
    count -= 1;
    shelf.count -= 1;
    charge(shelf, -size);
    if (shelf.count === 0) shelves.delete(shelf.caller);
  }

  function charge(shelf: Shelf, more: number): void {
    bytes += more;
    shelf.bytes += more;
  }

  function drop({ item }: Place): void {
    remove(item);
    forget(item as Item);
  }

  function isOld({ keptAtMs }: Kept, nowMs: number): boolean {
    return keptAtMs + lifeMs <= nowMs;
  }

  function makeRoom(shelf: Shelf): void {
    while (shelf.oldest && (shelf.count > perCaller.maxItems || shelf.bytes > perCaller.maxBytes)) drop(shelf.oldest);
    while (oldest && (count > inAll.maxItems || bytes > inAll.maxBytes)) drop(oldest);
  }

  return {
    add,
    resize(item, size) {
      if (!item.place) return;
      const { shelf } = item.place;
      charge(shelf, size - item.bytes);
      item.bytes = size;
      makeRoom(shelf);
    },
    remove,
    sweep(nowMs, most) {
      for (let count = 0; count < most && oldest && isOld(oldest.item, nowMs); count += 1) drop(oldest);
    },
    dropOld(item, nowMs) {
      if (item.place && isOld(item, nowMs)) drop(item.place);
    },
  };
}
