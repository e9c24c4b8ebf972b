/** The gateway as a library, for programs that embed it. */
export type { Config } from './config/config.ts';
export { ConfigError } from './config/config-error.ts';
export type { ConfigSource } from './config/read-settings.ts';
export { type ErrorCode, errorCatalogue } from './errors/catalogue.ts';
export { SchemaCollisionError } from './graph/generation.ts';
export { readConfig as parseConfig } from './start/read-config.ts';
export { type RunningGateway, type StartOptions, startGateway } from './start/start.ts';
export { createLogger, type Logger } from './telemetry/logger.ts';
