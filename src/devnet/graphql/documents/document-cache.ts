import { type PreparationRules, type PreparedDocument, prepareDocument } from './prepared-document.ts';

export interface DocumentCacheOptions {
  /** What all kept documents may take in memory, as `documentWeight` estimates it. Default 64 MiB. */
  readonly maxBytes?: number;
}

/** Measured on the densest documents: variables declared again and again, and empty lists in lists. */
const bytesPerCharacter = 260;
const bytesPerDocument = 16_000;

/** The most bytes in memory that a prepared document of this text takes. */
export function documentWeight(text: string): number {
  return bytesPerDocument + bytesPerCharacter * text.length;
}

/** Prepares each document once and keeps the last ones used; the one unused for longest goes first. */
export function createDocumentCache(
  rules: PreparationRules,
  { maxBytes = 64 * 1024 * 1024 }: DocumentCacheOptions = {},
): (text: string) => PreparedDocument {
  const kept = new Map<string, PreparedDocument>();
  let bytes = 0;

  const drop = (text: string): void => {
    if (kept.delete(text)) bytes -= documentWeight(text);
  };

  return (text) => {
    const prepared = kept.get(text) ?? prepareDocument(text, rules);
    const weight = documentWeight(text);
    if (weight > maxBytes) return prepared;
    drop(text);
    kept.set(text, prepared);
    bytes += weight;
    for (const oldest of kept.keys()) {
      if (bytes <= maxBytes) break;
      drop(oldest);
    }
    return prepared;
  };
}
