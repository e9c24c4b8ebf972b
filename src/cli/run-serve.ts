import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import type { RunningWorkers } from '../start/workers/primary.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { CliWorld, RunningGateway } from './cli-world.ts';
import { toDrainMs } from './drain-time.ts';
import { toFailureLine } from './failure-line.ts';

/** Serves until asked to stop. Resolves with the exit code: 0 stopped, 1 could not start or go on, 2 bad configuration. */
export async function runServe(world: CliWorld): Promise<number> {
  const read = await readConfig(world);
  if (!read) return 2;
  const { config } = read;
  const count = countWorkers(config, world.cores);
  const logger = world.createLogger(config.logLevel, count > 1);
  if (count === 1 && config.workers === 'auto' && world.cores > 1) {
    logger.warn('WORKERS=auto serves in one process: beside a sponsor several processes need REDIS_URL');
  }
  world.onCrash((err) => logger.fatal({ err }, 'crashed: an error that nobody caught'));
  // A signal that comes early is not lost: what it asks to be read is read at the start.
  let reload = async () => {};
  world.onReloadRequest(() => void reload());
  try {
    const started = startHereOrInWorkers(world, { ...read, count, logger });
    const gateway = await Promise.race([started, world.stopRequested]);
    // A stop was requested before anything was served.
    if (typeof gateway === 'string') return 0;
    reload = () => gateway.reload();
    if (world.isTerminal) world.writeError(`ledger-gateway ${world.version} listens at ${gateway.url}/graphql\n`);
    const signal = await Promise.race([world.stopRequested, ...('failed' in gateway ? [gateway.failed] : [])]);
    const drainMs = toDrainMs(config, signal, world.isTerminal);
    logger.info({ drainMs }, 'stopping: finishing what runs');
    await gateway.close(drainMs);
    logger.info('stopped');
    return 0;
  } catch (error) {
    logger.fatal({ err: error }, 'the gateway failed');
    world.writeError(toFailureLine(error));
    return 1;
  }
}

/** `auto` is one for each core, and one alone where what is remembered of sponsorship would be shared by nothing. */
function countWorkers({ workers, upstreams, rateLimit }: Config, cores: number): number {
  if (workers !== 'auto') return workers;
  const hasSponsor = upstreams.kind === 'devnet' || upstreams.addresses.SPONSOR_URL !== undefined;
  return hasSponsor && rateLimit.redis === null ? 1 : cores;
}

interface ReadConfig {
  readonly config: Config;
  /** The files that it was read from, by path. */
  readonly files: Readonly<Record<string, string>>;
}

function startHereOrInWorkers(
  { services }: CliWorld,
  { config, files, count, logger }: ReadConfig & { readonly count: number; readonly logger: Logger },
): Promise<RunningGateway | RunningWorkers> {
  if (count > 1) return services.startWorkers({ config, count, files, logger });
  return services.startGateway({ config, logger });
}

async function readConfig({ env, readFile, writeError, services }: CliWorld): Promise<ReadConfig | null> {
  const files: Record<string, string> = {};
  const readAndKeep = (path: string) => {
    files[path] = readFile(path);
    return files[path];
  };
  try {
    return { config: await services.readConfig({ env, readFile: readAndKeep }), files };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    writeError(`${error.message}\n`);
    return null;
  }
}
