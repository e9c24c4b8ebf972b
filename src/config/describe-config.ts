import { z } from 'zod';
import type { ConfigSource } from './config-source.ts';
import { readSettings } from './read-settings.ts';
import { type ConfigKey, type ConfigTable, expectedOf, showText } from './value-types.ts';

export interface SettingInForce {
  readonly name: string;
  /** Readable text on one line, without secrets; `null` = no value. */
  readonly value: string | null;
  readonly from: 'environment' | 'file' | 'default';
}

/** The settings in force and their origin, for a configuration without mistakes. */
export function describeSettings(source: ConfigSource, table: ConfigTable): SettingInForce[] {
  const { texts } = readSettings(source, table);
  return Object.entries(table).map(([name, { type, fallback = null, fallbackText }]) => {
    const text = texts.get(name);
    if (text !== undefined) {
      // Remove the quotation marks.
      const value = showText(type, text).replace(/^"(.*)"/, '$1');
      return { name, value, from: source.env[name]?.trim() ? 'environment' : 'file' };
    }
    const value = fallbackText?.replaceAll('`', '') ?? (fallback === null ? null : String(fallback));
    return { name, value, from: 'default' };
  });
}

/**
 * The JSON Schema (2020-12) of a configuration file, for editors and for checks before a rollout. It has the type of each
 * setting; only the parser checks combinations of settings.
 */
export function toConfigSchema(table: ConfigTable): Readonly<Record<string, unknown>> {
  const settings = Object.entries(table).filter(([name]) => name !== 'CONFIG_FILE');
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration of ledger-gateway',
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(settings.map(([name, key]) => [name, toProperty(key)])),
  };
}

function toProperty({ type, description, fallback, fallbackText }: ConfigKey) {
  // An empty value counts as unset.
  const { $schema: _, ...shape } = z.toJSONSchema(z.union([type, z.literal(['', null])]), { io: 'input' });
  const text = `${description}\n\nValue: ${expectedOf(type)}.${fallbackText ? ` Default: ${fallbackText}.` : ''}`;
  return { ...shape, description: text, ...(fallback !== undefined && { default: fallback }) };
}
