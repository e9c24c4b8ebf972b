/**
 * A member of a ring, oldest first; the ring is known by a link of its own. Not a `Set` or `Map`: these allocate a new table
 * every few changes, and an old table keeps what it held in memory until the next full garbage collection.
 */
export class RingLink {
  previous: this = this;
  next: this = this;

  insertBefore(other: this): void {
    this.previous = other.previous;
    this.next = other;
    other.previous.next = this;
    other.previous = this;
  }

  /** Also drops its own links, which would keep its former neighbours in memory. */
  remove(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.previous = this;
    this.next = this;
  }

  get isAlone(): boolean {
    return this.next === this;
  }

  /** The other members, the oldest first if this is the ring's own link. */
  *others(): Generator<this> {
    for (let link = this.next; link !== this; link = link.next) yield link;
  }
}
