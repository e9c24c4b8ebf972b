import { ConfigError } from '../config/config-error.ts';
import type { SettingInForce } from '../start/describe-settings.ts';
import type { CliWorld } from './cli-world.ts';

/** Tells every mistake of the configuration, or else what is in force. Starts nothing. @returns 2 when there are mistakes */
export async function checkConfig({ env, readFile, writeOut, writeError, services }: CliWorld): Promise<number> {
  try {
    writeOut(toTable(await services.describeConfig({ env, readFile })));
    writeError('ledger-gateway: the configuration has no mistakes\n');
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    writeError(`${error.message}\n`);
    return 2;
  }
}

/** Prints the JSON Schema of the configuration file. */
export async function printConfigSchema({ writeOut, services }: CliWorld): Promise<number> {
  writeOut(`${JSON.stringify(await services.configSchema(), null, 2)}\n`);
  return 0;
}

/** A line for each setting: name, value, where the value comes from. */
function toTable(settings: readonly SettingInForce[]): string {
  const nameWidth = Math.max(...settings.map(({ name }) => name.length));
  const origins = { environment: 'environment', file: 'CONFIG_FILE', default: 'default' };
  const originWidth = Math.max(...Object.values(origins).map((origin) => origin.length));
  return settings
    .map(
      ({ name, value, from }) => `${name.padEnd(nameWidth)}  ${origins[from].padEnd(originWidth)}  ${value ?? '-'}\n`,
    )
    .join('');
}
