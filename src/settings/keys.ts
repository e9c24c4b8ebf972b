import type { ConfigKey, ValueOfKey } from '../config/config-key.ts';
import { callerKeys } from './keys/caller-keys.ts';
import { limitKeys } from './keys/limit-keys.ts';
import { listenerKeys } from './keys/listener-keys.ts';
import { operationKeys } from './keys/operation-keys.ts';
import { sponsorshipKeys } from './keys/sponsorship-keys.ts';
import { upstreamKeys } from './keys/upstream-keys.ts';

/** All settings. Parser, checks and documentation are driven by this table. */
export const configKeys = {
  ...listenerKeys,
  ...upstreamKeys,
  ...sponsorshipKeys,
  ...callerKeys,
  ...limitKeys,
  ...operationKeys,
} as const satisfies Record<string, ConfigKey<unknown>>;

export type ConfigKeyName = keyof typeof configKeys;

/** The value of every setting; the default where unset. */
export type ConfigValues = { readonly [Name in ConfigKeyName]: ValueOfKey<(typeof configKeys)[Name]> };

export const configKeyNames = Object.keys(configKeys) as readonly ConfigKeyName[];

export function isConfigKeyName(name: string): name is ConfigKeyName {
  return Object.hasOwn(configKeys, name);
}
