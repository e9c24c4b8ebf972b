/** The page that a stream is telling, item by item. One that was let go says that there is more: it is read again from there. */
export class PageInHand<Entry> {
  #entries: readonly Entry[] = [];
  #next = 0;
  #hasMore = false;

  /** Does more follow behind what it has? */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  take({ entries, hasMore }: { readonly entries: readonly Entry[]; readonly hasMore: boolean }): void {
    this.#entries = entries;
    this.#next = 0;
    this.#hasMore = hasMore;
  }

  /** `undefined` behind the last one. */
  next(): Entry | undefined {
    const entry = this.#entries[this.#next];
    this.#next += 1;
    return entry;
  }

  letGo(): void {
    this.take({ entries: [], hasMore: this.#hasMore || this.#next < this.#entries.length });
  }
}
