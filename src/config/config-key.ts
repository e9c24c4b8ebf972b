import type { z } from 'zod';
import type { ValueType } from './value-types.ts';

/** One setting: its type, its default, its documentation, and what it depends on. */
export interface ConfigKey<Value = unknown> {
  readonly type: ValueType<Value>;
  /** The value when unset. Left out: `null`. */
  readonly fallback?: Value;
  /** The default as the documentation shows it, if it differs from `fallback`. */
  readonly fallbackText?: string;
  /** What the setting does, for the documentation: one paragraph, with units. */
  readonly description: string;
  readonly needs?: string;
  /** For the path of a file with a secret: the setting that would contain the secret itself. */
  readonly holds?: string;
  /** The value is the address of an upstream. */
  readonly isAddress?: true;
}

/** All settings of a gateway by name, in the order of the documentation. */
export type ConfigTable = Readonly<Record<string, ConfigKey>>;

export type ValueOfKey<Key extends ConfigKey> =
  | z.output<Key['type']>
  | (Key extends { readonly fallback: unknown } ? never : null);

/** The setting that holds the address of an upstream. */
export interface AddressSetting {
  /** The value in the form of the environment. */
  readonly name: string;
  readonly key: ConfigKey<string | readonly string[]>;
}
