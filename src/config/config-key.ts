/** Parses the text of one setting. */
export interface ValueKind<T> {
  /** What is allowed: the words after "expected", as in `an integer from 0 to 65535`. */
  readonly expected: string;
  /** `undefined` when the text is not acceptable. Must not throw. */
  parse(text: string): T | undefined;
  /** How to show a refused text. Left out: quoted and shortened. Needed where the text may hold a secret. */
  show?(text: string): string;
  /** The text holds several values, separated by commas; a configuration file may then give a list. */
  readonly isList?: true;
  /** What a configuration file may have for it, as JSON Schema has it. Left out: any text. */
  readonly jsonSchema?: Readonly<Record<string, unknown>>;
}

/** The headings of the settings in the documentation, in their order. */
export const configGroups = [
  'Listener',
  'Network and upstreams',
  'Sponsorship',
  'Callers',
  'Limits',
  'Operation',
] as const;
export type ConfigGroup = (typeof configGroups)[number];

/** One setting: its parser, its default, its documentation, and whether this version acts on it. */
export interface ConfigKey<T, Default extends T | null = T | null> {
  readonly group: ConfigGroup;
  readonly kind: ValueKind<T>;
  /** The value when unset; `null` = no value. */
  readonly fallback: Default;
  /** The default as the documentation shows it, where `fallback` does not say it. */
  readonly fallbackText?: string;
  /** What the setting does, for the documentation: one paragraph, with units. */
  readonly description: string;
  /**
   * `true`: it has effect. `false`: it is parsed but has no effect in this version, and the log says so at start.
   * `'refused'`: setting it is a mistake, because it asks for protection that this version does not have.
   */
  readonly inForce: true | false | 'refused';
}

/** Returns its argument; it exists so that TypeScript infers the exact types of value and default. */
export function configKey<T>(key: ConfigKey<T, NoInfer<T>>): ConfigKey<T, T>;
export function configKey<T>(key: ConfigKey<T, null>): ConfigKey<T, null>;
export function configKey<T>(key: ConfigKey<T>): ConfigKey<T> {
  return key;
}

/** The type of a setting's value once parsed. */
export type ValueOfKey<K> = K extends ConfigKey<infer T, infer Default> ? (null extends Default ? T | null : T) : never;
