import { callerKeys, limitKeys } from './caller-keys.ts';
import { listenerKeys, operationKeys } from './listener-keys.ts';
import { sponsorshipKeys, upstreamKeys } from './upstream-keys.ts';
import type { AddressSetting, ConfigTable, ValueOfKey } from './value-types.ts';

/** The settings under the headings of the documentation, in the documentation's order. */
export const configGroups = {
  Listener: listenerKeys,
  'Network and upstreams': upstreamKeys,
  Sponsorship: sponsorshipKeys,
  Callers: callerKeys,
  Limits: limitKeys,
  Operation: operationKeys,
} as const satisfies Readonly<Record<string, ConfigTable>>;

/** All settings. Parser, checks, JSON Schema and documentation follow from this table. */
export const configKeys = {
  ...listenerKeys,
  ...upstreamKeys,
  ...sponsorshipKeys,
  ...callerKeys,
  ...limitKeys,
  ...operationKeys,
} as const;

export const configKeyNames: readonly string[] = Object.keys(configKeys);

/** The value of every setting; the default where unset. */
export type ConfigValues = {
  readonly [Name in keyof typeof configKeys]: ValueOfKey<(typeof configKeys)[Name]>;
};

/** The table extended by the address settings of additional upstreams. */
export function withAddresses(addressSettings: readonly AddressSetting[]): ConfigTable {
  const further = addressSettings
    .filter(({ name }) => !configKeyNames.includes(name))
    // With the embedded network, no real upstream may be configured.
    .map(({ name, key }) => [name, { ...key, isAddress: true, needs: 'LEDGER_GRAPHQL_URL' }]);
  return { ...configKeys, ...Object.fromEntries(further) };
}

/** Settings that contain a secret, such as a key or a URL with a password. Most addresses contain none. */
export const secretNames: ReadonlySet<string> = new Set(
  Object.values(withAddresses([])).flatMap(({ holds }) =>
    holds === undefined || withAddresses([])[holds]?.isAddress ? [] : holds,
  ),
);
