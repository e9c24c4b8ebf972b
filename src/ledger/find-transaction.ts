import { type GraphQLSchema, getNamedType, isObjectType } from 'graphql';
import type { NetworkProfile } from '../config/network-profile.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { createPerSchema } from './fetch-ledger-schema.ts';
import type { LedgerExecutor } from './ledger-executor.ts';

export interface FoundTransaction {
  /** Computation and storage less the rebate, in the smallest unit, at least 0; `null` if the ledger does not report it. */
  readonly gasUsed: number | null;
}

/** A coin that pays for a transaction, at the version that the transaction names. */
export interface PayingCoin {
  readonly objectId: string;
  /** Exact decimal text. */
  readonly version: string;
}

export interface TransactionFinderOptions {
  readonly execute: LedgerExecutor;
  /** The ledger's root field for a transaction, and the argument for its digest. */
  readonly names: NetworkProfile['joins']['transaction'];
  /** The schema in force; `null` before there is one. */
  readonly schema: () => GraphQLSchema | null;
}

const costs = ['computationCost', 'storageCost', 'storageRebate'];

export type TransactionFinder = ReturnType<typeof createTransactionFinder>;

/** Looks transactions up in the ledger, without a cache. One counts as found once it has effects: only then was it executed. */
export function createTransactionFinder({ execute, names, schema }: TransactionFinderOptions) {
  const toRead = createPerSchema(schema, (current) => toTransactionRead(current, names));
  return {
    /** Does the ledger's schema have a known field for transactions? */
    canFind: (): boolean => toRead() !== null,
    /**
     * Queries the ledger each time, with a timeout. `null`: it does not have the transaction yet. Rejects if the ledger gives no
     * usable response.
     * @param digest base58
     */
    async find(digest: string): Promise<FoundTransaction | null> {
      const text = toRead()?.(digest);
      if (text === undefined) throw unreadable('has no field for transactions that is known here');
      const { data, errors } = await execute({ document: text });
      if (errors?.[0]) throw errors[0];
      return toFound(data?.found, digest);
    },
    /**
     * Can the transaction never run any more? So it is if, in one response, the coin has a later version and the ledger does not
     * have the transaction: another one used the coin. Rejects as `find`.
     */
    async isDead(digest: string, { objectId, version }: PayingCoin): Promise<boolean> {
      const coin = toCoinRead(schema(), objectId);
      const found = toRead()?.(digest);
      if (coin === null || found === undefined) return false;
      const text = `${found.slice(0, -1)} ${coin}}`;
      const { data, errors } = await execute({ document: text });
      if (errors?.[0]) throw errors[0];
      const current = String(toMembers(data?.coin)?.version);
      return toFound(data?.found, digest) === null && /^\d+$/.test(current) && BigInt(current) > BigInt(version);
    },
  };
}

/** Returns a function that writes the query; `null` if the schema has no known field for transactions. */
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
    const hasAllCosts = costs.every((cost) => summary[cost]);
    const gas = hasAllCosts ? ` gasEffects{gasSummary{${costs.join(' ')}}}` : '';
    return (digest) => `query{found:${name}(${names.id}:${JSON.stringify(digest)}){digest effects{status${gas}}}}`;
  }
  return null;
}

/** `null` if the schema has no known field for the version of an object. */
function toCoinRead(schema: GraphQLSchema | null, objectId: string): string | null {
  const field = schema?.getQueryType()?.getFields().object;
  const type = getNamedType(field?.type);
  const isKnown = field?.args.some(({ name }) => name === 'address') && isObjectType(type) && type.getFields().version;
  return isKnown ? `coin:object(address:${JSON.stringify(objectId)}){version}` : null;
}

type Members = Readonly<Record<string, unknown>>;

function toFound(value: unknown, digest: string): FoundTransaction | null {
  const found = toMembers(value);
  if (!found) return null;
  if (found.digest !== digest) throw unreadable('answered with another transaction');
  const effects = toMembers(found.effects);
  if (!effects) return null;
  return { gasUsed: toGasUsed(toMembers(toMembers(effects.gasEffects)?.gasSummary)) };
}

/** At least 0, although a rebate may be larger than the costs. */
function toGasUsed(summary: Members | null): number | null {
  const amounts = costs.map((cost) => String(summary?.[cost]));
  if (!amounts.every((amount) => /^\d{1,30}$/.test(amount))) return null;
  const [computation = 0n, storage = 0n, rebate = 0n] = amounts.map(BigInt);
  const netGas = Number(computation + storage - rebate);
  return Math.max(0, netGas);
}

function toMembers(value: unknown): Members | null {
  return typeof value === 'object' && value !== null ? (value as Members) : null;
}

function unreadable(what: string) {
  return gatewayError('UPSTREAM_BAD_RESPONSE', `The ledger ${what}.`, { upstream: 'ledger' });
}
