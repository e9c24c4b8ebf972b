import { type PreparationRules, type PreparedDocument, prepareDocument } from './prepared-document.ts';

export interface DocumentCacheOptions {
  /** Documents kept; the one unused for longest goes first. Default 1000. */
  readonly maxDocuments?: number;
  /** Longer texts are prepared each time. UTF-16 units, default 20 000. */
  readonly maxTextLength?: number;
}

/** Prepares each document once and keeps the last ones used. */
export function createDocumentCache(
  rules: PreparationRules,
  { maxDocuments = 1_000, maxTextLength = 20_000 }: DocumentCacheOptions = {},
): (text: string) => PreparedDocument {
  const kept = new Map<string, PreparedDocument>();
  return (text) => {
    const known = kept.get(text);
    const prepared = known ?? prepareDocument(text, rules);
    if (text.length > maxTextLength) return prepared;
    kept.delete(text);
    kept.set(text, prepared);
    const oldest = kept.keys().next();
    if (kept.size > maxDocuments && !oldest.done) kept.delete(oldest.value);
    return prepared;
  };
}
