import type { Config } from '../config/config.ts';
import { ConfigError } from '../settings/config-error.ts';
import type { CliWorld } from './cli-world.ts';
import { toFailureLine } from './failure-line.ts';

/** Serves until asked to stop. Resolves with the exit code: 0 stopped, 1 could not start, 2 bad configuration. */
export async function runServe(world: CliWorld): Promise<number> {
  const config = await readConfig(world);
  if (!config) return 2;
  const logger = world.createLogger(config.logLevel);
  world.onCrash((err) => logger.fatal({ err }, 'crashed: an error that nobody caught'));
  try {
    const started = world.services.startGateway({ config, logger });
    const gateway = await Promise.race([started, world.stopRequested]);
    // A stop was requested before anything was served.
    if (!gateway) return 0;
    if (world.isTerminal) world.writeError(`ledger-gateway ${world.version} is ready at ${gateway.url}/graphql\n`);
    await world.stopRequested;
    logger.info('stopping: finishing what runs');
    await gateway.close();
    logger.info('stopped');
    return 0;
  } catch (error) {
    logger.fatal({ err: error }, 'the gateway failed');
    world.writeError(toFailureLine(error));
    return 1;
  }
}

async function readConfig({ env, readFile, writeError, services }: CliWorld): Promise<Config | null> {
  try {
    return await services.readConfig({ env, readFile });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    writeError(`${error.message}\n`);
    return null;
  }
}
