import type { Config } from '../config/config.ts';
import { describeSettings, type SettingInForce, toConfigSchema } from '../config/describe-config.ts';
import { withAddresses } from '../config/keys.ts';
import { parseConfig } from '../config/parse-config.ts';
import type { ConfigSource } from '../config/read-settings.ts';
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

/** The JSON Schema of the configuration file. */
export function configSchema(): Readonly<Record<string, unknown>> {
  return toConfigSchema(withAddresses(addressSettings(upstreamList)));
}

function addressSettings(list: UpstreamList) {
  return allUpstreams(list).map(({ setting }) => setting);
}
