import { LRUCache } from 'lru-cache';
import { createDocumentReader } from './document-reader.ts';
import type { PreparedDocument, PrepareOptions, ReadDocument } from './prepared-document.ts';

export interface DocumentStore<Operation = unknown> {
  /** Returns the prepared document of a text. Prepares it at first sight, and keeps it then or when it comes again. */
  prepare(text: string): PreparedDocument<Operation>;
  /** Returns the prepared document of a text if it is kept. Counts as a use. */
  find(text: string): PreparedDocument<Operation> | undefined;
  /** Reads a text that is only explained, not executed. Neither looks it up nor keeps it. */
  read(text: string): ReadDocument<Operation>;
}

/**
 * Bytes for the prepared documents of one generation, counted by `PreparedDocument.bytes`. A document that came again after
 * it was kept is proven, and is never pushed out by others: at least a quarter is theirs. Half of all takes texts
 * at first sight until it is full. From then on one is kept when it comes a second time, so a flood of texts that are never repeated
 * pushes nothing out, and what is made of them is garbage at once: kept for a while, it would have to be collected with all
 * that is old, which slows everybody down. With what is kept of their shapes it is 64 MiB.
 */
const maxBytes = 60 * 1024 * 1024;
const maxProvenBytes = 45 * 1024 * 1024;
/** Longer texts are not kept: they hold transactions as literals, so they never come twice. */
const maxStoredCharacters = 20_000;

export interface DocumentStoreBounds {
  /** All documents together. */
  readonly maxBytes: number;
  /** Documents that came more than once; less than `maxBytes`. */
  readonly maxProvenBytes: number;
}

/** Keeps prepared documents, up to a bound in bytes: a million different documents cost time, not memory. */
export function createDocumentStore<Operation>(
  options: PrepareOptions<Operation>,
  bounds: DocumentStoreBounds = { maxBytes, maxProvenBytes },
): DocumentStore<Operation> {
  const reader = createDocumentReader(options);
  const sizeCalculation = ({ bytes }: PreparedDocument<Operation>) => bytes;
  const newcomers = new LRUCache<string, PreparedDocument<Operation>>({ maxSize: bounds.maxBytes, sizeCalculation });
  const proven = new LRUCache<string, PreparedDocument<Operation>>({
    maxSize: bounds.maxProvenBytes,
    sizeCalculation,
    // The proven document that was not used for longest becomes a newcomer again.
    disposeAfter: (prepared, text, reason) => {
      if (reason === 'evict') newcomers.set(text, prepared);
    },
  });
  const sightings = createSightings();
  const atFirstSight = bounds.maxBytes / 2;
  const isKept = (text: string, { bytes }: PreparedDocument<Operation>): boolean =>
    newcomers.calculatedSize + bytes <= atFirstSight || sightings.note(text);
  const makeRoom = (): void => {
    while (newcomers.calculatedSize + proven.calculatedSize > bounds.maxBytes) newcomers.pop();
  };

  const find = (text: string): PreparedDocument<Operation> | undefined => {
    const known = proven.get(text);
    if (known) return known;
    const newcomer = newcomers.get(text);
    if (!newcomer) return undefined;
    newcomers.delete(text);
    proven.set(text, newcomer);
    return newcomer;
  };

  return {
    find,
    prepare(text) {
      const known = find(text);
      if (known) return known;
      const made = reader.prepare(text);
      if (text.length > maxStoredCharacters || !isKept(text, made)) return made;
      newcomers.set(text, made);
      makeRoom();
      return made;
    },
    read: reader.read,
  };
}

/** Which texts came lately, by four bytes of each: of texts that come once nothing else needs to be kept. */
export interface Sightings {
  /** Notes a text. @returns whether it had been noted before; rarely true of one that only looks like another */
  note(text: string): boolean;
}

/** A power of two. A text is forgotten when another one takes its place: on average after so many others. */
const places = 65_536;

export function createSightings(): Sightings {
  const marks = new Uint32Array(places);
  return {
    note(text) {
      const mark = toMark(text);
      const place = mark & (places - 1);
      if (marks[place] === mark) return true;
      marks[place] = mark;
      return false;
    },
  };
}

/**
 * FNV-1a, its bits mixed once more so that any of them can choose the place. Whoever makes up texts with equal marks has them
 * kept at first sight, which costs no more than sending each of them twice.
 */
function toMark(text: string): number {
  let mark = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) mark = Math.imul(mark ^ text.charCodeAt(index), 0x01000193);
  mark ^= mark >>> 16;
  mark = Math.imul(mark, 0x85ebca6b);
  mark ^= mark >>> 13;
  // 0 is an empty place.
  return mark >>> 0 || 1;
}
