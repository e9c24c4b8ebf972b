import { createHash } from 'node:crypto';
import type { ExecutionResult } from 'graphql';
import type { ItemReader, PushedItems } from '../../upstream/operation-context.ts';

/** Receives results as soon as they exist. */
export interface ResultReader {
  /** Can it take another result now? When it can again, it calls `resume` of the stream. */
  readonly isReady: boolean;
  /** A result without errors, printed once for all streams that send the same. */
  takeText(text: ResultText): void;
  /** A result of this stream alone. */
  takeResult(result: ExecutionResult): void;
  end(): void;
  fail(error: unknown): void;
}

export interface ResultStreamOptions {
  readonly items: PushedItems;
  toResult(item: object): Promise<ExecutionResult>;
  /** Prints a result once for all streams that send the same; `null` where results are not shared. */
  readonly shared: SharedPrinting | null;
  /** The error that clients see for an unexpected fault, which the log records. */
  toFault(error: unknown): unknown;
  /** Called once, when the stream ends or its client leaves, with the number of errors it sent. */
  onEnd(errors: number): void;
}

export interface ResultPrinter {
  /** `null` = the result belongs to one stream alone, or is not available synchronously. */
  print(item: object): ResultText | null;
}

export interface SharedPrinting extends ResultPrinter {
  readonly results: Pick<SharedResults, 'textOf' | 'leave'>;
}

/** The results of a subscription. */
export class ResultStream implements ItemReader<object> {
  readonly #options: ResultStreamOptions;
  #reader: ResultReader | null = null;
  /** Callbacks to run after the item that is executing for this stream alone; `null` = none is executing. */
  #afterItem: (() => void)[] | null = null;
  #errors = 0;
  #isOver = false;

  constructor(options: ResultStreamOptions) {
    this.#options = options;
  }

  pushTo(reader: ResultReader): void {
    if (this.#isOver) {
      reader.end();
      return;
    }
    this.#reader = reader;
    this.#options.items.pushTo(this);
  }

  resume(): void {
    this.#options.items.resume();
  }

  get isReady(): boolean {
    return this.#afterItem === null && this.#reader !== null && this.#reader.isReady;
  }

  take(item: object): void {
    if (this.#afterItem) {
      this.#afterItem.push(() => this.take(item));
      return;
    }
    const { shared } = this.#options;
    const text = shared?.results.textOf(item, shared);
    if (text) this.#reader?.takeText(text);
    else void this.#takeAlone(item);
  }

  async #takeAlone(item: object): Promise<void> {
    const afterItem: (() => void)[] = [];
    this.#afterItem = afterItem;
    try {
      const result = await this.#options.toResult(item);
      if (this.#isOver) return;
      this.#errors += result.errors?.length ?? 0;
      this.#reader?.takeResult(result);
    } catch (error) {
      this.fail(error);
      return;
    }
    this.#afterItem = null;
    for (const step of afterItem) step();
    if (!this.#isOver) this.resume();
  }

  end(): void {
    if (this.#afterItem) this.#afterItem.push(() => this.end());
    else if (!this.#isOver) {
      this.#end();
      this.#reader?.end();
    }
  }

  /** Ends the stream before its items do. */
  stop(why: Error): void {
    this.#options.items.stop(why);
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#errors += 1;
    this.#reader?.fail(this.#options.toFault(error));
    this.leave();
  }

  leave(): void {
    const wasOver = this.#isOver;
    this.#end();
    if (!wasOver) this.#reader?.end();
    this.#options.items.leave();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.shared?.results.leave();
    this.#options.onEnd(this.#errors);
  }
}

/** A complete result as JSON, shared by any number of subscribers. */
export class ResultText {
  /** Its UTF-8 bytes, one character each, so that it is appended to other bytes and sent without being encoded again. */
  readonly bytes: string;
  readonly #toCursor: (() => string) | undefined;
  #framing: object | null = null;
  #framed = '';

  /** @param toCursor cursor to resume after this result, for transports that keep it for the client */
  constructor(json: string, toCursor?: () => string) {
    this.bytes = isAscii(json) ? json : Buffer.from(json).toString('latin1');
    this.#toCursor = toCursor;
  }

  /** The result as a part of a stream, in bytes as well: made once for all readers with the same framing object. */
  in(framing: { next(json: string, cursor: string | null): string }): string {
    if (this.#framing !== framing) {
      this.#framing = framing;
      this.#framed = framing.next(this.bytes, this.#toCursor?.() ?? null);
    }
    return this.#framed;
  }
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

interface KeptItem {
  /** The map that contains this entry. */
  readonly texts: Map<object, KeptItem>;
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
  readonly #kept = new Set<KeptItem>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @returns a function that joins the streams of one document that have the same key */
  ofDocument(): (key: string) => SharedResults {
    const groups = new Map<string, SharedResults>();
    return (fullKey) => {
      const key = fullKey.length > maxKeyLength ? createHash('sha256').update(fullKey).digest('base64') : fullKey;
      let group = groups.get(key);
      if (!group) {
        group = new SharedResults(this, () => groups.delete(key));
        groups.set(key, group);
      }
      group.streams += 1;
      return group;
    };
  }

  keep(texts: KeptItem['texts'], item: object, text: ResultText | null): void {
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

  drop(entry: KeptItem): void {
    this.#kept.delete(entry);
    entry.texts.delete(entry.item);
    this.#bytes -= entry.bytes;
  }
}

/** Results shared by the streams that have the same document and the same variables for results. */
export class SharedResults {
  streams = 0;
  readonly #all: ResultTexts;
  readonly #onEmpty: () => void;
  readonly #texts: KeptItem['texts'] = new Map();

  constructor(all: ResultTexts, onEmpty: () => void) {
    this.#all = all;
    this.#onEmpty = onEmpty;
  }

  /**
   * The text of an item's result.
   * @param printer called if no stream has printed it yet
   */
  textOf(item: object, printer: ResultPrinter): ResultText | null {
    const known = this.#texts.get(item);
    if (known) return known.text;
    const text = printer.print(item);
    if (this.streams > 1) this.#all.keep(this.#texts, item, text);
    return text;
  }

  /** Must be called once by each stream that has joined, when it ends. */
  leave(): void {
    this.streams -= 1;
    if (this.streams > 0) return;
    this.#onEmpty();
    for (const entry of this.#texts.values()) this.#all.drop(entry);
  }
}
