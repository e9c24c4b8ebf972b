import { LRUCache } from 'lru-cache';
import { createDocumentReader } from './document-reader.ts';
import type { PreparedDocument, PrepareOptions, ReadDocument } from './prepared-document.ts';

export interface DocumentStore<Operation = unknown> {
  /** Returns the prepared document of a text. Prepares it at first sight, and keeps it then or at its second sight. */
  prepare(text: string): PreparedDocument<Operation>;
  /** Returns the prepared document of a text if it is kept. Counts as a use. */
  find(text: string): PreparedDocument<Operation> | undefined;
  /** Reads a text that is only explained. Neither looks it up nor keeps it. */
  read(text: string): ReadDocument<Operation>;
}

/**
 * Memory for the prepared documents of one generation, by `PreparedDocument.bytes`. A document that is used again after it was
 * kept is proven. Proven documents have at least a quarter that others cannot evict. New documents are kept at first sight
 * until half of the memory is in use, and from then on at second sight. So a flood of texts that never repeat evicts nothing
 * and becomes garbage immediately; kept for a while, it would be collected with old objects, which pauses every request.
 */
const maxBytes = 60 * 1024 * 1024;
const maxProvenBytes = 45 * 1024 * 1024;
/** Longer texts are not kept: they hold transactions as literals, so they never repeat. */
const maxStoredCharacters = 20_000;

export interface DocumentStoreBounds {
  /** All documents together. */
  readonly maxBytes: number;
  /** Documents that were used more than once; less than `maxBytes`. */
  readonly maxProvenBytes: number;
}

/** Keeps prepared documents, up to a bound in bytes. */
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

/** Remembers which texts came lately by four bytes each, so that texts that come once need no other memory. */
export interface Sightings {
  /** Notes a text. @returns whether it was noted before; rarely true for a different text with the same hash */
  note(text: string): boolean;
}

/** A power of two. A text is forgotten when another one takes its slot: on average after so many others. */
const slots = 65_536;

function createSightings(): Sightings {
  const marks = new Uint32Array(slots);
  return {
    note(text) {
      const mark = toMark(text);
      const slot = mark & (slots - 1);
      if (marks[slot] === mark) return true;
      marks[slot] = mark;
      return false;
    },
  };
}

/**
 * FNV-1a, mixed once more so that any of its bits can choose the slot. A client that makes texts with equal hashes gets them
 * kept at first sight, which costs no more than sending each of them twice.
 */
function toMark(text: string): number {
  let mark = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) mark = Math.imul(mark ^ text.charCodeAt(index), 0x01000193);
  mark ^= mark >>> 16;
  mark = Math.imul(mark, 0x85ebca6b);
  mark ^= mark >>> 13;
  // 0 marks an empty slot.
  return mark >>> 0 || 1;
}
