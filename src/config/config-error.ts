/** One setting that cannot be used. */
export interface ConfigMistake {
  readonly key: string;
  /** What is allowed: the words after "expected". */
  readonly expected: string;
  /** What was found instead: the words after "got". Never a secret. */
  readonly got: string;
}

/** Lists all mistakes of a configuration, one line of the message for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly mistakes: readonly ConfigMistake[];

  constructor(mistakes: readonly ConfigMistake[]) {
    super(mistakes.map(toMistakeLine).join('\n'));
    this.mistakes = mistakes;
  }
}

export function toMistakeLine({ key, expected, got }: ConfigMistake): string {
  return `${key}: expected ${expected}, got ${got}`;
}

const longestShown = 80;

/** Quotes text for a one-line message: control characters escaped, long text shortened. */
export function quoteText(text: string): string {
  return text.length > longestShown
    ? `${JSON.stringify(text.slice(0, longestShown))}… (${text.length} characters)`
    : JSON.stringify(text);
}
