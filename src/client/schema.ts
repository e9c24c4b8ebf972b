/** TypeScript types of the scalars in JSON, by name. The scalar of addresses has another name on each network. */
export interface Scalars {
  UInt53: number;
  BigInt: string;
  Base64: string;
  DateTime: string;
  LedgerAddress: string;
  IotaAddress: string;
  SuiAddress: string;
  JSON: unknown;
  MoveData: unknown;
  MoveTypeLayout: unknown;
  MoveTypeSignature: unknown;
}

/** The same for `config.scalars` of GraphQL Code Generator and `customScalarTypes` of Relay. */
export const scalars = {
  UInt53: 'number',
  BigInt: 'string',
  Base64: 'string',
  DateTime: 'string',
  LedgerAddress: 'string',
  IotaAddress: 'string',
  SuiAddress: 'string',
  JSON: 'unknown',
  MoveData: 'unknown',
  MoveTypeLayout: 'unknown',
  MoveTypeSignature: 'unknown',
} as const satisfies Record<keyof Scalars, string>;

/** The fields that identify entities without an `id`. Caches keep objects of all other types within their parents. */
export const cacheKeys: Readonly<Record<string, string>> = {
  GasReservation: 'reservationId',
  RpcTransaction: 'digest',
  TransactionBlock: 'digest',
  Checkpoint: 'sequenceNumber',
  Epoch: 'epochId',
  Address: 'address',
  RpcEvent: 'id',
};

type Entity = Readonly<Record<string, unknown>>;

const toKey = (type: string, entity: Entity) => {
  const value = entity[cacheKeys[type] ?? ''];
  return value === undefined || value === null ? null : String(value);
};

/** `dataIdFromObject` of Apollo's `InMemoryCache`. */
export function dataIdFromObject(entity: Entity): string | undefined {
  const type = String(entity.__typename);
  const key = toKey(type, entity);
  return key === null ? undefined : `${type}:${key}`;
}

/**
 * `keys` of urql's `cacheExchange`. Graphcache warns about each type without an entry, and the ledger has a hundred of them.
 */
export const graphcacheKeys: Record<string, (entity: Entity) => string | null> = new Proxy(
  {},
  { get: (_, type) => (entity: Entity) => toKey(String(type), entity) },
);
