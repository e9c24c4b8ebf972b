import type { Config } from '../config/config.ts';
import { judgeTransaction, type TransactionVerdict } from '../sponsor/judge-transaction.ts';

/**
 * What the policy of a client says about a transaction.
 * @param client id of a client, or name of a policy: `default` for callers without a credential
 * @returns `null` if neither exists
 */
export function judgePolicy(
  { clients, profile }: Pick<Config, 'clients' | 'profile'>,
  client: string,
  bytes: Uint8Array,
  nowMs: number,
): TransactionVerdict | null {
  const isNamed = ({ id }: { readonly id: string }) => id === client;
  const found = clients?.clients.find(isNamed) ?? clients?.policies.find(isNamed);
  return found ? judgeTransaction(bytes, found.policy, { forms: profile.sponsor.transactionForms, nowMs }) : null;
}
