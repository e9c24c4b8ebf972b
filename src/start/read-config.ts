import type { Config } from '../config/config.ts';
import { describeSettings, type SettingInForce, toConfigSchema } from '../config/describe-config.ts';
import { withAddresses } from '../config/keys.ts';
import { parseConfig } from '../config/parse-config.ts';
import { type ConfigSource, readSettings } from '../config/read-settings.ts';
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
    const keysFile = texts.get('CURSOR_KEYS_FILE');
    return { texts, cursorKeys: keysFile === undefined ? '' : source.readFile(keysFile).trim() };
  };
  const [one, other] = [textsOf(before), textsOf(after)];
  const names = Object.keys(table).filter((name) => one.texts.get(name) !== other.texts.get(name));
  const hasNewKeys = one.cursorKeys !== other.cursorKeys && !names.includes('CURSOR_KEYS_FILE');
  return hasNewKeys ? [...names, 'CURSOR_KEYS_FILE'] : names;
}

export function configSchema(): Readonly<Record<string, unknown>> {
  return toConfigSchema(withAddresses(addressSettings(upstreamList)));
}

function addressSettings(list: UpstreamList) {
  return allUpstreams(list).map(({ setting }) => setting);
}
