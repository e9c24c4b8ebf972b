/** One setting that cannot be used. Never holds a secret. */
export interface ConfigMistake {
  readonly key: string;
  /** What is allowed, as it continues "expected …". */
  readonly expected: string;
  /** What is there instead, as it continues "got …". */
  readonly got: string;
}

/** The configuration has mistakes: all of them, not just the first. Its message has one line for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly mistakes: readonly ConfigMistake[];

  constructor(mistakes: readonly ConfigMistake[]) {
    super(mistakes.map(toMistakeLine).join('\n'));
    this.mistakes = mistakes;
  }
}

function toMistakeLine({ key, expected, got }: ConfigMistake): string {
  return `${key}: expected ${expected}, got ${got}`;
}
