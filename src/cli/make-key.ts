import { hashApiKey, toApiKey } from '../config/api-key.ts';
import type { CliWorld } from './cli-world.ts';
import type { Command } from './parse-arguments.ts';

/** Makes an API key: the key and the entry of the clients file on standard output, what to do with them beside it. */
export function makeKey(command: Command & { readonly name: 'keys new' }, world: CliWorld): number {
  const { id, scopes, perMinute, origins } = command;
  const key = toApiKey(id, world.randomBytes(32)).reveal();
  const client = {
    id,
    hash: hashApiKey(key),
    scopes,
    ...(perMinute === null ? {} : { rate: { perMinute } }),
    ...(origins === null ? {} : { origins }),
  };
  world.writeOut(`${JSON.stringify({ key, client }, null, 2)}\n`);
  world.writeError(
    [
      `Give "key" to ${id}: it is shown this once, and kept nowhere.`,
      'Put "client" into the list in the file that CLIENTS_FILE names (JSON or YAML), and start the gateway anew.',
      '',
    ].join('\n'),
  );
  return 0;
}
