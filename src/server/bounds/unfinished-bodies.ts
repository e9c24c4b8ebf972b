/** Bodies, or messages, of the largest size that may be under way at once; of the usual size that is thousands. */
export const largestUnfinished = 64;
/** What a piece of one takes beside its content, in bytes. */
export const bytesPerPiece = 256;

/** A request body of which some has come, and not all. */
export interface UnfinishedBody {
  /** @param bytes that it takes by now, in all */
  hold(bytes: number): void;
  /** To be called when it is whole, refused or given up. Safe to call twice. */
  leave(): void;
}

/**
 * What bodies that are not whole yet may take together: nobody is counted before a body is whole, so anybody may begin as
 * many as there are connections, and finish none.
 */
export interface UnfinishedBodies {
  /** @param giveUp called at most once, when others need the room; the body has left then */
  begin(giveUp: () => void): UnfinishedBody;
}

/**
 * Linked into a ring, the one that began first in front. Not kept in a `Set`, whose table is made anew every few changes and
 * stays in memory, with what it held, until the next full garbage collection.
 */
class Body {
  bytes = 0;
  before: Body = this;
  behind: Body = this;
  readonly giveUp: () => void;

  constructor(giveUp: () => void) {
    this.giveUp = giveUp;
  }

  insertBefore(other: Body): void {
    this.before = other.before;
    this.behind = other;
    other.before.behind = this;
    other.before = this;
  }

  remove(): void {
    this.before.behind = this.behind;
    this.behind.before = this.before;
    this.before = this;
    this.behind = this;
  }
}

/**
 * Where they would take more than `maxBytes`, the one gives way that has been under way longest of those that take at least
 * the average. So a small one is safe from large ones however slow it is, one that arrives at once is safe from all, and who
 * fills the room drives out only what else is slow and large.
 */
export function createUnfinishedBodies(maxBytes: number): UnfinishedBodies {
  const ring = new Body(() => {});
  let bytes = 0;
  let count = 0;

  const leave = (body: Body): void => {
    if (body.behind === body) return;
    body.remove();
    bytes -= body.bytes;
    count -= 1;
  };
  const makeRoom = (): void => {
    const average = bytes / count;
    let oldest = ring.behind;
    while (oldest.bytes < average && oldest.behind !== ring) oldest = oldest.behind;
    leave(oldest);
    oldest.giveUp();
  };

  return {
    begin(giveUp) {
      const body = new Body(giveUp);
      body.insertBefore(ring);
      count += 1;
      return {
        hold(held) {
          if (body.behind === body) return;
          bytes += held - body.bytes;
          body.bytes = held;
          while (bytes > maxBytes && count > 0) makeRoom();
        },
        leave: () => leave(body),
      };
    },
  };
}
