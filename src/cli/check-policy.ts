import { anyText } from '../config/value-types.ts';
import { type CliWorld, orExitCode } from './cli-world.ts';
import { defineCommand } from './command.ts';

export const policyCheckCommand = defineCommand({
  name: 'policy check',
  usage: [['--client ID --tx BASE64', 'show what a policy says about a transaction, without a gateway']],
  options: {
    client: {
      type: anyText,
      shown: 'ID',
      about: 'id of a client, or name of a policy: default for callers without a key; required',
    },
    tx: { type: anyText, shown: 'BASE64', about: 'the transaction; required' },
  },
  examples: ['CLIENTS_FILE=clients.yaml ledger-gateway policy check --client web-app --tx AAACAA…'],
  check: ({ client, tx }) =>
    client === null || tx === null
      ? 'policy check needs --client, a client or a policy, and --tx, a transaction in base64'
      : null,
  run: ({ client, tx }, world) => orExitCode(2, world, () => checkPolicyOf(client ?? '', tx ?? '', world)),
});

/**
 * Prints what would be decided about a transaction, and why. Resolves with the exit code: 0 it would be sponsored, 1 it would be
 * refused, 2 the configuration or an argument is unusable.
 */
async function checkPolicyOf(client: string, tx: string, world: CliWorld): Promise<number> {
  const bytes = Buffer.from(tx, 'base64');
  if (bytes.length === 0 || bytes.toString('base64') !== tx) throw new Error('--tx is not canonical base64');
  const { readConfig } = await import('../start/read-config.ts');
  const { judgePolicy } = await import('../start/judge-policy.ts');
  const verdict = judgePolicy(readConfig(world), client, bytes, Date.now());
  if (verdict === null) throw new Error(`CLIENTS_FILE has no client and no policy ${client}`);
  const { isAllowed, rule, reason, undecided } = verdict;
  const by = rule === null ? '' : ` by ${rule}`;
  world.writeOut(isAllowed ? 'allowed\n' : `denied${by}: ${reason}\n`);
  if (undecided.length > 0)
    world.writeOut(`not decided here, because it depends on earlier use or the ledger: ${undecided.join(', ')}\n`);
  return isAllowed ? 0 : 1;
}
