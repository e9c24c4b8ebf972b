import { clientIdRule, clientScopes, hashApiKey, isClientId, toApiKey } from '../config/client.ts';
import { configKeys } from '../config/keys.ts';
import { integer, namedOrigins, textType } from '../config/value-types.ts';
import { defineCommand } from './command.ts';

/** Writes a key and its entry for the clients file to standard output, and instructions to standard error. */
export const keysNewCommand = defineCommand({
  name: 'keys new',
  usage: [['--id ID', 'create an API key for a client, and its entry for CLIENTS_FILE']],
  options: {
    id: {
      type: textType(clientIdRule, (text) => (isClientId(text) ? text : undefined)),
      shown: 'ID',
      about: 'name of the client; required',
    },
    scopes: {
      type: textType(`scopes separated by commas, of ${clientScopes.join(', ')}`, parseScopes),
      shown: 'SCOPES',
      about: 'scopes of the key: read, sponsor or admin, separated by commas (read)',
    },
    'per-minute': {
      type: integer(0, 1_000_000_000),
      shown: 'N',
      about: 'rate limit per minute; 0 = no limit (RATE_LIMIT_PER_MINUTE)',
    },
    origins: {
      type: namedOrigins,
      shown: 'ORIGINS',
      about: 'web origins whose pages may use the key, separated by commas (any)',
    },
    'gas-per-day': {
      type: configKeys.JWT_GAS_PER_DAY.type,
      shown: 'N',
      about: 'gas budget per UTC day, in the smallest unit of the gas coin (no budget)',
    },
    'move-calls': {
      type: configKeys.JWT_MOVE_CALLS.type,
      shown: 'TARGETS',
      about: 'Move calls allowed in sponsored transactions, separated by commas: 0x2::pay::split, 0x2::pay, 0x2 (any)',
    },
  },
  examples: ['ledger-gateway keys new --id web-app --scopes read,sponsor --per-minute 1200'],
  check: ({ id }) => (id === null ? 'keys new needs --id, the name of the client' : null),
  run: (given, { randomBytes, writeOut, writeError }) => {
    const id = given.id ?? '';
    const key = toApiKey(id, randomBytes(32)).reveal();
    const client = {
      id,
      hash: hashApiKey(key),
      scopes: given.scopes ?? ['read'],
      ...(given['per-minute'] === null ? {} : { rate: { perMinute: given['per-minute'] } }),
      ...(given.origins === null ? {} : { origins: given.origins }),
      ...(given['gas-per-day'] === null ? {} : { gas: { perDay: given['gas-per-day'] } }),
      ...(given['move-calls'] === null ? {} : { moveCalls: given['move-calls'] }),
    };
    writeOut(`${JSON.stringify({ key, client }, null, 2)}\n`);
    writeError(
      [
        `Give "key" to ${id}: it is shown this once, and kept nowhere.`,
        'Add this line to the YAML file that CLIENTS_FILE names. A running gateway reads it from there.',
        '',
        `- ${JSON.stringify(client)}`,
        '',
      ].join('\n'),
    );
    return 0;
  },
});

function parseScopes(text: string) {
  const given = new Set(text.split(',').map((scope) => scope.trim()));
  const known = clientScopes.filter((scope) => given.has(scope));
  return known.length === given.size ? known : undefined;
}
