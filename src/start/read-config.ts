import type { Config } from '../config/config.ts';
import { isConfigKeyName } from '../config/keys.ts';
import { type ConfigSource, parseConfig } from '../config/parse-config.ts';
import { toConfigSchema } from './config-schema.ts';
import { describeSettings, type SettingInForce } from './describe-settings.ts';
import { allUpstreams, type UpstreamList, upstreamList } from './upstreams.ts';

/**
 * Turns environment and configuration file into a checked configuration, the addresses of all upstreams included.
 * @throws ConfigError with every mistake there is; nothing else
 */
export function readConfig(source: ConfigSource, list: UpstreamList = upstreamList): Config {
  return parseConfig(source, addressSettings(list));
}

/**
 * What is in force, and where it comes from.
 * @throws ConfigError with every mistake there is; nothing else
 */
export function describeConfig(source: ConfigSource): SettingInForce[] {
  readConfig(source);
  return describeSettings(source, furtherSettings());
}

/** The JSON Schema of the configuration file. */
export function configSchema(): Readonly<Record<string, unknown>> {
  return toConfigSchema(furtherSettings());
}

function addressSettings(list: UpstreamList) {
  return allUpstreams(list).map(({ setting }) => setting);
}

/** Those of upstreams that the table of settings does not have already. */
function furtherSettings() {
  return addressSettings(upstreamList).filter(({ name }) => !isConfigKeyName(name));
}
