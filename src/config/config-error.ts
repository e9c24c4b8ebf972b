import type { z } from 'zod';

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

export interface CheckedContent {
  /** The setting that holds the content, or names its file. */
  readonly setting: string;
  readonly content: unknown;
  /** The allowed names, if a name is unknown. */
  readonly knownNames: string;
  /** Shows a value that is not allowed. */
  readonly describe: (value: unknown) => string;
}

/** The mistakes that zod found. Each has a path as its key, such as `CLIENTS_FILE.0.hash`. */
export function toMistakes(issues: readonly z.core.$ZodIssue[], checked: CheckedContent): ConfigMistake[] {
  const { setting, content, knownNames, describe } = checked;
  const toKey = (path: readonly PropertyKey[]) => [setting, ...path.map((part) => quoteKey(String(part)))].join('.');
  const unknown = (path: readonly PropertyKey[]) => ({ key: toKey(path), expected: knownNames, got: 'an unknown one' });
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => unknown([...issue.path, name]));
    if (issue.code === 'invalid_key') return [unknown(issue.path)];
    return [{ key: toKey(issue.path), expected: toExpected(issue), got: describe(valueAt(content, issue.path)) }];
  });
}

function toExpected(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `one of ${issue.values.join(', ')}`;
  const isObject = issue.code === 'invalid_type' && /^(object|record)$/.test(issue.expected);
  return isObject ? 'an object' : issue.message;
}

function valueAt(content: unknown, path: readonly PropertyKey[]): unknown {
  let value = content;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<PropertyKey, unknown>>)[key];
  }
  return value;
}
