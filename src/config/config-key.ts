/** How the text of one setting becomes a value. */
export interface ValueKind<T> {
  /** What is allowed, as it continues "expected …": `an integer from 0 to 65535`. */
  readonly expected: string;
  /** `undefined` when the text is not acceptable. Must not throw. */
  parse(text: string): T | undefined;
  /** How a refused text may be shown. Left out: as it is, shortened. */
  show?(text: string): string;
  /** Several values separated by commas; a configuration file may give them as a list. */
  readonly isList?: true;
}

/** The headings of the documentation, in its order. */
export const configGroups = [
  'Listener',
  'Network and upstreams',
  'Sponsorship',
  'Callers',
  'Limits',
  'Operation',
] as const;
export type ConfigGroup = (typeof configGroups)[number];

/** One setting: how it is read, what it does, and whether this version acts on it. */
export interface ConfigKey<T, Default extends T | null = T | null> {
  readonly group: ConfigGroup;
  readonly kind: ValueKind<T>;
  /** The value when unset; `null` = there is none. */
  readonly fallback: Default;
  /** What the documentation shows as the default where `fallback` does not say it. */
  readonly fallbackText?: string;
  /** What happens when it is set: one paragraph, with units. */
  readonly description: string;
  /**
   * `true`: it has effect. `false`: checked, but this version does not act on it, and says so at start.
   * `'refused'`: setting it is a mistake, because going on without the feature would be less safe than asked for.
   */
  readonly inForce: true | false | 'refused';
  /** For a key that is not in force: the value that asks for exactly what happens anyway, so nothing is said. */
  readonly asAbsent?: NoInfer<T>;
}

/** Keeps the exact types of a setting's value and default. */
export function configKey<T>(key: ConfigKey<T, NoInfer<T>>): ConfigKey<T, T>;
export function configKey<T>(key: ConfigKey<T, null>): ConfigKey<T, null>;
export function configKey<T>(key: ConfigKey<T>): ConfigKey<T> {
  return key;
}

/** The type of a setting's value once parsed. */
export type ValueOfKey<K> = K extends ConfigKey<infer T, infer Default> ? (null extends Default ? T | null : T) : never;
