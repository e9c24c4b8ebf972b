import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import type { ReadFile } from '../config/config-source.ts';
import type { TrustedDocument } from '../config/document-manifest.ts';
import type { Secret } from '../config/secret.ts';
import type { Devnet, DevnetOptions } from '../devnet/start-devnet.ts';
import type { RunningGateway } from '../start/embedding.ts';
import type { SchemaScope } from '../start/read-schema.ts';
import type { ExplainRequest, Explanation, ManifestExplanation, StartOptions } from '../start/start.ts';
import type { PrimaryCommands, PrimaryLink } from '../start/workers/follow-primary.ts';
import type { RunningWorkers, WorkersOptions } from '../start/workers/primary.ts';
import type { Logger } from '../telemetry/logger.ts';
import { redactText } from '../telemetry/redact-fields.ts';

/** Everything outside the program that commands use; tests pass their own. */
export interface CliWorld {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: ReadFile;
  readonly writeFile: (path: string, text: string) => void;
  readonly readInput: () => Promise<string>;
  /** The lines of a file; `-` = of standard input. Rejects if it cannot be read. */
  readonly readLines: (file: string) => AsyncIterable<string>;
  readonly writeOut: (text: string) => void;
  /** Writes a line to standard output. Resolves with `false` if nobody reads it any more. */
  readonly writeLine: (line: string) => Promise<boolean>;
  readonly writeError: (text: string) => void;
  readonly isTerminal: boolean;
  /** Resolves at the first stop signal, with the signal's name. */
  readonly stopRequested: Promise<string>;
  /** Registers the handler of SIGHUP, which reloads files; without a handler the signal ends the process. */
  readonly onReloadRequest: (reload: () => void) => void;
  /** Registers the handler of uncaught errors; the process then ends with 1. */
  readonly onCrash: (report: (error: unknown) => void) => void;
  /** @param isOneOfSeveral several processes write to one log, so each line names its process */
  readonly createLogger: (level: Config['settings']['LOG_LEVEL'], isOneOfSeveral: boolean) => Logger;
  readonly randomToken: () => Secret;
  /** Cryptographically secure random bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
  /** CPU cores available to this process. */
  readonly cores: number;
  /** The primary process if this one is a worker; `null` for any other process. */
  readonly primary: PrimaryLink | null;
  readonly version: string;
  readonly services: Services;
}

/** What commands start and read, loaded at the first call. Tests pass their own. */
export interface Services {
  startGateway(options: StartOptions): Promise<ServedGateway>;
  /** A gateway with several worker processes. Rejects if they do not start, as `failed` may later. */
  startWorkers(options: WorkersSettings): Promise<RunningWorkers>;
  followPrimary(primary: PrimaryLink): Promise<PrimaryCommands>;
  /** A schema over the configured ledger, or over the simulated network, in SDL. */
  readSchema(scope: SchemaScope, config: Config): Promise<string>;
  explainOperation(request: ExplainRequest, config: Config): Promise<Explanation>;
  /** Prices each document of a manifest. @param variables values by name, for all documents */
  explainManifest(
    documents: readonly TrustedDocument[],
    variables: ExplainRequest['variables'],
    config: Config,
  ): Promise<ManifestExplanation>;
  startDevnet(options: DevnetOptions): Promise<RunningDevnet>;
}

export type ServedGateway = Pick<RunningGateway, 'url' | 'reload' | 'close' | 'assumedWrongNetwork'>;

export interface WorkersSettings extends Pick<WorkersOptions, 'config' | 'count' | 'files'> {
  readonly logger: Logger;
}

export type RunningDevnet = Pick<Devnet, 'graphqlUrl' | 'sponsorUrl' | 'rpcUrl' | 'rpcWsUrl' | 'close'>;

/** The line on standard error when a command fails: no stack, no credentials. */
export function toFailureLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `ledger-gateway: ${redactText(message).replaceAll(/\s*\n\s*/g, ' ')}\n`;
}

/** @param failed exit code if the command fails; of a mistake in the configuration it is 2 */
export async function orExitCode(
  failed: number,
  { writeError }: CliWorld,
  run: () => Promise<number>,
): Promise<number> {
  try {
    return await run();
  } catch (error) {
    const isMistake = error instanceof ConfigError;
    writeError(isMistake ? `${error.message}\n` : toFailureLine(error));
    return isMistake ? 2 : failed;
  }
}
