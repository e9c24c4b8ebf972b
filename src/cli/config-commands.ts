import { ConfigError } from '../config/config-error.ts';
import type { SettingInForce } from '../config/describe-config.ts';
import { defineCommand } from './command.ts';

export const configCheckCommand = defineCommand({
  name: 'config check',
  usage: [['', 'list every mistake of the configuration, or the settings in force']],
  options: {},
  run: async (_, { env, readFile, writeOut, writeError }) => {
    const { describeConfig } = await import('../start/read-config.ts');
    try {
      writeOut(toTable(describeConfig({ env, readFile })));
      writeError('ledger-gateway: the configuration has no mistakes\n');
      return 0;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      writeError(`${error.message}\n`);
      return 2;
    }
  },
});

export const configSchemaCommand = defineCommand({
  name: 'config schema',
  usage: [['', 'print the JSON Schema of the configuration file, for editors']],
  options: {},
  run: async (_, { writeOut }) => {
    const { configSchema } = await import('../start/read-config.ts');
    writeOut(`${JSON.stringify(configSchema(), null, 2)}\n`);
    return 0;
  },
});

/** A line for each setting: name, origin, value. */
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
