import { LRUCache } from 'lru-cache';
import {
  type PreparedDocument,
  type PrepareOptions,
  prepareDocument,
  type ReadDocument,
  readDocument,
} from './prepared-document.ts';

export interface DocumentStore<Operation = unknown> {
  /** Returns the prepared document of a text. Prepares it at first sight, and keeps it. */
  prepare(text: string): PreparedDocument<Operation>;
  /** Returns the prepared document of a text if it is kept. Counts as a use. */
  find(text: string): PreparedDocument<Operation> | undefined;
  /** Reads a text that is only explained, not executed. Neither looks it up nor keeps it. */
  read(text: string): ReadDocument<Operation>;
}

/**
 * Memory for the prepared documents of one generation, in bytes as `PreparedDocument.bytes` says. A new document is on trial
 * in a small cache; its second use moves it to the large one. So a flood of texts that are never repeated only goes
 * through the small cache and does not push out documents in use.
 */
const maxTrialBytes = 16 * 1024 * 1024;
const maxProvenBytes = 48 * 1024 * 1024;
/** Longer texts are not kept: they hold transactions as literals, so they never come twice. */
const maxStoredCharacters = 20_000;

export interface DocumentStoreBounds {
  readonly maxTrialBytes: number;
  readonly maxProvenBytes: number;
}

/** Keeps prepared documents, up to a bound in bytes: a million different documents cost time, not memory. */
export function createDocumentStore<Operation>(
  options: PrepareOptions<Operation>,
  bounds: DocumentStoreBounds = { maxTrialBytes, maxProvenBytes },
): DocumentStore<Operation> {
  const sizeCalculation = ({ bytes }: PreparedDocument<Operation>) => bytes;
  const onTrial = new LRUCache<string, PreparedDocument<Operation>>({ maxSize: bounds.maxTrialBytes, sizeCalculation });
  const proven = new LRUCache<string, PreparedDocument<Operation>>({ maxSize: bounds.maxProvenBytes, sizeCalculation });

  const find = (text: string): PreparedDocument<Operation> | undefined => {
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
