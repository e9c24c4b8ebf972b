import { LRUCache } from 'lru-cache';
import {
  type PreparedDocument,
  type PrepareOptions,
  prepareDocument,
  type ReadDocument,
  readDocument,
} from './prepared-document.ts';

export interface DocumentStore {
  /** The prepared document of a text, made when it is first seen. */
  prepare(text: string): PreparedDocument;
  /** What is known of a text already. Counts as a use. */
  find(text: string): PreparedDocument | undefined;
  /** The same for a text that is asked about and not executed: neither looked up nor kept. */
  read(text: string): ReadDocument;
}

/**
 * Memory for prepared documents of one generation, in bytes as each document says. A newcomer is on trial in a small part;
 * one that is asked for again moves to the large one. So a flood of texts that are never repeated passes through the
 * small part alone, and what is in use stays.
 */
const maxTrialBytes = 16 * 1024 * 1024;
const maxProvenBytes = 48 * 1024 * 1024;
/** Longer texts carry transactions inline, which are never seen twice. */
const maxStoredCharacters = 20_000;

export interface DocumentStoreBounds {
  readonly maxTrialBytes: number;
  readonly maxProvenBytes: number;
}

/** Keeps what was prepared, bounded by bytes: a million distinct documents cost time, not memory. */
export function createDocumentStore(
  options: PrepareOptions,
  bounds: DocumentStoreBounds = { maxTrialBytes, maxProvenBytes },
): DocumentStore {
  const sizeCalculation = ({ bytes }: PreparedDocument) => bytes;
  const onTrial = new LRUCache<string, PreparedDocument>({ maxSize: bounds.maxTrialBytes, sizeCalculation });
  const proven = new LRUCache<string, PreparedDocument>({ maxSize: bounds.maxProvenBytes, sizeCalculation });

  const find = (text: string): PreparedDocument | undefined => {
    const known = proven.get(text);
    if (known) return known;
    const newcomer = onTrial.get(text);
    if (!newcomer) return undefined;
    onTrial.delete(text);
    proven.set(text, newcomer);
    return newcomer;
  };

  return {
    find,
    prepare(text) {
      const known = find(text);
      if (known) return known;
      const made = prepareDocument(text, options);
      if (text.length <= maxStoredCharacters) onTrial.set(text, made);
      return made;
    },
    read: (text) => readDocument(text, options),
  };
}
