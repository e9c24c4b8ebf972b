import { callerKeys } from './caller-keys.ts';
import type { ConfigKey, ValueOfKey } from './config-key.ts';
import { limitKeys } from './limit-keys.ts';
import { listenerKeys } from './listener-keys.ts';
import { operationKeys } from './operation-keys.ts';
import { sponsorshipKeys } from './sponsorship-keys.ts';
import { upstreamKeys } from './upstream-keys.ts';

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
