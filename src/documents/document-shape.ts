/** A text without what stands between its quotation marks. */
export interface DocumentShape {
  /** The text with every string emptied: equal for texts that differ in nothing else. */
  readonly outline: string;
  /** What the strings hold, in the order of the text. */
  readonly strings: readonly string[];
}

/** Escapes, comments, whatever is not printable ASCII: there a quotation mark may mean something else. */
const unusual = /[^\t\n\r -~]|[\\#]/;
const lineEnd = /[\t\n\r]/;

/**
 * Takes the strings out of a text without parsing it. `null` for a text without any, and for one in which quotation marks
 * might not simply begin and end strings. Of two texts of one outline, one is a document where the other is, and they are
 * the same but for their strings.
 */
export function toShape(text: string): DocumentShape | null {
  if (!text.includes('"') || unusual.test(text)) return null;
  const parts = text.split('"');
  if (parts.length % 2 === 0) return null;
  const between: string[] = [];
  const strings: string[] = [];
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 1) {
      if (lineEnd.test(part)) return null;
      strings.push(part);
    } else {
      // Quotation marks side by side may open a block string.
      if (part === '' && index > 0) return null;
      between.push(part);
    }
  }
  return { outline: between.join('""'), strings };
}
