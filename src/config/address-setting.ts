import type { ConfigKey } from './config-key.ts';

/** A setting that holds the address of an upstream, by http or https. */
export interface AddressSetting {
  /** As it is written in the environment. */
  readonly name: string;
  /** How it is read and documented. */
  readonly key: ConfigKey<string, string | null>;
}
