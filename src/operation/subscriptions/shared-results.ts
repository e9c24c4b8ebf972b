import { createHash } from 'node:crypto';

/** A complete result as JSON, for any number of readers. */
export class ResultText {
  /** Its UTF-8 bytes, one character each, so that it is appended to other bytes and sent without being encoded again. */
  readonly bytes: string;
  readonly #toPlace: (() => string) | undefined;
  #framing: object | null = null;
  #framed = '';

  /** @param toPlace cursor to resume after this result, for transports that keep it for the client */
  constructor(json: string, toPlace?: () => string) {
    this.bytes = isAscii(json) ? json : Buffer.from(json).toString('latin1');
    this.#toPlace = toPlace;
  }

  /** The result as a part of a stream, in bytes as well: made once for all readers with the same framing object. */
  in(framing: ResultFraming): string {
    if (this.#framing !== framing) {
      this.#framing = framing;
      this.#framed = framing.next(this.bytes, this.#toPlace?.() ?? null);
    }
    return this.#framed;
  }
}

/** How a result is written into a stream. */
interface ResultFraming {
  next(json: string, place: string | null): string;
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/** Results shared by the streams that have the same document and the same variables for results. */
export interface SharedResults {
  /**
   * The text of an item's result.
   * @param print called if no stream has printed it yet; `null` = the result cannot be shared
   */
  textOf(item: object, print: (item: object) => ResultText | null): ResultText | null;
  /** Must be called once by each stream that has joined, when it ends. */
  leave(): void;
}

interface Kept {
  /** The map that contains this entry. */
  readonly texts: Map<object, Kept>;
  readonly item: object;
  readonly text: ResultText | null;
  readonly bytes: number;
}

/** Longer keys are replaced by their hash, since clients choose their length. */
const maxKeyLength = 256;
/** Bytes of an entry beside its text. */
const entryBytes = 200;

/**
 * Keeps printed results while other streams may need them: the newest of all streams together, up to a bound in bytes. Results
 * for a single stream are not kept.
 */
export class ResultTexts {
  readonly #maxBytes: number;
  readonly #kept = new Set<Kept>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes of all that is kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @returns joins the streams of one document that have the same key */
  ofDocument(): (key: string) => SharedResults {
    const groups = new Map<string, Group>();
    return (whole) => {
      const key = whole.length > maxKeyLength ? createHash('sha256').update(whole).digest('base64') : whole;
      let group = groups.get(key);
      if (!group) {
        group = new Group(this, () => groups.delete(key));
        groups.set(key, group);
      }
      group.streams += 1;
      return group;
    };
  }

  keep(texts: Kept['texts'], item: object, text: ResultText | null): void {
    // The text alone, and as a part of a stream.
    const bytes = entryBytes + 2 * (text?.bytes.length ?? 0);
    if (bytes > this.#maxBytes) return;
    const entry = { texts, item, text, bytes };
    texts.set(item, entry);
    this.#kept.add(entry);
    this.#bytes += bytes;
    for (const oldest of this.#kept) {
      if (this.#bytes <= this.#maxBytes) return;
      this.drop(oldest);
    }
  }

  drop(entry: Kept): void {
    this.#kept.delete(entry);
    entry.texts.delete(entry.item);
    this.#bytes -= entry.bytes;
  }
}

/** Streams of one document that send the same. */
class Group implements SharedResults {
  streams = 0;
  readonly #all: ResultTexts;
  readonly #onEmpty: () => void;
  readonly #texts: Kept['texts'] = new Map();

  constructor(all: ResultTexts, onEmpty: () => void) {
    this.#all = all;
    this.#onEmpty = onEmpty;
  }

  textOf(item: object, print: (item: object) => ResultText | null): ResultText | null {
    const known = this.#texts.get(item);
    if (known) return known.text;
    const text = print(item);
    if (this.streams > 1) this.#all.keep(this.#texts, item, text);
    return text;
  }

  leave(): void {
    this.streams -= 1;
    if (this.streams > 0) return;
    this.#onEmpty();
    for (const entry of this.#texts.values()) this.#all.drop(entry);
  }
}
