const longestShown = 80;

/** Text of a setting as it may be shown in one line: quoted, control characters escaped, shortened. */
export function quoteText(text: string): string {
  return text.length > longestShown
    ? `${JSON.stringify(text.slice(0, longestShown))}… (${text.length} characters)`
    : JSON.stringify(text);
}
