/** A document's text, taken apart into its strings and the rest. */
export interface DocumentShape {
  /** The text with every string emptied: equal for texts that differ in nothing else. */
  readonly outline: string;
  /** What the strings hold, in the order of the text. */
  readonly strings: readonly string[];
}

/** Escapes, comments, and characters that are not printable ASCII: with them a quotation mark may not delimit a string. */
const unusual = /[^\t\n\r -~]|[\\#]/;
const lineEnd = /[\t\n\r]/;

/**
 * Takes the strings out of a text without parsing it. Two texts with one outline are both documents or both not, and differ
 * only in their strings. `null` for a text without strings, and if quotation marks might not simply begin and end them.
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
      // Adjacent quotation marks may begin a block string.
      if (part === '' && index > 0) return null;
      between.push(part);
    }
  }
  return { outline: between.join('""'), strings };
}
