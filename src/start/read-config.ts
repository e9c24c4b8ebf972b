import type { Config } from '../config/config.ts';
import { type ConfigSource, parseConfig } from '../settings/parse-config.ts';
import { allUpstreams, type UpstreamList, upstreamList } from './upstreams.ts';

/**
 * Turns environment and configuration file into a checked configuration, the addresses of all upstreams included.
 * @throws ConfigError with every mistake there is; nothing else
 */
export function readConfig(source: ConfigSource, list: UpstreamList = upstreamList): Config {
  return parseConfig(
    source,
    allUpstreams(list).map(({ setting }) => setting),
  );
}
