import { type Document, parseDocument } from 'yaml';

export type ParsedYaml =
  | { readonly value: unknown; readonly document: Document }
  /** What is wrong, without quoting the text. */
  | { readonly problem: string };

/**
 * Parses YAML, of which JSON is a part. Of a syntax error only the line is reported: the parser's message would quote the
 * text, which may hold a secret.
 */
export function parseYaml(text: string): ParsedYaml {
  try {
    const document = parseDocument(text, { logLevel: 'error' });
    const [error] = document.errors;
    if (error) return { problem: `text that is neither (line ${error.linePos?.[0].line ?? '?'}: ${error.code})` };
    return { value: document.toJS(), document };
  } catch {
    return { problem: 'text that cannot be read as either' };
  }
}
