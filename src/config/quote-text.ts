const longestShown = 80;

/** Quotes text for a one-line message: control characters escaped, long text shortened. */
export function quoteText(text: string): string {
  return text.length > longestShown
    ? `${JSON.stringify(text.slice(0, longestShown))}… (${text.length} characters)`
    : JSON.stringify(text);
}
