import { type GraphQLSchema, isObjectType } from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import type { LedgerExecutor } from './ledger-executor.ts';

/** A price is read again after this time: a ledger changes it once in an epoch, which lasts a day. */
const freshMs = 10_000;

const query = '{epoch{referenceGasPrice}}';

export interface GasPriceReaderOptions {
  readonly execute: LedgerExecutor;
  /** The schema in force; `null` before there is one. */
  readonly schema: () => GraphQLSchema | null;
  /** Calls back when what was read before is of another network. */
  readonly onNewEra: (begun: () => void) => void;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

export type GasPriceReader = ReturnType<typeof createGasPriceReader>;

/** Reads the least price of a unit of gas in the current epoch, in the smallest unit of the gas coin. */
export function createGasPriceReader({ execute, schema, onNewEra, clock }: GasPriceReaderOptions) {
  let known: { readonly price: bigint; readonly atMs: number } | null = null;
  onNewEra(() => {
    known = null;
  });
  /** @throws `UPSTREAM_UNAVAILABLE`, or the ledger's error */
  return async (cancellation: Cancellation): Promise<bigint> => {
    if (known && clock() - known.atMs < freshMs) return known.price;
    if (!hasPrice(schema())) throw unavailable('its schema has no field for it');
    const { data, errors } = await execute({ document: query, cancellation });
    if (errors?.[0]) throw errors[0];
    const price = (data?.epoch as { readonly referenceGasPrice?: unknown } | null)?.referenceGasPrice;
    if (!/^\d{1,19}$/.test(String(price))) throw unavailable('its answer has none');
    known = { price: BigInt(String(price)), atMs: clock() };
    return known.price;
  };
}

function hasPrice(schema: GraphQLSchema | null): boolean {
  const epoch = schema?.getType('Epoch');
  return isObjectType(epoch) && Object.hasOwn(epoch.getFields(), 'referenceGasPrice');
}

function unavailable(why: string) {
  return gatewayError('UPSTREAM_UNAVAILABLE', `The ledger did not tell its gas price: ${why}.`, { upstream: 'ledger' });
}
