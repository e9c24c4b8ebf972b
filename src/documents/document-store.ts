import { LRUCache } from 'lru-cache';
import { type PreparedDocument, type PrepareOptions, prepareDocument } from './prepared-document.ts';

export interface DocumentStore {
  /** The prepared document of a text, made when it is first seen. */
  prepare(text: string): PreparedDocument;
  /** What is known of a text already; looking does not keep it longer. */
  peek(text: string): PreparedDocument | undefined;
  /** The same for a text that is asked about and not executed: neither looked up nor kept. */
  prepareUnkept(text: string): PreparedDocument;
}

/** Memory for prepared documents of one generation, in bytes as estimated below. */
const maxStoredBytes = 64 * 1024 * 1024;
/** A parsed and measured document takes some fifty times its text; measured on documents of 100 to 5,000 bytes. */
const bytesPerCharacter = 50;
const bytesPerDocument = 2_048;
/** Longer texts carry transactions inline, which are never seen twice. */
const maxStoredCharacters = 20_000;

/** Keeps what was prepared, bounded by bytes: a million distinct documents cost time, not memory. */
export function createDocumentStore(options: PrepareOptions): DocumentStore {
  const prepared = new LRUCache<string, PreparedDocument>({
    maxSize: maxStoredBytes,
    sizeCalculation: (_document, text) => text.length * bytesPerCharacter + bytesPerDocument,
  });
  return {
    prepare(text) {
      const known = prepared.get(text);
      if (known) return known;
      const made = prepareDocument(text, options);
      if (text.length <= maxStoredCharacters) prepared.set(text, made);
      return made;
    },
    peek: (text) => prepared.peek(text),
    prepareUnkept: (text) => prepareDocument(text, options),
  };
}
