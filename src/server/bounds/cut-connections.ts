/** An open connection in the ring of all of them, in the order in which they were opened. */
export interface OpenLink {
  readonly behind: OpenLink;
  /** Nothing is executed on it. */
  readonly isUnserved: boolean;
  /** Something was executed on it before. */
  readonly hasServed: boolean;
  /** Bytes that were written and that its client has not read. */
  readonly unread: number;
  cut(): void;
}

/**
 * Connections on which nothing is executed: silent ones, idle ones, and such as have not sent their request whole. Nobody is
 * counted before that, and a head that does not end may take a hundred kilobytes.
 */
const maxUnserved = 4_096;

/** Cuts the oldest of those on which nothing is executed, as many as are too many; first such as never were of use. */
export function cutUnserved(ring: OpenLink): void {
  let excess = -maxUnserved;
  for (let next = ring.behind; next !== ring; next = next.behind) if (next.isUnserved) excess += 1;
  for (const hasServed of [false, true])
    for (let next = ring.behind; next !== ring && excess > 0; next = next.behind) {
      if (next.hasServed !== hasServed || !next.isUnserved) continue;
      next.cut();
      excess -= 1;
    }
}

/**
 * Where clients leave more unread than so many bytes together, cuts the oldest of those that leave at least the average. So who
 * reads slowly what is small is safe from those who ask for much and read nothing.
 */
export function cutUnread(ring: OpenLink, maxBytes: number): void {
  let bytes = 0;
  let count = 0;
  for (let next = ring.behind; next !== ring; next = next.behind) {
    if (next.unread === 0) continue;
    bytes += next.unread;
    count += 1;
  }
  const average = bytes / count;
  for (let next = ring.behind; next !== ring && bytes > maxBytes; next = next.behind) {
    const { unread } = next;
    if (unread === 0 || unread < average) continue;
    next.cut();
    bytes -= unread;
  }
}
