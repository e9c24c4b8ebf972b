import { hashApiKey, toApiKey } from '../config/client.ts';
import { ConfigError } from '../config/config-error.ts';
import type { SettingInForce } from '../config/describe-config.ts';
import { checkPolicyOf } from './check-policy.ts';
import type { CliWorld } from './cli-world.ts';
import type { Command, UsageError } from './command.ts';
import { explainFile, explainManifestFile } from './explain-file.ts';
import { helpOf } from './help-text.ts';
import { runAudit } from './run-audit.ts';
import { runDevnet } from './run-devnet.ts';
import { runSchema } from './run-schema.ts';
import { runServe, runWorker } from './run-serve.ts';
import { runTail } from './run-tail.ts';

/** Runs one command to its end. Resolves with the exit code; 2 means that the user must correct something. */
export async function runCommand(command: Command | UsageError, world: CliWorld): Promise<number> {
  switch (command.name) {
    case 'serve':
      return runServe(world);
    case 'worker':
      return runWorker(world);
    case 'devnet':
      return runDevnet(command, world);
    case 'tail':
      return runTail(command, world);
    case 'policy check':
      return checkPolicyOf(command, world);
    case 'audit':
      return runAudit(command, world);
    case 'keys new':
      return makeKey(command, world);
    case 'explain':
      return explainFile(command, world);
    case 'explain manifest':
      return explainManifestFile(command, world);
    case 'schema print':
    case 'schema pull':
    case 'schema check':
      return runSchema(command, world);
    case 'config check':
      return checkConfig(world);
    case 'config schema':
      return printConfigSchema(world);
    case 'help':
      world.writeOut(helpOf(command.command));
      return 0;
    case 'version':
      world.writeOut(`${world.version}\n`);
      return 0;
    case 'usage error':
      world.writeError(`ledger-gateway: ${command.message} (see --help)\n`);
      return 2;
  }
}

/**
 * Prints every mistake of the configuration, or else the settings in force.
 * @returns 2 if there are mistakes
 */
async function checkConfig({ env, readFile, writeOut, writeError }: CliWorld): Promise<number> {
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
}

async function printConfigSchema({ writeOut }: CliWorld): Promise<number> {
  const { configSchema } = await import('../start/read-config.ts');
  writeOut(`${JSON.stringify(configSchema(), null, 2)}\n`);
  return 0;
}

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

/**
 * Creates an API key. Writes it and its entry for the clients file to standard output, and instructions to standard error.
 */
function makeKey(command: Command & { readonly name: 'keys new' }, world: CliWorld): number {
  const { id, scopes, perMinute, origins, gasPerDay, moveCalls } = command;
  const key = toApiKey(id, world.randomBytes(32)).reveal();
  const client = {
    id,
    hash: hashApiKey(key),
    scopes,
    ...(perMinute === null ? {} : { rate: { perMinute } }),
    ...(origins === null ? {} : { origins }),
    ...(gasPerDay === null ? {} : { gas: { perDay: gasPerDay } }),
    ...(moveCalls === null ? {} : { moveCalls }),
  };
  world.writeOut(`${JSON.stringify({ key, client }, null, 2)}\n`);
  world.writeError(
    [
      `Give "key" to ${id}: it is shown this once, and kept nowhere.`,
      'Add this line to the YAML file that CLIENTS_FILE names. A running gateway reads it from there.',
      '',
      `- ${JSON.stringify(client)}`,
      '',
    ].join('\n'),
  );
  return 0;
}
