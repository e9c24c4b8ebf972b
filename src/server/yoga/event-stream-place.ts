import type { StreamPlace } from '../../upstream/operation-context.ts';

/** The longest that a client may send; cursors are a few hundred characters. */
const maxPlaceLength = 4_096;

/** Where the client of one event stream is: its browser keeps the last place that it was told, and sends it back. */
export class EventStreamPlace implements StreamPlace {
  readonly after: string | null;
  #toText: (() => string) | null = null;
  #onFirst: (() => void) | null = null;

  /** @param lastEventId the header by which a browser goes on; empty where it has no place */
  constructor(lastEventId: string | null) {
    this.after = lastEventId ? lastEventId.slice(0, maxPlaceLength) : null;
  }

  quietAt(toText: () => string): void {
    this.#toText = toText;
    const first = this.#onFirst;
    this.#onFirst = null;
    first?.();
  }

  /** Calls back when there is a place for the first time, though nothing was told. */
  onFirst(then: () => void): void {
    this.#onFirst = then;
  }

  /** What the client has been told up to, if it was not told yet; `null` else. */
  take(): string | null {
    const text = this.#toText?.() ?? null;
    this.#toText = null;
    return text;
  }

  /** Something is told, with a place of its own. */
  pass(): void {
    this.#toText = null;
    this.#onFirst = null;
  }
}
