import { hashApiKey, toApiKey } from '../config/api-key.ts';
import type { CliWorld } from './cli-world.ts';
import type { Command } from './command.ts';

/**
 * Makes an API key. Standard output gets the key and its entry for the clients file; standard error says what to do
 * with them.
 */
export function makeKey(command: Command & { readonly name: 'keys new' }, world: CliWorld): number {
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
      'Put "client" into the list in the file that CLIENTS_FILE names (JSON or YAML): a gateway that runs takes it from there.',
      '',
    ].join('\n'),
  );
  return 0;
}
