/** The gateway as a library, for programs that embed it. */
import type { Config as CheckedConfig } from './config/config.ts';
import type { ErrorCode } from './errors/catalogue.ts';
import { gatewayError as toError } from './errors/gateway-error.ts';
import type { Config, ConfigSource, GatewayOptions, Logger, LoggerOptions, RunningGateway } from './start/embedding.ts';
import { withPluginFields } from './start/plugins.ts';
import { readConfig } from './start/read-config.ts';
import { startGateway as start } from './start/start.ts';
import { createLogger as create } from './telemetry/logger.ts';

export { ConfigError, type ConfigMistake } from './config/config-error.ts';
export { type ErrorCode, errorCatalogue } from './errors/catalogue.ts';
export { SchemaCollisionError } from './graph/schema-refused-error.ts';
export type * from './start/embedding.ts';

/**
 * Turns environment and configuration file into a checked configuration.
 * @param source.plugins may add settings
 * @throws ConfigError with every mistake
 */
export const parseConfig: (source: ConfigSource & Pick<GatewayOptions, 'plugins'>) => Config = (source) =>
  readConfig(source, withPluginFields(source.plugins));

/** An error that clients see, for resolvers of plugins: its message is safe to show. */
export const gatewayError: (code: ErrorCode, message: string) => Error = (code, message) => toError(code, message);

/**
 * Starts the service from a configuration: connects the upstreams, reads the ledger's schema, opens the listener.
 * @throws SchemaCollisionError when the ledger's schema and ours have a name in common
 */
export const startGateway: (options: GatewayOptions) => Promise<RunningGateway> = (options) =>
  start({ ...options, config: options.config as CheckedConfig });

/** A JSON logger that redacts credentials in fields and messages before it writes them. */
export const createLogger: (options: LoggerOptions) => Logger = create;
