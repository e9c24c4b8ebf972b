import { ConfigError } from '../config/config-error.ts';
import { type CliWorld, toFailureLine } from './cli-world.ts';
import type { Command } from './command.ts';

/**
 * Prints what would be decided about a transaction, and why. Resolves with the exit code: 0 it would be sponsored, 1 it would be
 * refused, 2 the configuration or an argument is unusable.
 */
export async function checkPolicyOf(
  { client, tx }: Command & { readonly name: 'policy check' },
  world: CliWorld,
): Promise<number> {
  const bytes = Buffer.from(tx, 'base64');
  if (bytes.length === 0 || bytes.toString('base64') !== tx) {
    world.writeError(toFailureLine('--tx is not canonical base64'));
    return 2;
  }
  try {
    const { readConfig } = await import('../start/read-config.ts');
    const { judgePolicy } = await import('../start/judge-policy.ts');
    const verdict = judgePolicy(readConfig(world), client, bytes, Date.now());
    if (verdict === null) {
      world.writeError(toFailureLine(`CLIENTS_FILE has no client and no policy ${client}`));
      return 2;
    }
    const { isAllowed, rule, reason, undecided } = verdict;
    const by = rule === null ? '' : ` by ${rule}`;
    world.writeOut(isAllowed ? 'allowed\n' : `denied${by}: ${reason}\n`);
    if (undecided.length > 0)
      world.writeOut(`not decided here, because it depends on earlier use or the ledger: ${undecided.join(', ')}\n`);
    return isAllowed ? 0 : 1;
  } catch (error) {
    world.writeError(error instanceof ConfigError ? `${error.message}\n` : toFailureLine(error));
    return 2;
  }
}
