import type { ConfigSource } from '../config/config-source.ts';
import type { LogWriter as Logger, LoggerOptions } from '../telemetry/log-writer.ts';

// The types of the library. They mention no package: the published files contain all packages that they use.

export type { ConfigSource, Logger, LoggerOptions };

/** A complete, checked configuration. Only `parseConfig` makes one. */
export interface Config {
  /** Every setting by its name, as parsed. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Port to listen on; 0 = any free port. */
  readonly port: number;
}

export interface GatewayOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Milliseconds since the Unix epoch; tests pass their own. */
  readonly now?: () => number;
}

export interface RunningGateway extends AsyncDisposable {
  /** Scheme, host and port. */
  readonly url: string;
  /**
   * Resolves if the gateway assumed a network at start, because it could not reach the ledger, and the ledger belongs to another
   * network. Close this gateway and start a new one to serve that network.
   */
  readonly assumedWrongNetwork: Promise<void>;
  /** Reloads the files of clients, trusted documents and secrets, and logs the result. */
  reload(): Promise<void>;
  /**
   * Keeps serving for `drainMs` (0) while readiness fails; then stops accepting, finishes running operations, and closes
   * everything it opened. Safe to call twice.
   */
  close(drainMs?: number): Promise<void>;
}
