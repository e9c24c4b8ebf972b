export interface ConfigMistake {
  readonly key: string;
  /** The words after "expected": what is allowed. */
  readonly expected: string;
  /** The words after "got": what was found. Never a secret. */
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

export function quoteKey(name: string): string {
  return quoteText(name).slice(1, -1);
}
