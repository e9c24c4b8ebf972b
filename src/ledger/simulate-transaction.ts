import { type GraphQLSchema, isObjectType } from 'graphql';
import type { NetworkProfile } from '../config/network-profile.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import { createPerSchema } from './fetch-ledger-schema.ts';
import type { LedgerExecutor } from './ledger-executor.ts';

/** What the ledger says that a transaction would do if it were executed now. */
export type Simulation =
  | {
      readonly kind: 'succeeds' | 'fails';
      readonly reason: string;
      /** `null`: the ledger does not tell. */
      readonly costs: SimulatedCosts | null;
      readonly account: SimulatedAccount | null;
    }
  /** The ledger would not run it. */
  | { readonly kind: 'rejected'; readonly reason: string }
  /** The ledger is away, or has no simulation. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** In the smallest unit of the gas coin. */
export interface SimulatedCosts {
  readonly computation: bigint;
  readonly storage: bigint;
  readonly rebate: bigint;
}

/** Who pays what. Addresses and coin types in the ledger's spelling. */
export interface SimulatedAccount {
  readonly sender: string;
  readonly gasOwner: string;
  readonly gasPrice: bigint;
  readonly gasBudget: bigint;
  readonly gasPayment: readonly { readonly objectId: string; readonly version: number; readonly digest: string }[];
  /** Computation and storage less the rebate; negative if the rebate is larger. */
  readonly gasUsed: bigint;
  readonly changes: readonly { readonly address: string; readonly coinType: string; readonly amount: bigint }[];
}

export interface TransactionSimulatorOptions {
  readonly execute: LedgerExecutor;
  readonly names: NetworkProfile['simulation'];
  /** The schema in force; `null` before there is one. */
  readonly schema: () => GraphQLSchema | null;
}

export type TransactionSimulator = ReturnType<typeof createTransactionSimulator>;

/** Simulates transactions in the ledger, without a cache. Equal simulations in flight are one call. Never rejects. */
export function createTransactionSimulator({ execute, names, schema }: TransactionSimulatorOptions) {
  const toQuery = createPerSchema(schema, (current) => toSimulationQuery(current, names));
  return async (txBytes: string, digest: string, cancellation: Cancellation): Promise<Simulation> => {
    const text = toQuery() ?? null;
    if (text === null) return unavailable(`it has no field "${names.field}"`);
    const tx = names.encoding === 'base64' ? txBytes : { bcs: { value: txBytes } };
    const request = { document: text, variables: { tx }, cancellation };
    const { data, errors = [] } = await execute(request).catch((error: unknown) => ({ data: null, errors: [error] }));
    if (!data?.[key]) return toFailure(errors[0]);
    return toSimulation(data[key], digest, names.paths);
  };
}

const key = 'simulated';

/** The query for a simulation, with the transaction as `$tx`; `null` if the schema has no such field. */
export function toSimulationQuery(
  schema: GraphQLSchema,
  { field, argument, raw }: NetworkProfile['simulation'],
): string | null {
  const query = schema.getQueryType();
  const arg = isObjectType(query) ? query.getFields()[field]?.args.find(({ name }) => name === argument) : undefined;
  return arg ? `query($tx:${arg.type}){${key}:${field}(${argument}:$tx)${raw}}` : null;
}

/** Codes of errors with which a ledger rejects a transaction. Other errors concern the ledger itself. */
const rejecting: readonly unknown[] = ['LEDGER_ERROR', 'BAD_USER_INPUT'];

function toFailure(error: unknown): Simulation {
  if (!(error instanceof Error)) return unavailable('its answer is empty');
  const { message, path, extensions } = error as Error & { path?: unknown; extensions?: { code?: unknown } };
  const isOfField = Array.isArray(path) && path[0] === key;
  return isOfField && rejecting.includes(extensions?.code)
    ? { kind: 'rejected', reason: shorten(message) }
    : unavailable(message);
}

function toSimulation(value: unknown, digest: string, paths: NetworkProfile['simulation']['paths']): Simulation {
  const error = paths.error === null ? null : at(value, paths.error);
  const transaction = at(value, paths.transaction);
  const effects = at(value, paths.effects);
  const status = at(effects, 'status');
  if (!transaction && typeof error === 'string') return { kind: 'rejected', reason: shorten(error) };
  if (status !== 'SUCCESS' && status !== 'FAILURE') return unavailable('its answer has no status');
  const failure = at(effects, paths.failure) ?? error;
  const reason = typeof failure === 'string' ? shorten(failure) : '';
  const said = at(transaction, 'digest');
  const isOther = typeof said === 'string' && said !== digest;
  const costs = toCosts(effects);
  const account = isOther ? null : toAccount(transaction, costs, at(effects, paths.changes));
  return { kind: status === 'SUCCESS' && !error ? 'succeeds' : 'fails', reason, costs, account };
}

function toCosts(effects: unknown): SimulatedCosts | null {
  const costOf = (name: string) => toWhole(at(effects, `gasEffects.gasSummary.${name}`));
  return present({
    computation: costOf('computationCost'),
    storage: costOf('storageCost'),
    rebate: costOf('storageRebate'),
  });
}

/** `null` if anything is missing, or has more items than a page. */
function toAccount(transaction: unknown, costs: SimulatedCosts | null, changes: unknown): SimulatedAccount | null {
  const gas = at(transaction, 'gasInput');
  const payment = toItems(at(gas, 'gasPayment'));
  const changed = toItems(changes);
  if (!payment || !changed) return null;
  const account = {
    sender: toText(at(transaction, 'sender.address')),
    gasOwner: toText(at(gas, 'gasSponsor.address')),
    gasPrice: toWhole(at(gas, 'gasPrice')),
    gasBudget: toWhole(at(gas, 'gasBudget')),
    gasUsed: costs && costs.computation + costs.storage - costs.rebate,
    gasPayment: allOf(
      payment.map((coin) =>
        present({
          objectId: toText(at(coin, 'address')),
          version: toNumber(toWhole(at(coin, 'version'))),
          digest: toText(at(coin, 'digest')),
        }),
      ),
    ),
    changes: allOf(
      changed.map((change) =>
        present({
          address: toText(at(change, 'address') ?? at(change, 'owner.address')),
          coinType: toText(at(change, 'coinType.repr') ?? at(change, 'coinType')),
          amount: toWhole(at(change, 'amount')),
        }),
      ),
    ),
  };
  return present(account);
}

/** A list, or a connection that ends with its first page. */
function toItems(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value;
  const nodes = at(value, 'nodes');
  return Array.isArray(nodes) && at(value, 'pageInfo.hasNextPage') === false ? nodes : null;
}

type Present<Members> = { readonly [Name in keyof Members]: NonNullable<Members[Name]> };

function present<Members extends object>(members: Members): Present<Members> | null {
  return Object.values(members).includes(null) ? null : (members as Present<Members>);
}

function allOf<Item>(items: readonly (Item | null)[]): readonly Item[] | null {
  return items.every((item) => item !== null) ? items : null;
}

const toNumber = (value: bigint | null): number | null => (value === null ? null : Number(value));
const toText = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const toWhole = (value: unknown): bigint | null => (/^-?\d{1,30}$/.test(String(value)) ? BigInt(String(value)) : null);

/** A member by its path; `undefined` or `null` if there is none. */
function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (below, name) =>
        typeof below === 'object' && below !== null ? (below as Readonly<Record<string, unknown>>)[name] : null,
      value,
    );
}

const maxReasonLength = 500;
const shorten = (text: string) => (text.length > maxReasonLength ? `${text.slice(0, maxReasonLength)}…` : text);
const unavailable = (reason: string): Simulation => ({ kind: 'unavailable', reason: shorten(reason) });
