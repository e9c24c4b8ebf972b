import type { Beginning } from '../start/workers/worker-messages.ts';
import type { CliWorld } from './cli-world.ts';
import { toDrainMs } from './drain-time.ts';

/**
 * Serves as one of several processes until asked to stop. Resolves with the exit code: 0 stopped, 1 could not start, 2 was
 * not started by a gateway. What goes wrong at the start is said by the process that started this one, once for all.
 */
export async function runWorker(world: CliWorld): Promise<number> {
  const { primary, services, writeError } = world;
  if (!primary) {
    writeError('ledger-gateway: workers are started by serve, as many as WORKERS says\n');
    return 2;
  }
  // The process that started this one hears the signal too, and says what is new.
  world.onReloadRequest(() => {});
  const orders = await services.takeOrders(primary);
  const stop = Promise.race([orders.stop, world.stopRequested]);
  try {
    const beginning = await Promise.race([orders.beginning, stop]);
    if (typeof beginning !== 'object') return 0;
    const config = { ...(await readConfig(world, beginning)), port: beginning.port };
    const logger = world.createLogger(config.logLevel, true);
    world.onCrash((err) => logger.fatal({ err }, 'crashed: an error that nobody caught'));
    const started = services.startGateway({ config, logger, siblings: orders.siblingsOf(beginning) });
    const gateway = await Promise.race([started, stop]);
    if (typeof gateway !== 'object') return 0;
    const stopped = await stop;
    await gateway.close(typeof stopped === 'number' ? stopped : toDrainMs(config, stopped, world.isTerminal));
    // Writes the lines of the last requests with it, which are held back for a moment: the process ends at once.
    logger.info('worker stopped');
    return 0;
  } catch (error) {
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
    await primary.send({ kind: 'failed', reason: message, stack });
    return 1;
  }
}

/** The configuration that the other process read, from the same texts. */
function readConfig({ env, services }: CliWorld, { files }: Beginning) {
  const readFile = (path: string) => {
    const text = files[path];
    if (text === undefined) throw new Error(`the configuration was not read from ${path} before`);
    return text;
  };
  return services.readConfig({ env, readFile });
}
