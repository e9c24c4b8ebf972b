import { RingLink } from './ring-link.ts';

/** Memory of a chunk of a body besides its content, in bytes. */
export const bytesPerPiece = 256;

/** A body, message or response that is still arriving. */
export interface Arrival {
  /** @param bytes received so far, in total */
  hold(bytes: number): void;
  /** Call when it is complete, rejected or dropped. Safe to call twice. */
  leave(): void;
}

export type Arrivals = Pick<ReturnType<typeof createArrivals>, 'begin'>;

class Entry extends RingLink {
  bytes = 0;
  readonly abandon: () => void;

  constructor(abandon: () => void) {
    super();
    this.abandon = abandon;
  }
}

/**
 * Limits the memory of everything that is still arriving. Over the limit, drops the oldest arrival of at least average size. Small arrivals are therefore safe from large ones however
 * slow they are, fast ones from slow ones, and a client that fills the memory loses its own first.
 * @param maxBytes of all arrivals together; read for each check
 */
export function createArrivals(maxBytes: () => number) {
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
    /** @param abandon called at most once, if other arrivals need the memory; this arrival has then ended */
    begin(abandon: () => void): Arrival {
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
    /** Drops arrivals until the rest is within the limit, which may have changed. */
    shrink,
  };
}
