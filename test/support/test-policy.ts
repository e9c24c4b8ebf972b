import type { Client, ClientsFile } from '../../src/config/client.ts';
import { noPolicy, noShares, type Policy } from '../../src/config/policy.ts';
import type { CallerPolicy } from '../../src/upstream/operation-context.ts';

/** Parts of a policy; the rest allows everything. */
export type PolicyParts = {
  readonly [Name in keyof Policy]?: Policy[Name] extends object | null ? Partial<Policy[Name]> | null : Policy[Name];
};

export function toTestRules(parts: PolicyParts = {}): Policy {
  const merged = Object.entries(noPolicy).map(([name, usual]) => {
    const given = parts[name as keyof Policy];
    const isPart = typeof usual === 'object' && usual !== null && typeof given === 'object';
    return [name, isPart ? { ...usual, ...given } : (given ?? usual)];
  });
  return Object.fromEntries(merged) as Policy;
}

/** The policy of a caller. */
export function toTestPolicy(parts: PolicyParts = {}, group = 'client:web'): CallerPolicy {
  return { group, rules: toTestRules(parts), total: null };
}

export function toTestClient(about: Partial<Client> = {}): Client {
  return {
    id: 'web',
    hash: 'a'.repeat(64),
    scopes: ['read'],
    origins: null,
    documents: null,
    visitors: 'by-address',
    ...noShares,
    policy: noPolicy,
    ...about,
  };
}

export function toClientsFile(...clients: readonly Client[]): ClientsFile {
  return { clients, policies: [], files: [] };
}
