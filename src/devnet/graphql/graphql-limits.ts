/** Groups of fields that a service may leave out, by the names that its schema gives them. */
export type LedgerFeature = 'ANALYTICS' | 'COINS' | 'DYNAMIC_FIELDS' | 'SUBSCRIPTIONS' | 'SYSTEM_STATE';

/** The features that the devnet can serve: it has no validators, stakes or subscriptions. */
export type ServedFeature = Extract<LedgerFeature, 'COINS' | 'DYNAMIC_FIELDS'>;

/** Bounds of the GraphQL face, as `serviceConfig` shows them. All are inclusive. */
export interface GraphqlLimits {
  readonly maxQueryDepth: number;
  readonly maxQueryNodes: number;
  readonly maxOutputNodes: number;
  /** Only shown, since there is no database. */
  readonly maxDbQueryCost: number;
  readonly defaultPageSize: number;
  readonly maxPageSize: number;
  readonly mutationTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Bytes. */
  readonly maxTransactionPayloadSize: number;
  /** Bytes. */
  readonly maxQueryPayloadSize: number;
  readonly maxTypeArgumentDepth: number;
  readonly maxTypeArgumentWidth: number;
  readonly maxTypeNodes: number;
  readonly maxMoveValueDepth: number;
  readonly maxTransactionIds: number;
  readonly maxScanLimit: number;
}

/** The values the public services run with. */
export const defaultGraphqlLimits: GraphqlLimits = {
  maxQueryDepth: 20,
  maxQueryNodes: 300,
  maxOutputNodes: 100_000,
  maxDbQueryCost: 20_000,
  defaultPageSize: 20,
  maxPageSize: 50,
  mutationTimeoutMs: 74_000,
  requestTimeoutMs: 40_000,
  // 128 KiB of transaction in base64, rounded up.
  maxTransactionPayloadSize: 174_763,
  maxQueryPayloadSize: 5_000,
  maxTypeArgumentDepth: 16,
  maxTypeArgumentWidth: 32,
  maxTypeNodes: 256,
  maxMoveValueDepth: 128,
  maxTransactionIds: 1_000,
  maxScanLimit: 1_000_000,
};
