import type { AddressSetting } from '../config/address-setting.ts';
import type { ConfigKey } from '../config/config-key.ts';
import { configKeys } from '../config/keys.ts';
import { quoteText } from '../config/quote-text.ts';
import { type ReadFile, readSettings } from '../config/read-settings.ts';

/** One setting as it is in force. */
export interface SettingInForce {
  readonly name: string;
  /** For people, on one line, without secrets; `null` = no value. */
  readonly value: string | null;
  readonly from: 'environment' | 'file' | 'default';
}

/**
 * What is in force, and where it comes from, of a configuration that has no mistake.
 * @param further settings beside those of the table
 */
export function describeSettings(
  { env, readFile }: { readonly env: Readonly<Record<string, string | undefined>>; readonly readFile: ReadFile },
  further: readonly AddressSetting[] = [],
): SettingInForce[] {
  const { texts } = readSettings(env, readFile, further);
  const settings: readonly (readonly [string, ConfigKey<unknown>])[] = [
    ...Object.entries(configKeys),
    ...further.map(({ name, key }) => [name, key] as const),
  ];
  return settings.flatMap(([name, { kind, fallback, fallbackText, inForce }]): SettingInForce[] => {
    if (inForce !== true) return [];
    const text = texts.get(name);
    if (text !== undefined) {
      const value = kind.show ? kind.show(text) : quoteText(text).slice(1, -1);
      return [{ name, value, from: env[name]?.trim() ? 'environment' : 'file' }];
    }
    const value = fallbackText?.replaceAll('`', '') ?? (fallback === null ? null : String(fallback));
    return [{ name, value, from: 'default' }];
  });
}
