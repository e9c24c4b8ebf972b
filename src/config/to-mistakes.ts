import type { z } from 'zod';
import { type ConfigMistake, quoteKey } from './config-error.ts';

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
