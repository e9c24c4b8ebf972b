/**
 * A member of a ring, oldest first; a separate link stands for the ring itself. Not a `Set` or `Map`: these allocate a new
 * table every few changes, and an old table keeps its entries in memory until the next full garbage collection.
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

  /** Also clears its own links, which would keep its former neighbours in memory. */
  remove(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.previous = this;
    this.next = this;
  }

  get isAlone(): boolean {
    return this.next === this;
  }

  /** The other members; called on the ring's own link, oldest first. */
  *others(): Generator<this> {
    for (let link = this.next; link !== this; link = link.next) yield link;
  }
}
