import { RingLink } from './ring-link.ts';

/** What a piece of a body takes beside its content, in bytes. */
export const bytesPerPiece = 256;

/** A body, message or answer that has arrived in part. */
export interface Arrival {
  /** @param bytes that it takes by now, in all */
  hold(bytes: number): void;
  /** To be called when it is whole, refused or given up. Safe to call twice. */
  leave(): void;
}

/** Bounds the memory of everything that has arrived in part. */
export interface Arrivals {
  /** @param abandon called at most once, when others need the memory; the arrival has left then */
  begin(abandon: () => void): Arrival;
}

export interface BoundedArrivals extends Arrivals {
  /** Gives up arrivals until the rest is within the bound, which may have changed. */
  shrink(): void;
}

class Entry extends RingLink {
  bytes = 0;
  readonly abandon: () => void;

  constructor(abandon: () => void) {
    super();
    this.abandon = abandon;
  }
}

/**
 * Over the bound, gives up the oldest arrival that takes at least the average. So small ones are safe from large ones however
 * slow they are, fast ones are safe from slow ones, and a client that fills the memory loses its own first.
 * @param maxBytes of all together, asked for each time
 */
export function createArrivals(maxBytes: () => number): BoundedArrivals {
  const ring = new Entry(() => {});
  let bytes = 0;
  let count = 0;

  const leave = (entry: Entry): void => {
    if (entry.isAlone) return;
    entry.remove();
    bytes -= entry.bytes;
    count -= 1;
  };
  const abandonOldest = (): void => {
    const average = bytes / count;
    let oldest = ring.next;
    while (oldest.bytes < average && oldest.next !== ring) oldest = oldest.next;
    leave(oldest);
    oldest.abandon();
  };
  const shrink = (): void => {
    while (bytes > maxBytes() && count > 0) abandonOldest();
  };

  return {
    begin(abandon) {
      const entry = new Entry(abandon);
      entry.insertBefore(ring);
      count += 1;
      return {
        hold(held) {
          if (entry.isAlone) return;
          bytes += held - entry.bytes;
          entry.bytes = held;
          shrink();
        },
        leave: () => leave(entry),
      };
    },
    shrink,
  };
}
