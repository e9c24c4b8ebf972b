/** Free slots at the front of the array before it is copied to one without. */
const maxFreeSlots = 1_024;

/** A list that grows at its end and is cut at its front. Indexes count from the first item ever added, and never change. */
export class NumberedList<Item> {
  #items: (Item | undefined)[] = [];
  /** Slots at the front of the array whose items were dropped. */
  #head = 0;
  #start = 0;

  get start(): number {
    return this.#start;
  }

  /** Index that the next item will have. */
  get end(): number {
    return this.#start + this.#items.length - this.#head;
  }

  add(item: Item): void {
    this.#items.push(item);
  }

  /** `undefined` if it was dropped, or is not there yet. */
  at(index: number): Item | undefined {
    return index < this.#start ? undefined : this.#items[this.#head + index - this.#start];
  }

  /** All items kept from this index on. */
  from(index: number): Item[] {
    return this.#items.slice(this.#head + Math.max(0, index - this.#start)) as Item[];
  }

  set(index: number, item: Item): void {
    if (index >= this.#start && index < this.end) this.#items[this.#head + index - this.#start] = item;
  }

  dropOldest(): Item | undefined {
    const item = this.#items[this.#head];
    if (this.#head === this.#items.length) return undefined;
    this.#items[this.#head] = undefined;
    this.#head += 1;
    this.#start += 1;
    if (this.#head > maxFreeSlots && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}

const wordBits = 32;

/**
 * Which of consecutive sequence numbers match a filter: a bit each, because every filter that is followed has one of these over
 * all that its reader keeps.
 */
export class MatchBits {
  /** The first number that was judged. The first word begins with it. */
  readonly first: number;
  readonly #words = new NumberedList<number>();
  #start: number;
  #end: number;
  #dropped = 0;
  /** How many numbers matched, the dropped ones included. */
  #matched = 0;

  constructor(first: number) {
    this.first = first;
    this.#start = first;
    this.#end = first;
  }

  /** Behind the last number that was judged. */
  get end(): number {
    return this.#end;
  }

  /** How many of the dropped numbers matched. */
  get dropped(): number {
    return this.#dropped;
  }

  add(isMatch: boolean): void {
    const offset = this.#end - this.first;
    if (offset % wordBits === 0) this.#words.add(0);
    if (isMatch) {
      this.#matched += 1;
      const word = Math.floor(offset / wordBits);
      this.#words.set(word, (this.#words.at(word) ?? 0) | (1 << (offset % wordBits)));
    }
    this.#end += 1;
  }

  dropBefore(sequence: number): void {
    for (const last = Math.min(sequence, this.#end); this.#start < last; this.#start += 1) {
      const offset = this.#start - this.first;
      this.#dropped += (this.#wordAt(offset) >>> (offset % wordBits)) & 1;
      if (offset % wordBits === wordBits - 1) this.#words.dropOldest();
    }
  }

  /** The first number from this one on that matches; the end if there is none. */
  next(from: number): number {
    let offset = Math.max(from, this.#start) - this.first;
    const end = this.#end - this.first;
    while (offset < end) {
      const rest = this.#wordAt(offset) >>> (offset % wordBits);
      // The number of zeros at the end of the rest.
      if (rest !== 0) return this.first + offset + 31 - Math.clz32(rest & -rest);
      offset += wordBits - (offset % wordBits);
    }
    return this.#end;
  }

  /** How many match before this number, the dropped ones included. */
  countBefore(sequence: number): number {
    let count = this.#matched;
    // From here to the end, because most streams begin near the end.
    for (let at = this.next(sequence); at < this.#end; at = this.next(at + 1)) count -= 1;
    return count;
  }

  #wordAt(offset: number): number {
    return this.#words.at(Math.floor(offset / wordBits)) ?? 0;
  }
}
