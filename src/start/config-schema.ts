import type { AddressSetting } from '../config/address-setting.ts';
import type { ConfigKey } from '../config/config-key.ts';
import { configKeys } from '../config/keys.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema (2020-12) of a configuration file, for editors and for checks before a file is rolled out. It says no
 * more than the shape of each setting; what settings demand of each other only the parser knows.
 * @param further settings beside those of the table
 */
export function toConfigSchema(further: readonly AddressSetting[] = []): JsonSchema {
  const settings: readonly (readonly [string, ConfigKey<unknown>])[] = [
    ...Object.entries(configKeys),
    ...further.map(({ name, key }) => [name, key] as const),
  ];
  const ofFile = settings.filter(([name, { inForce }]) => name !== 'CONFIG_FILE' && inForce === true);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration of ledger-gateway',
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(ofFile.map(([name, key]) => [name, toProperty(key)])),
  };
}

function toProperty({ kind, description, fallback, fallbackText }: ConfigKey<unknown>): JsonSchema {
  const { jsonSchema = { type: ['string', 'number'] } } = kind;
  const shape = kind.isList ? { anyOf: [jsonSchema, { type: 'array', items: { type: 'string' } }] } : jsonSchema;
  const isShown = fallback !== null && fallbackText === undefined && !Array.isArray(fallback);
  return {
    // An empty value is an unset one.
    anyOf: [shape, { enum: ['', null] }],
    description: `${description}\n\nValue: ${kind.expected}.${fallbackText ? ` Default: ${fallbackText}.` : ''}`,
    ...(isShown && { default: fallback }),
  };
}
