import type { Config } from '../config/config.ts';
import type { SettingInForce } from '../config/describe-config.ts';
import type { NetworkProfile } from '../config/network-profile.ts';
import type { ConfigSource, ReadFile } from '../config/read-settings.ts';
import type { Secret } from '../config/secret.ts';
import type { ExplainRequest, Explanation, StartOptions } from '../start/start.ts';
import type { RunningWorkers, WorkersOptions } from '../start/workers/primary.ts';
import type { Orders, PrimaryLink } from '../start/workers/take-orders.ts';
import type { Logger } from '../telemetry/logger.ts';
import { redactText } from '../telemetry/redact-fields.ts';

/** Everything outside the program that commands use. */
export interface CliWorld {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: ReadFile;
  /** Reads standard input to its end. */
  readonly readInput: () => Promise<string>;
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** Is standard output a terminal? */
  readonly isTerminal: boolean;
  /** Resolves when the process is asked to stop, with the name of the signal. */
  readonly stopRequested: Promise<string>;
  /** Registers what to do when the process is asked to read again what may change, by SIGHUP; without it the signal ends it. */
  readonly onReloadRequest: (reload: () => void) => void;
  /** Registers what to do with an error that nobody caught; the process then ends with 1. */
  readonly onCrash: (tell: (error: unknown) => void) => void;
  /** @param isOneOfSeveral its lines say which process wrote them, since several write to one log */
  readonly createLogger: (level: Config['logLevel'], isOneOfSeveral: boolean) => Logger;
  readonly randomToken: () => Secret;
  /** Random bytes good enough for keys. */
  readonly randomBytes: (count: number) => Uint8Array;
  /** Processor cores that this process may use. */
  readonly cores: number;
  /** The process that started this one as a worker; `null` where none did. */
  readonly primary: PrimaryLink | null;
  readonly version: string;
  readonly services: Services;
}

/** The services behind the commands. Each is loaded when it is first called: `--help` needs none of them. */
export interface Services {
  /** Rejects with a `ConfigError` that has every mistake there is. */
  readConfig(source: ConfigSource): Promise<Config>;
  /** Likewise. What is in force, and where it comes from. */
  describeConfig(source: ConfigSource): Promise<readonly SettingInForce[]>;
  /** The JSON Schema of the configuration file. */
  configSchema(): Promise<Readonly<Record<string, unknown>>>;
  startGateway(options: StartOptions): Promise<RunningGateway>;
  /** A gateway of so many processes beside this one. Rejects, as `failed` may later, where they do not come up. */
  startWorkers(options: WorkersSettings): Promise<RunningWorkers>;
  takeOrders(primary: PrimaryLink): Promise<Orders>;
  printPublicSchema(): Promise<string>;
  explainOperation(request: ExplainRequest, config: Config): Promise<Explanation>;
  startDevnet(options: DevnetSettings): Promise<RunningDevnet>;
}

export interface RunningGateway {
  /** Scheme, host and port. */
  readonly url: string;
  reload(): Promise<void>;
  /** @param drainMs how long it serves on, and says that it is about to leave */
  close(drainMs?: number): Promise<void>;
}

export interface WorkersSettings extends Pick<WorkersOptions, 'config' | 'count' | 'files'> {
  readonly logger: Logger;
}

export interface DevnetSettings {
  readonly host: string;
  readonly port: number;
  readonly sponsorToken: string;
  /** The header names and time ranges of the network it plays. */
  readonly dialect: Pick<NetworkProfile, 'headers'> & Pick<NetworkProfile['events'], 'timeRange'>;
  readonly seed?: number;
  readonly startMs?: number;
  readonly checkpointIntervalMs: number;
  readonly checkpointPerTransaction: boolean;
  readonly retention?: { readonly checkpoints: number };
  readonly availableCheckpoints?: number;
}

export interface RunningDevnet {
  readonly graphqlUrl: string;
  readonly sponsorUrl: string;
  readonly rpcUrl: string;
  readonly rpcWsUrl: string;
  close(): Promise<void>;
}

/** What standard error gets when a command fails: one line, no stack, no credentials. */
export function toFailureLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `ledger-gateway: ${redactText(message).replaceAll(/\s*\n\s*/g, ' ')}\n`;
}
