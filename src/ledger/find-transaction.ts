import { type GraphQLSchema, getNamedType, isObjectType } from 'graphql';
import type { NetworkProfile } from '../config/network-profile.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { LedgerExecutor } from './ledger-executor.ts';

/** Looks transactions up in the ledger. */
export interface TransactionFinder {
  /** Can the ledger be asked at all, as far as its schema is known? */
  readonly canFind: () => boolean;
  /**
   * Asks it anew, in a bounded time. `null`: it does not have the transaction, or not yet. Rejects where that cannot be told.
   * @param digest base58
   */
  readonly find: (digest: string) => Promise<FoundTransaction | null>;
}

/** What the ledger has of a transaction that was executed. */
export interface FoundTransaction {
  /** `null` where it does not tell. */
  readonly succeeded: boolean | null;
  /** Computation and storage less the rebate, of the smallest unit, at least 0; `null` where it does not tell. */
  readonly gasUsed: number | null;
}

export interface TransactionFinderOptions {
  readonly execute: LedgerExecutor;
  /** The root field by which the ledger finds a transaction, and the argument for its digest. */
  readonly names: NetworkProfile['joins']['transaction'];
  /** The schema in force, the ledger's part of it; `null` while there is none. */
  readonly schema: () => GraphQLSchema | null;
}

/** The sums that make up what a transaction used. */
const costs = ['computationCost', 'storageCost', 'storageRebate'];

/**
 * Looks transactions up in the ledger, always anew: what it does not have now it may have a moment later. A transaction
 * counts as found once its effects are there, for only then has it been executed.
 */
export function createTransactionFinder({ execute, names, schema }: TransactionFinderOptions): TransactionFinder {
  let readOf: GraphQLSchema | null = null;
  let read: ((digest: string) => string) | null = null;
  const toRead = () => {
    const current = schema();
    if (current !== readOf) {
      readOf = current;
      read = current && toTransactionRead(current, names);
    }
    return read;
  };
  return {
    canFind: () => toRead() !== null,
    async find(digest) {
      const text = toRead()?.(digest);
      if (text === undefined) throw unreadable('has no field for transactions that is known here');
      const { data, errors } = await execute({ document: { text, rootKeys: ['found'] } });
      if (errors?.[0]) throw errors[0];
      return toFound(data?.found, digest);
    },
  };
}

/** How a transaction is read on a ledger of this schema; `null` where it offers none that is known. */
export function toTransactionRead(
  schema: GraphQLSchema,
  names: NetworkProfile['joins']['transaction'],
): ((digest: string) => string) | null {
  const fieldsOf = (field: { readonly type: Parameters<typeof getNamedType>[0] } | undefined) => {
    const type = getNamedType(field?.type);
    return isObjectType(type) ? type.getFields() : {};
  };
  for (const name of [names.field].flat()) {
    const root = schema.getQueryType()?.getFields()[name];
    const transaction = fieldsOf(root);
    const effects = fieldsOf(transaction.effects);
    if (!root?.args.some((arg) => arg.name === names.id) || !transaction.digest || !effects.status) continue;
    const summary = fieldsOf(fieldsOf(effects.gasEffects).gasSummary);
    const isPriced = costs.every((cost) => summary[cost]);
    const gas = isPriced ? ` gasEffects{gasSummary{${costs.join(' ')}}}` : '';
    return (digest) => `query{found:${name}(${names.id}:${JSON.stringify(digest)}){digest effects{status${gas}}}}`;
  }
  return null;
}

type Members = Readonly<Record<string, unknown>>;

function toFound(value: unknown, digest: string): FoundTransaction | null {
  const found = toMembers(value);
  if (!found) return null;
  if (found.digest !== digest) throw unreadable('answered with another transaction');
  const effects = toMembers(found.effects);
  if (!effects) return null;
  const { status } = effects;
  return {
    succeeded: status === 'SUCCESS' ? true : status === 'FAILURE' ? false : null,
    gasUsed: toGasUsed(toMembers(toMembers(effects.gasEffects)?.gasSummary)),
  };
}

/** A rebate may be larger than the costs: then nothing was used. */
function toGasUsed(summary: Members | null): number | null {
  const amounts = costs.map((cost) => String(summary?.[cost]));
  if (!amounts.every((amount) => /^\d{1,30}$/.test(amount))) return null;
  const [computation = 0n, storage = 0n, rebate = 0n] = amounts.map(BigInt);
  const used = Number(computation + storage - rebate);
  return Math.max(0, used);
}

function toMembers(value: unknown): Members | null {
  return typeof value === 'object' && value !== null ? (value as Members) : null;
}

function unreadable(what: string) {
  return gatewayError('UPSTREAM_BAD_RESPONSE', `The ledger ${what}.`, { upstream: 'ledger' });
}
