import type { Config } from '../config/config.ts';
import type { ConfigSource } from '../config/config-source.ts';
import { describeSettings, type SettingInForce, toConfigSchema } from '../config/describe-config.ts';
import { withAddresses } from '../config/keys.ts';
import { parseConfig } from '../config/parse-config.ts';
import { readSettings } from '../config/read-settings.ts';
import { allUpstreams, type UpstreamList, upstreamList } from './upstreams.ts';

/**
 * Turns environment and configuration file into a checked configuration, the addresses of all upstreams included.
 * @throws ConfigError with every mistake
 */
export function readConfig(source: ConfigSource, list: UpstreamList = upstreamList): Config {
  return parseConfig(source, addressSettings(list));
}

/** The settings in force and their origin. @throws ConfigError with every mistake */
export function describeConfig(source: ConfigSource): SettingInForce[] {
  readConfig(source);
  return describeSettings(source, withAddresses(addressSettings(upstreamList)));
}

/** Files that are read only at the start. */
const readAtStart: readonly string[] = ['CURSOR_KEYS_FILE', 'LEDGER_GRAPHQL_URL_FILE', 'REDIS_URL_FILE'];

/**
 * Names of the settings that differ between two sources, for settings that take effect at the next start. The gateway reloads
 * the files of clients, documents and other secrets by itself.
 * @throws ConfigError with every mistake of `after`
 */
export function findChangedSettings(before: ConfigSource, after: ConfigSource): string[] {
  readConfig(after);
  const table = withAddresses(addressSettings(upstreamList));
  const textsOf = (source: ConfigSource) => {
    const { texts } = readSettings(source, table);
    const contentOf = (path: string | undefined) => (path === undefined ? '' : source.readFile(path).trim());
    return (name: string) => `${texts.get(name)} ${readAtStart.includes(name) ? contentOf(texts.get(name)) : ''}`;
  };
  const [one, other] = [textsOf(before), textsOf(after)];
  return Object.keys(table).filter((name) => one(name) !== other(name));
}

export function configSchema(): Readonly<Record<string, unknown>> {
  return toConfigSchema(withAddresses(addressSettings(upstreamList)));
}

function addressSettings(list: UpstreamList) {
  return allUpstreams(list).map(({ setting }) => setting);
}
