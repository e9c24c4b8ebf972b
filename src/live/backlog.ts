/** Spare places at the front of the list before it is copied to one without. */
const spare = 1_024;

/** A list that grows at its end and is cut at its front. Indexes count from the first item ever added, and never change. */
export class Backlog<Item> {
  #items: (Item | undefined)[] = [];
  /** Items at the front of the list that were dropped. */
  #head = 0;
  #start = 0;

  /** Index of the oldest item kept. */
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

  /** Replaces an item that is kept. */
  set(index: number, item: Item): void {
    if (index >= this.#start && index < this.end) this.#items[this.#head + index - this.#start] = item;
  }

  dropOldest(): Item | undefined {
    const item = this.#items[this.#head];
    if (this.#head === this.#items.length) return undefined;
    this.#items[this.#head] = undefined;
    this.#head += 1;
    this.#start += 1;
    if (this.#head > spare && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
