import { type Config, usualDrainMs } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { configKeyNames, configKeys, secretNames, withAddresses } from '../config/keys.ts';
import { Secret } from '../config/secret.ts';
import { anyText } from '../config/value-types.ts';
import type { RunningWorkers } from '../start/workers/primary.ts';
import type { Beginning } from '../start/workers/worker-messages.ts';
import type { Logger } from '../telemetry/logger.ts';
import { type CliWorld, type ServedGateway, toFailureLine } from './cli-world.ts';
import { type CommandOptions, defineCommand, type GivenOptions } from './command.ts';
import { withKeptState } from './kept-state.ts';

/** Where `serve` serves without settings. */
export const defaultUrl = `http://${configKeys.HOST.fallback}:${configKeys.PORT.fallback}/graphql`;

/** Settings that `serve` takes as options. Not secrets: other users of the machine can read a process's arguments. */
const settingOf = new Map(
  configKeyNames
    .filter((name) => !secretNames.has(name))
    .map((name) => [name.toLowerCase().replaceAll('_', '-'), name]),
);

const serveOptions = Object.fromEntries(
  [...settingOf].map(([option, name]) => {
    const [sentence = ''] = (withAddresses([])[name]?.description ?? '').split(/(?<=\.) /);
    const plain = sentence.replaceAll('`', '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    return [option, { type: anyText, shown: '', about: plain }];
  }),
);

/** Settings given as options, by name, in the form of the environment. */
export function toSettings(given: GivenOptions<CommandOptions>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([option, text]) =>
      typeof text === 'string' ? [[settingOf.get(option), text]] : [],
    ),
  );
}

export const serveCommand = defineCommand({
  name: 'serve',
  usage: [['[options]', 'serve the gateway']],
  options: serveOptions,
  notes: `Every setting except secrets is an option of serve, and takes precedence over the environment and the file named in CONFIG_FILE:
--port N, --ledger-graphql-url URL and so on. Without settings, serve serves the simulated network at
${defaultUrl}. docs/configuration.md lists every setting.`,
  examples: [
    'ledger-gateway',
    'ledger-gateway --port 8080 --log-level warn',
    'LEDGER_GRAPHQL_URL=https://graphql.example.net LEDGER_RPC_URL=https://rpc.example.net ledger-gateway',
    'CONFIG_FILE=gateway.yaml ledger-gateway serve',
  ],
  run: (_, world) => runServe(world),
});

/** Serves as a worker process started by a primary. */
export const workerCommand = defineCommand({
  name: 'worker',
  usage: [],
  options: {},
  run: (_, world) => runWorker(world),
});

/** Serves until a stop signal. Resolves with the exit code: 0 stopped, 1 failed, 2 bad configuration. */
async function runServe(world: CliWorld): Promise<number> {
  const read = await readConfig(world);
  if (!read) return 2;
  const { config } = read;
  const count = countWorkers(config, world.cores);
  const logger = world.createLogger(config.settings.LOG_LEVEL, count > 1);
  if (count === 1 && config.settings.WORKERS === 'auto' && world.cores > 1) {
    logger.warn('WORKERS=auto serves in one process: several processes with a sponsor need REDIS_URL');
  }
  world.onCrash((err) => logger.fatal({ err }, 'crashed: uncaught error'));
  // The start reads the same files, so an early SIGHUP needs no reload.
  let reload = async () => {};
  world.onReloadRequest(() => void reload());
  try {
    for (let current = read; ; ) {
      const lasting = withKeptState(current.config, world, logger);
      const started = startHereOrInWorkers(world, { ...current, config: lasting, count, logger });
      const gateway = await Promise.race([started, world.stopRequested]);
      // A stop was requested before the gateway served.
      if (typeof gateway === 'string') return 0;
      const { files } = current;
      reload = async () => {
        await gateway.reload();
        await reportChanges(world, files, logger);
      };
      if (world.isTerminal) world.writeError(`ledger-gateway ${world.version} listens at ${gateway.url}/graphql\n`);
      const ending = 'failed' in gateway ? gateway.failed : gateway.assumedWrongNetwork;
      const signal = await Promise.race([world.stopRequested, ending]);
      const drainMs = toDrainMs(config.settings.DRAIN_MS, signal ?? 'SIGTERM', world.isTerminal);
      logger.info({ drainMs }, signal ? 'stopping: finishing what runs' : 'restarting to serve the recognised network');
      await gateway.close(drainMs);
      if (signal) {
        logger.info('stopped');
        return 0;
      }
      // Clients and secrets may have changed since the start.
      const again = await readConfig(world);
      if (!again) return 2;
      const port = config.port || Number(new URL(gateway.url).port);
      current = { ...again, config: { ...again.config, port } };
    }
  } catch (error) {
    logger.fatal({ err: error }, 'the gateway failed');
    world.writeError(toFailureLine(error));
    return 1;
  }
}

/** Logs the settings whose change takes effect at the next start, and mistakes that would prevent it. */
async function reportChanges({ env, readFile }: CliWorld, files: ReadConfig['files'], logger: Logger): Promise<void> {
  const { findChangedSettings } = await import('../start/read-config.ts');
  try {
    const settings = findChangedSettings({ env, readFile: (path) => files[path] ?? '' }, { env, readFile });
    if (settings.length > 0) logger.warn({ settings }, 'changed settings take effect at the next start');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const mistakes = error.message.split('\n');
    logger.error({ mistakes }, 'the changed configuration has mistakes: the gateway would not start with it');
  }
}

/** `auto` means one per core, but 1 if workers could not share sponsorship records. */
function countWorkers({ settings: { WORKERS }, upstreams, redis }: Config, cores: number): number {
  if (WORKERS !== 'auto') return WORKERS;
  const hasSponsor = upstreams.kind === 'devnet' || upstreams.addresses.SPONSOR_URL !== undefined;
  return hasSponsor && redis === null ? 1 : cores;
}

interface ReadConfig {
  readonly config: Config;
  /** The files that the configuration was read from, by path. */
  readonly files: Readonly<Record<string, string>>;
}

function startHereOrInWorkers(
  { services }: CliWorld,
  { config, files, count, logger }: ReadConfig & { readonly count: number; readonly logger: Logger },
): Promise<ServedGateway | RunningWorkers> {
  if (count > 1) return services.startWorkers({ config, count, files, logger });
  return services.startGateway({ config, logger });
}

async function readConfig({ env, readFile, writeError }: CliWorld): Promise<ReadConfig | null> {
  const files: Record<string, string> = {};
  const readAndKeep = (path: string) => {
    files[path] = readFile(path);
    return files[path];
  };
  try {
    const { readConfig: read } = await import('../start/read-config.ts');
    return { config: read({ env, readFile: readAndKeep }), files };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    writeError(`${error.message}\n`);
    return null;
  }
}

/**
 * Serves as a worker until a stop signal or message. Resolves with the exit code: 0 stopped, 1 could not start, 2 was not
 * started by a gateway. The primary reports errors of the start, once for all workers.
 */
async function runWorker(world: CliWorld): Promise<number> {
  const { primary, services, writeError } = world;
  if (!primary) {
    writeError('ledger-gateway: workers are started by serve, as many as WORKERS says\n');
    return 2;
  }
  // The primary gets the signal too, and sends the changes.
  world.onReloadRequest(() => {});
  const orders = await services.followPrimary(primary);
  const stop = Promise.race([orders.stop, world.stopRequested]);
  try {
    const beginning = await Promise.race([orders.beginning, stop]);
    if (typeof beginning !== 'object') return 0;
    const { port, cursorKeys } = beginning;
    const config = {
      ...(await readSameConfig(world, beginning)),
      port,
      cursorKeys: cursorKeys?.map((key) => new Secret(key)) ?? null,
    };
    const logger = world.createLogger(config.settings.LOG_LEVEL, true);
    world.onCrash((err) => logger.fatal({ err }, 'crashed: uncaught error'));
    const started = services.startGateway({ config, logger, siblings: orders.siblingsOf(beginning) });
    const gateway = await Promise.race([started, stop]);
    if (typeof gateway !== 'object') return 0;
    // The primary replaces a worker that assumed the wrong network.
    const stopped = await Promise.race([stop, gateway.assumedWrongNetwork]);
    await gateway.close(
      typeof stopped === 'number'
        ? stopped
        : toDrainMs(config.settings.DRAIN_MS, stopped ?? 'SIGTERM', world.isTerminal),
    );
    // Also flushes the buffered log lines of the last requests, because the process exits immediately.
    logger.info('worker stopped');
    return 0;
  } catch (error) {
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
    await primary.send({ kind: 'failed', reason: message, stack });
    return 1;
  }
}

/** Parses the configuration from the texts that the primary read. */
async function readSameConfig({ env }: CliWorld, { files }: Beginning) {
  const readFile = (path: string) => {
    const text = files[path];
    if (text === undefined) throw new Error(`the configuration was not read from ${path} before`);
    return text;
  };
  return (await import('../start/read-config.ts')).readConfig({ env, readFile });
}

/**
 * How long the gateway continues to serve after a signal, in milliseconds. By default it waits only after a supervisor's
 * SIGTERM: a person at a terminal does not want to wait.
 */
export function toDrainMs(drainMs: number | null, signal: string, isTerminal: boolean): number {
  return drainMs ?? (signal === 'SIGTERM' && !isTerminal ? usualDrainMs : 0);
}
