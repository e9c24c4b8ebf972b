import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { OperationContext } from '../upstream/operation-context.ts';
export type Maybe<T> = T | null;
export type InputMaybe<T> = Maybe<T>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** Bytes in standard base64 with padding. */
  Base64: { input: string; output: string; }
  /** An integer of any size as a decimal string. */
  BigInt: { input: string; output: string; }
  /** A point in time as an RFC 3339 string in UTC. */
  DateTime: { input: string; output: string; }
  /** Any JSON value. */
  JSON: { input: unknown; output: unknown; }
  /** A JSON integer from 0 to 2^53-1. */
  UInt53: { input: number; output: number; }
};

/** The cost of an operation under the schema and limits in force. */
export type Estimate = {
  /** Error codes of the reasons, in the same order. */
  readonly codes: ReadonlyArray<Scalars['String']['output']>;
  /** The limits in force and what the operation uses of them. */
  readonly limits: ReadonlyArray<EstimateLimit>;
  /**
   * How the operation would run. `PASS_THROUGH`: the document is forwarded to the ledger. `LOCAL`: in the gateway. `SPLIT`: one part
   * for each owner, concurrently. `STITCHED`: each root field at its owner, with joins. Null if refused.
   */
  readonly plan?: Maybe<Scalars['String']['output']>;
  /** Cost against the caller's rate limit, in points. */
  readonly ratePoints: Scalars['Int']['output'];
  /** Messages of the rejection, in order; empty if the operation would be served. After the first exceeded limit, later ones are not checked. */
  readonly reasons: ReadonlyArray<Scalars['String']['output']>;
  /** Whether the gateway would reject the operation before execution. */
  readonly refused: Scalars['Boolean']['output'];
  /**
   * The most upstream requests, if all arguments are valid, nothing fails, pages are full, joins have different keys, and each root
   * field with joins takes over a second. Joins of faster fields share requests, and so do identical reads in flight. A list with
   * joins that is not a page counts as one item. The number increases if a join waits (`waitMs`), or if pages of events and
   * transactions need up to 20 further calls, which `maxEventCalls` in `limits` includes. Null if refused, and for subscriptions.
   */
  readonly upstreamCalls?: Maybe<Scalars['Int']['output']>;
  /** The usage of the document. */
  readonly usage: EstimateUsage;
};

/** A limit in force and what an operation uses of it. */
export type EstimateLimit = {
  /** Whether `used` is greater than `max`. */
  readonly exceeded: Scalars['Boolean']['output'];
  /** Maximum allowed: the stricter of the gateway's and the ledger's limit. */
  readonly max: Scalars['UInt53']['output'];
  /** Name as in `serviceConfig`: `maxQueryDepth` (levels), `maxQueryNodes`, `maxOutputNodes` (nodes), `maxQueryPayloadSize`, `maxTransactionPayloadSize` (bytes). On IOTA also `maxComplexity`, a limit of the ledger that `serviceConfig` does not show. For pages of events or transactions also `maxEventCalls` (calls), a limit of the gateway. */
  readonly name: Scalars['String']['output'];
  /** What the operation uses; 0 if not measured. The query payload excludes transactions in the text. `maxEventCalls` is the maximum number of calls for all pages. */
  readonly used: Scalars['UInt53']['output'];
};

/**
 * The usage of a document, as in `extensions.usage`. If the document is rejected before it is measured, or selects only the
 * schema, all numbers except `variables` and `queryPayload` are 0.
 */
export type EstimateUsage = {
  /** Levels of the deepest operation; a fragment counts as a level. Capped at 2147483647. */
  readonly depth: Scalars['Int']['output'];
  /** Number of fragment definitions, whether used or not. */
  readonly fragments: Scalars['Int']['output'];
  /** Selections of all operations, with fragments expanded at every use. Capped at 2147483647. */
  readonly inputNodes: Scalars['Int']['output'];
  /** Maximum number of fields in the response, if every page is full. */
  readonly outputNodes: Scalars['UInt53']['output'];
  /** Length of the document in bytes. */
  readonly queryPayload: Scalars['Int']['output'];
  /** Number of variables sent, whether declared or not. */
  readonly variables: Scalars['Int']['output'];
};

/**
 * Selects events by exactly one member. A variable for an address or digest may have type `String` or the ledger's scalar type,
 * such as `LedgerAddress`, so that it also fits ledger fields.
 * Example: `{ moveEventModule: { package: "0x2", module: "coin" } }`.
 */
export type EventQueryFilter =
  /** Every event. Only `true` is allowed. */
  { readonly all: Scalars['Boolean']['input']; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly object?: never; readonly package?: never; readonly recipient?: never; readonly sender?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events by type: `package::module::Struct`. A generic type without type parameters matches all its instantiations. */
  { readonly all?: never; readonly eventType: Scalars['String']['input']; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly object?: never; readonly package?: never; readonly recipient?: never; readonly sender?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events by the name of their struct, for example `Minted`. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent: Scalars['String']['input']; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly object?: never; readonly package?: never; readonly recipient?: never; readonly sender?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events whose struct type is defined in a module, whichever module emits them. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule: MoveModuleFilter; readonly moveEventType?: never; readonly moveModule?: never; readonly object?: never; readonly package?: never; readonly recipient?: never; readonly sender?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events by type, like `eventType`. Not supported by all networks. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType: Scalars['String']['input']; readonly moveModule?: never; readonly object?: never; readonly package?: never; readonly recipient?: never; readonly sender?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events emitted by a module. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule: MoveModuleFilter; readonly object?: never; readonly package?: never; readonly recipient?: never; readonly sender?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events tied to an object, by its id: 0x and 1 to 64 hex digits. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly object: Scalars['String']['input']; readonly package?: never; readonly recipient?: never; readonly sender?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events emitted by any module of a package, by its id: 0x and 1 to 64 hex digits. Not supported by all networks. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly object?: never; readonly package: Scalars['String']['input']; readonly recipient?: never; readonly sender?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events of transactions in which an address received an object. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly object?: never; readonly package?: never; readonly recipient: RecipientFilter; readonly sender?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events of transactions signed by an address: 0x and 1 to 64 hex digits. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly object?: never; readonly package?: never; readonly recipient?: never; readonly sender: Scalars['String']['input']; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events in a time interval that includes both ends. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly object?: never; readonly package?: never; readonly recipient?: never; readonly sender?: never; readonly timeRange: TimeRangeFilter; readonly transaction?: never; }
  |  /** Events of one transaction, by its digest: base58 of 32 bytes. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly object?: never; readonly package?: never; readonly recipient?: never; readonly sender?: never; readonly timeRange?: never; readonly transaction: Scalars['String']['input']; };

/**
 * Selects the events of a stream by exactly one member. `all` and `any` combine lists, `and` and `or` exactly two filters, `not`
 * negates one. At most 100 filters in total, nested at most 16 levels. Equivalent filters share one upstream reader.
 * Example: `{ all: [{ moveModule: { package: "0x2", module: "coin" } }, { not: { sender: "0x5" } }] }`.
 */
export type EventStreamFilter =
  /** Events that match all filters; an empty list matches every event. */
  { readonly all: ReadonlyArray<EventStreamFilter>; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events that match both of exactly two filters. */
  { readonly all?: never; readonly and: ReadonlyArray<EventStreamFilter>; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events that match at least one of one or more filters. */
  { readonly all?: never; readonly and?: never; readonly any: ReadonlyArray<EventStreamFilter>; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events with a given value in their content. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField: MoveEventFieldFilter; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events whose struct type is defined in a module, whichever module emits them; with `event`, only those of that struct. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule: MoveEventModuleStreamFilter; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events by type: `package::module::Struct`. A generic type without type parameters matches all its instantiations. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType: Scalars['String']['input']; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events emitted by a module. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule: MoveModuleFilter; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events that do not match the filter. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not: EventStreamFilter; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events that match one or both of exactly two filters. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or: ReadonlyArray<EventStreamFilter>; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events emitted by any module of a package, by its id: 0x and 1 to 64 hex digits. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package: Scalars['String']['input']; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Same as `senderAddress`: 0x and 1 to 64 hex digits. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender: Scalars['String']['input']; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events of transactions signed by an address: 0x and 1 to 64 hex digits. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress: Scalars['String']['input']; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events in a time interval that includes both ends. Never matches an event without a time. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange: TimeRangeFilter; readonly transaction?: never; }
  |  /** Events of one transaction, by its digest: base58 of 32 bytes. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction: Scalars['String']['input']; };

/** Outcome of a sponsored transaction. */
export type ExecuteTxOutcome =
  /** The transaction succeeded. */
  | 'EXECUTED'
  /** The transaction failed and paid gas. `effects.status.error` has the reason. */
  | 'FAILED'
  /** The sponsor's response was lost, and the gateway found the transaction in the ledger. `transactionBlock { effects { status } }` shows whether it succeeded. */
  | 'RECOVERED';

/** What the sponsor waits for before it responds to an execution. */
export type ExecuteTxRequestType =
  /** Certified effects. Faster, but a read immediately afterwards may not see them. The default. */
  | 'WAIT_FOR_EFFECTS_CERT'
  /** Certified effects and execution on the sponsor's node. Slower, but reads from that node see the effects. */
  | 'WAIT_FOR_LOCAL_EXECUTION';

/** Result of a sponsored transaction that ran. */
export type ExecuteTxResult = {
  /** Transaction digest, base58. The gateway computes it from `txBytes`, and the sponsor's must be equal. */
  readonly digest: Scalars['String']['output'];
  /** The transaction's effects, from the sponsor. Null if the outcome was recovered from the ledger, if an idempotent retry's effects were too large to store, or, with `UPSTREAM_BAD_RESPONSE`, if the sponsor's effects cannot be parsed. `digest` and `outcome` are valid in all cases. */
  readonly effects?: Maybe<SponsoredEffects>;
  /** Outcome of the transaction. */
  readonly outcome: ExecuteTxOutcome;
};

/** From one address to another. Example: `{ from: "0x2", to: "0x3" }`. */
export type FromAndToFilter = {
  /** Address that signed the transaction: 0x and 1 to 64 hex digits. */
  readonly from: Scalars['String']['input'];
  /** Address that owns a created or changed object afterwards: 0x and 1 to 64 hex digits. */
  readonly to: Scalars['String']['input'];
};

/** Gas coins of the sponsor, reserved for one transaction of one caller. */
export type GasReservation = {
  /** Expiry by the gateway's clock, counted from just before the request to the sponsor. For example `2026-01-31T12:00:00.000Z`. */
  readonly expiresAt: Scalars['DateTime']['output'];
  /** The reserved gas budget, in the smallest unit of the gas coin. The transaction's gas budget must not exceed it. */
  readonly gasBudget: Scalars['UInt53']['output'];
  /** The reserved coins. The transaction's gas payment must be exactly these. */
  readonly gasCoins: ReadonlyArray<ReservedGasCoin>;
  /**
   * Argument for `executeTx`. If the gateway holds the sponsor's token: an opaque string of at most 512 letters, digits, `-` and `_`,
   * valid for this caller until `expiresAt`. If callers send the token: the sponsor's own number, for example `42`.
   */
  readonly reservationId: Scalars['ID']['output'];
  /** Whole seconds until `expiresAt`, at least 0, at the time of the query. */
  readonly secondsLeft: Scalars['Int']['output'];
  /** The only sender whose transaction it pays for: 0x and 64 hexadecimal digits. Null: any sender. */
  readonly sender?: Maybe<Scalars['String']['output']>;
  /** Address that owns the coins and must be the transaction's gas owner: hex with 0x prefix. */
  readonly sponsorAddress: Scalars['String']['output'];
  /** State at the time of the query. */
  readonly state: GasReservationState;
};

/** State of a reservation. */
export type GasReservationState =
  /** The coins are reserved and, as far as the gateway knows, unused. */
  | 'ACTIVE'
  /** A transaction with the reservation was sent to the sponsor. */
  | 'CONSUMED'
  /** The reservation has expired and the coins returned to the sponsor. */
  | 'EXPIRED';

/** Information about this gateway. Only `upstreams` makes upstream calls. */
export type Gateway = {
  /** Optional features: joins, event filters and live readers, each with the reason if it is unavailable. */
  readonly capabilities: ReadonlyArray<GatewayCapability>;
  /** Name of the network profile in use. */
  readonly networkProfile: Scalars['String']['output'];
  /** Build version of the ledger from its latest response; `0.0.0-unknown` before the first response. */
  readonly rpcVersion: Scalars['String']['output'];
  /** The upstreams: ledger, sponsor and events. Upstreams without a response in the last 2 s are probed first, at most every 2 s. */
  readonly upstreams: ReadonlyArray<GatewayUpstream>;
  /** Version of this gateway, as semver. */
  readonly version: Scalars['String']['output'];
};

/** An optional feature of the graph. */
export type GatewayCapability = {
  /** Whether the feature works on this network with this configuration. An unavailable join is not in the graph. An unavailable event filter is rejected with `BAD_USER_INPUT`, or with `NOT_CONFIGURED` without an events upstream. `live:ownReader` is specific to the caller and the moment: if it is false, a stream with a new filter uses the reader of all events or of all transactions. */
  readonly available: Scalars['Boolean']['output'];
  /** For example `join:ReservedGasCoin.object`, `eventFilter:moveEventType` or `live:ownReader`; `ledgerSchema` while the ledger's schema is not valid: the last valid one stays in force, or its valid parts are served. */
  readonly name: Scalars['String']['output'];
  /** Why the feature is unavailable; null if it is available. */
  readonly reason?: Maybe<Scalars['String']['output']>;
};

/** An upstream and its last known state. */
export type GatewayUpstream = {
  /** Whether this gateway has an address for the upstream. */
  readonly configured: Scalars['Boolean']['output'];
  /** Why the state is not UP. Null if it is. */
  readonly detail?: Maybe<Scalars['String']['output']>;
  /** Time of the last response. Null before the first one. */
  readonly lastSeenAt?: Maybe<Scalars['DateTime']['output']>;
  /** ledger, sponsor or events. */
  readonly name: Scalars['String']['output'];
  /** Result of the last call to the upstream, the same as in `/health/ready` and on the landing page. */
  readonly state: GatewayUpstreamState;
  /** Last reported version. Always null for events, and null if the sponsor does not respond within 1 s. The sponsor's version is refreshed at most once a minute. */
  readonly version?: Maybe<Scalars['String']['output']>;
};

/** State of an upstream after its last call. */
export type GatewayUpstreamState =
  /** The upstream responds, but does not work completely. */
  | 'DEGRADED'
  /** The last call did not reach the upstream. */
  | 'DOWN'
  /** No address is configured. */
  | 'NOT_CONFIGURED'
  /** The last response was good. */
  | 'UP';

/** An item of `liveEvents`. */
export type LiveEvent = LiveEventItem | LiveGap | LiveMissed;

/** An event of a stream. */
export type LiveEventItem = {
  /** Opaque cursor: `after` resumes after this item. */
  readonly cursor: Scalars['String']['output'];
  /** The event. */
  readonly event: RpcEvent;
};

/**
 * Items are missing here, and the stream continues after them. The upstream has dropped them, does not know the resume cursor, or
 * did not respond while the stream was opened.
 */
export type LiveGap = {
  /** Cursor of the last item before the gap; null if unknown. */
  readonly after?: Maybe<Scalars['String']['output']>;
  /** Cursor of the first item after the gap; null if there is none yet. */
  readonly before?: Maybe<Scalars['String']['output']>;
  /** Reason, in one sentence. */
  readonly reason: Scalars['String']['output'];
};

/**
 * The subscriber was too slow, so items were skipped. If `count` is 0, nothing was skipped and this is the last item of the stream:
 * the gateway stops, or the caller's key or JWT is no longer valid.
 */
export type LiveMissed = {
  /** Number of skipped items. */
  readonly count: Scalars['Int']['output'];
  /** Cursor: with it as `after`, a new stream begins with the skipped items. */
  readonly resumeAfter: Scalars['String']['output'];
};

/** An item of `liveTransactions`. */
export type LiveTransaction = LiveGap | LiveMissed | LiveTransactionItem;

/** A transaction of a stream. */
export type LiveTransactionItem = {
  /** Opaque cursor: `after` resumes after this item. */
  readonly cursor: Scalars['String']['output'];
  /** The transaction. */
  readonly transaction: RpcTransaction;
};

/** A value in the content of an event. Example: `{ path: "/amount", value: "1000" }`. */
export type MoveEventFieldFilter = {
  /** JSON pointer (RFC 6901) into `parsedJson`, at most 256 characters. An empty string means the whole value. */
  readonly path: Scalars['String']['input'];
  /** Value to compare deeply: numbers by value, members in any order. Integers of 64 bits and more are strings. At most 1,024 characters. */
  readonly value: Scalars['JSON']['input'];
};

/** A module, optionally one of its structs. Example: `{ package: "0x2", module: "coin", event: "Minted" }`. */
export type MoveEventModuleStreamFilter = {
  /** Name of the struct. Omitted: all structs of the module. */
  readonly event?: InputMaybe<Scalars['String']['input']>;
  /** Name of the module, a Move identifier: at most 128 letters, digits and `_`, not beginning with a digit. */
  readonly module: Scalars['String']['input'];
  /** Object id of the package that defines the type: 0x and 1 to 64 hex digits. */
  readonly package: Scalars['String']['input'];
};

/** A package, one of its modules, or one of its functions. Example: `{ package: "0x2", module: "coin" }`. */
export type MoveFunctionFilter = {
  /** Name of the function, a Move identifier; requires `module`. */
  readonly function?: InputMaybe<Scalars['String']['input']>;
  /** Name of the module, a Move identifier. */
  readonly module?: InputMaybe<Scalars['String']['input']>;
  /** Object id of the package: 0x and 1 to 64 hex digits. */
  readonly package: Scalars['String']['input'];
};

/** A module. Example: `{ package: "0x2", module: "coin" }`. */
export type MoveModuleFilter = {
  /** Name of the module, a Move identifier: at most 128 letters, digits and `_`, not beginning with a digit. */
  readonly module: Scalars['String']['input'];
  /** Object id of the package: 0x and 1 to 64 hex digits. */
  readonly package: Scalars['String']['input'];
};

/**
 * Writes: executing a transaction, and reserving a sponsor's gas for one. Mutations of one operation run one after the other. The
 * gateway sends none of them twice.
 */
export type Mutation = {
  /**
   * The sponsor's deep health check. It reserves coins and signs, so do not poll it; use `sponsor { health }` instead. A failed check is
   * a result with `ok: false`.
   *
   * Errors: `FORBIDDEN` (scope `admin` missing), `SPONSOR_UNAUTHORIZED`, `UPSTREAM_UNAVAILABLE`, `UPSTREAM_TIMEOUT`,
   * `UPSTREAM_BAD_RESPONSE`, `NOT_CONFIGURED`.
   *
   * Example: `mutation { checkSponsorHealth { ok message } }`
   */
  readonly checkSponsorHealth?: Maybe<SponsorHealthCheck>;
  /**
   * Has the sponsor sign and execute a transaction that pays its gas with the coins of a reservation. A reservation is valid for one
   * execution, even if it is rejected. The gateway sends the transaction once, does not retry it, and does not cancel it once sent.
   * Identical calls in flight share one execution and its result.
   *
   * A transaction that ran and failed, for example by a Move abort, paid gas: it is a result with outcome `FAILED`. If the sponsor's
   * response is lost or inconclusive, the gateway looks up the transaction in the ledger until the operation times out. If it is
   * found, the outcome is `RECOVERED`; otherwise the error is `EXECUTION_OUTCOME_UNKNOWN`.
   *
   * Errors:
   * - Nothing was sent, the reservation is unused: `BAD_USER_INPUT` (invalid argument, or the transaction does not match its
   *   reservation, has another sender, or would fail), `FORBIDDEN` (scope `sponsor` missing, or a rule of the caller's policy, in
   *   `extensions.policy`), `UNAUTHENTICATED`, `RATE_LIMITED` (the sender's share of the day, or too many executions), `IDEMPOTENCY_CONFLICT` (key used for another execution), `UPSTREAM_UNAVAILABLE`, `UPSTREAM_TIMEOUT`,
   *   `REQUEST_TIMEOUT`, `UNAVAILABLE` (gateway stopping), `NOT_CONFIGURED`.
   * - Nothing was sent, the reservation cannot be used: `RESERVATION_NOT_FOUND` (expired, of another caller, unknown, or spent:
   *   then `extensions.digest` is the transaction that spent it).
   * - Rejected, nothing ran, the reservation is spent: `SPONSOR_UNAUTHORIZED`, `SPONSOR_FORBIDDEN`, `SPONSOR_REJECTED` (by the sponsor
   *   or the ledger, with their message), `SPONSOR_EXHAUSTED`, `SPONSOR_MAINTENANCE`, `UPSTREAM_BAD_RESPONSE` (the sponsor could not
   *   parse the request).
   * - Sent, outcome unknown: `EXECUTION_OUTCOME_UNKNOWN` with `extensions { digest reservationId checkAfterMs }`. Look up the digest in
   *   the ledger before anything else.
   *
   * Example: `mutation ($tx: Base64!, $sig: Base64!) { executeTx(reservationId: "AQ3…", txBytes: $tx, userSig: $sig) { digest outcome } }`
   */
  readonly executeTx?: Maybe<ExecuteTxResult>;
  /**
   * Makes the sponsor reload its access controller configuration.
   *
   * Errors: `FORBIDDEN` (scope `admin` missing), `SPONSOR_UNAUTHORIZED`, `SPONSOR_REJECTED` (invalid configuration),
   * `UPSTREAM_UNAVAILABLE`, `UPSTREAM_TIMEOUT`, `UPSTREAM_BAD_RESPONSE`, `NOT_CONFIGURED`.
   *
   * Example: `mutation { reloadAccessController { result } }`
   */
  readonly reloadAccessController?: Maybe<SponsorReloadResult>;
  /**
   * Reserves gas coins of the sponsor for a budget and a duration. The gateway sends the request once and does not retry it. Once
   * sent, it is not cancelled by a disconnect or a timeout. Unused coins return to the sponsor when the reservation expires; it
   * cannot be renewed or cancelled.
   *
   * If the caller has a daily gas budget, the whole `gasBudget` is held until the execution reports the gas used or the reservation
   * expires: see `viewer { gas }`.
   *
   * A rule of the caller's policy that refuses the reservation is in `extensions.policy { rule limit used resetsAt advice }`, in the
   * unit of the rule.
   *
   * Errors:
   * - Nothing was sent: `BAD_USER_INPUT` (invalid argument, or `sender` missing), `FORBIDDEN` (scope `sponsor` missing, or a rule for
   *   every transaction), `UNAUTHENTICATED` (anonymous callers may not sponsor), `RATE_LIMITED` (a rule for the day, with `limit`,
   *   `held`, `settled`, `left` and `resetsAt` in `extensions.gas`, or too many open reservations), `IDEMPOTENCY_CONFLICT` (key used with other arguments), `REQUEST_TIMEOUT`,
   *   `UNAVAILABLE` (gateway stopping), `NOT_CONFIGURED`.
   * - Rejected by the sponsor: `SPONSOR_UNAUTHORIZED`, `SPONSOR_FORBIDDEN`, `SPONSOR_REJECTED` (the sponsor's message),
   *   `SPONSOR_EXHAUSTED` (no coins or no daily allowance), `SPONSOR_MAINTENANCE`.
   * - No valid response: `UPSTREAM_UNAVAILABLE`, `UPSTREAM_TIMEOUT`, `UPSTREAM_BAD_RESPONSE`; the message says whether coins may be
   *   locked.
   *
   * Example: `mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { reservationId sponsorAddress gasCoins { objectId version digest } } }`
   */
  readonly reserveGas?: Maybe<GasReservation>;
  /**
   * Completes a transaction with the sponsor's gas: send the bytes of its kind, have the wallet sign `txBytes`, and pass both with the
   * reservation's id to `executeTx`. Before coins are reserved, the gateway checks the caller's rules, and the ledger simulates the
   * transaction. Then the gateway fills in the gas: the sponsor as its owner, the reserved coins, the ledger's reference gas price,
   * and the budget. The transaction has no expiration; the reservation has one.
   *
   * Build `transactionKind` with an SDK's `tx.build({ client, onlyTransactionKind: true })`.
   *
   * Errors:
   * - Nothing was reserved: `BAD_USER_INPUT` (invalid argument; the kind cannot be parsed, uses the gas coin or the sponsor's funds, or
   *   would fail; the sender is the sponsor), `FORBIDDEN` (scope `sponsor` missing, or a Move call is not allowed), `UPSTREAM_UNAVAILABLE`
   *   (the ledger did not tell its gas price, or could not simulate the transaction), `UPSTREAM_BAD_RESPONSE`.
   * - Those of `reserveGas`.
   *
   * Example: `mutation ($kind: Base64!) { sponsorTransaction(transactionKind: $kind, sender: "0x5f…") { txBytes digest reservation { reservationId expiresAt } } }`
   */
  readonly sponsorTransaction?: Maybe<SponsoredTransaction>;
};


/**
 * Writes: executing a transaction, and reserving a sponsor's gas for one. Mutations of one operation run one after the other. The
 * gateway sends none of them twice.
 */
export type MutationExecuteTxArgs = {
  idempotencyKey?: InputMaybe<Scalars['String']['input']>;
  requestType?: InputMaybe<ExecuteTxRequestType>;
  reservationId: Scalars['ID']['input'];
  txBytes: Scalars['Base64']['input'];
  userSig: Scalars['Base64']['input'];
};


/**
 * Writes: executing a transaction, and reserving a sponsor's gas for one. Mutations of one operation run one after the other. The
 * gateway sends none of them twice.
 */
export type MutationReserveGasArgs = {
  gasBudget: Scalars['UInt53']['input'];
  idempotencyKey?: InputMaybe<Scalars['String']['input']>;
  reserveDurationSecs: Scalars['Int']['input'];
  sender?: InputMaybe<Scalars['String']['input']>;
};


/**
 * Writes: executing a transaction, and reserving a sponsor's gas for one. Mutations of one operation run one after the other. The
 * gateway sends none of them twice.
 */
export type MutationSponsorTransactionArgs = {
  gasBudget?: InputMaybe<Scalars['UInt53']['input']>;
  idempotencyKey?: InputMaybe<Scalars['String']['input']>;
  reserveDurationSecs?: InputMaybe<Scalars['Int']['input']>;
  sender: Scalars['String']['input'];
  transactionKind: Scalars['Base64']['input'];
};

/** Position of a page in its connection. */
export type PageInfo = {
  readonly endCursor?: Maybe<Scalars['String']['output']>;
  readonly hasNextPage: Scalars['Boolean']['output'];
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  readonly startCursor?: Maybe<Scalars['String']['output']>;
};

/**
 * Reads of the ledger, the gas sponsor, the events and the gateway. The ledger's fields of one request read the same checkpoint,
 * unless a cursor pins another. A field that fails becomes null, with an error whose `extensions.upstream` names its service.
 */
export type Query = {
  /**
   * The cost of an operation, and whether it would be served. Does not run it and makes no upstream call.
   * At most 10 per operation; more are `BAD_USER_INPUT`. An `estimate` inside the document counts as a field and is not evaluated.
   * Example: `estimate(query: "{ chainIdentifier }") { refused reasons upstreamCalls usage { outputNodes } }`.
   */
  readonly estimate: Estimate;
  /** Information about this gateway: version, upstreams and optional features. */
  readonly gateway: Gateway;
  /**
   * Events in ledger order, oldest first: by transaction, then by position in the transaction. Without a filter, or with
   * `{ all: true }`: every event. Pages in both directions. Each page is read live, so new events appear at the end.
   * Example: `queryEvents(filter: { sender: "0x2" }, last: 10) { nodes { type parsedJson } pageInfo { startCursor } }`.
   * Null with an error if the events upstream is unavailable (`UPSTREAM_UNAVAILABLE`, `UPSTREAM_TIMEOUT`), responds incorrectly
   * (`UPSTREAM_BAD_RESPONSE`) or is not configured (`NOT_CONFIGURED`), or if an argument is invalid (`BAD_USER_INPUT`).
   */
  readonly queryEvents?: Maybe<RpcEventConnection>;
  /**
   * Transactions in ledger order, oldest first. Without a filter: every transaction.
   * Example: `queryTransactionBlocks(filter: { fromAddress: "0x2" }, first: 5) { nodes { digest checkpoint } }`.
   * Null with the same errors as `queryEvents`.
   */
  readonly queryTransactionBlocks?: Maybe<RpcTransactionConnection>;
  /**
   * A reservation of this caller: its coins, expiry and state. Makes no upstream call. Null for a reservation that belongs to another
   * caller, is forged or malformed, or ended more than a few minutes ago. Also null if the gateway could not store the reservation.
   *
   * Errors: `UPSTREAM_UNAVAILABLE` (the sponsorship store is unavailable), `NOT_CONFIGURED`.
   *
   * Example: `query ($id: ID!) { reservation(reservationId: $id) { state secondsLeft gasCoins { objectId } } }`
   */
  readonly reservation?: Maybe<GasReservation>;
  /**
   * The gas sponsoring service. Never null. If the sponsor is unavailable or not configured, the fields below are null, each with an
   * error.
   *
   * Example: `{ sponsor { health version { raw } } }`
   */
  readonly sponsor: Sponsor;
  /**
   * Needs the scope `admin`. Who spent how much gas on a UTC day: one row for each client, visitor and sender with a reservation of that
   * day. Only of callers whose policy bounds something by day, such as `gas.perDay`. Makes no upstream call. `ledger-gateway audit` has
   * all callers, earlier days, called functions and every refusal.
   *
   * Errors: `FORBIDDEN` (scope `admin` missing, or callers' credentials are forwarded to the sponsor, which decides), `UNAUTHENTICATED`,
   * `BAD_USER_INPUT` (another day), `PAYLOAD_TOO_LARGE` (more than 10,000 rows), `UPSTREAM_UNAVAILABLE` (the sponsorship store is
   * unavailable), `NOT_CONFIGURED`.
   *
   * Example: `{ sponsorshipSpending(client: "page") { visitor sender held settled executed } }`
   */
  readonly sponsorshipSpending?: Maybe<ReadonlyArray<SponsorshipSpending>>;
  /**
   * The caller: identity, scopes and remaining quotas. Counts as one attempt.
   * Example: `{ viewer { id scopes rate { remaining resetsAt } } }`.
   */
  readonly viewer: Viewer;
};


/**
 * Reads of the ledger, the gas sponsor, the events and the gateway. The ledger's fields of one request read the same checkpoint,
 * unless a cursor pins another. A field that fails becomes null, with an error whose `extensions.upstream` names its service.
 */
export type QueryEstimateArgs = {
  operationName?: InputMaybe<Scalars['String']['input']>;
  query: Scalars['String']['input'];
  variables?: InputMaybe<Scalars['JSON']['input']>;
};


/**
 * Reads of the ledger, the gas sponsor, the events and the gateway. The ledger's fields of one request read the same checkpoint,
 * unless a cursor pins another. A field that fails becomes null, with an error whose `extensions.upstream` names its service.
 */
export type QueryQueryEventsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<EventQueryFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/**
 * Reads of the ledger, the gas sponsor, the events and the gateway. The ledger's fields of one request read the same checkpoint,
 * unless a cursor pins another. A field that fails becomes null, with an error whose `extensions.upstream` names its service.
 */
export type QueryQueryTransactionBlocksArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<TransactionQueryFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/**
 * Reads of the ledger, the gas sponsor, the events and the gateway. The ledger's fields of one request read the same checkpoint,
 * unless a cursor pins another. A field that fails becomes null, with an error whose `extensions.upstream` names its service.
 */
export type QueryReservationArgs = {
  reservationId: Scalars['ID']['input'];
};


/**
 * Reads of the ledger, the gas sponsor, the events and the gateway. The ledger's fields of one request read the same checkpoint,
 * unless a cursor pins another. A field that fails becomes null, with an error whose `extensions.upstream` names its service.
 */
export type QuerySponsorshipSpendingArgs = {
  client?: InputMaybe<Scalars['String']['input']>;
  day?: InputMaybe<Scalars['String']['input']>;
};

/** A recipient. Example: `{ addressOwner: "0x2" }`. */
export type RecipientFilter = {
  /** Address that received an object: 0x and 1 to 64 hex digits. */
  readonly addressOwner: Scalars['String']['input'];
};

/** Object reference of a reserved gas coin. */
export type ReservedGasCoin = {
  /** Object digest, base58. */
  readonly digest: Scalars['String']['output'];
  /** Object id: hex with 0x prefix. */
  readonly objectId: Scalars['String']['output'];
  /** Object version. `UPSTREAM_BAD_RESPONSE` if it is greater than 2^53-1. */
  readonly version: Scalars['UInt53']['output'];
};

/** An event emitted by a Move module. */
export type RpcEvent = {
  /** The struct in BCS, as the node encodes it: base64, or base58 on older nodes. Null if the node omits it. */
  readonly bcs?: Maybe<Scalars['String']['output']>;
  /** Position among the transaction's events, from 0, as a decimal string. */
  readonly eventSeq: Scalars['String']['output'];
  /** Globally unique and permanent: `txDigest:eventSeq`. Clients can use it as a cache key. */
  readonly id: Scalars['ID']['output'];
  /** Object id of the package whose code emitted the event: 0x and 64 hex digits. */
  readonly packageId: Scalars['String']['output'];
  /** Fields of the struct. Integers of 64 bits and more are decimal strings, smaller ones numbers, addresses full-length hex. */
  readonly parsedJson?: Maybe<Scalars['JSON']['output']>;
  /** Address that signed the transaction: 0x and 64 hex digits. */
  readonly sender: Scalars['String']['output'];
  /** Execution time of the transaction: milliseconds since the Unix epoch as a decimal string. Null if the node omits it. */
  readonly timestampMs?: Maybe<Scalars['String']['output']>;
  /** Module of that package that emitted the event. */
  readonly transactionModule: Scalars['String']['output'];
  /** Digest of the transaction that emitted the event: base58 of 32 bytes. */
  readonly txDigest: Scalars['String']['output'];
  /** Fully qualified struct type, for example `0x2::coin::Minted<0x2::ledger::LEDGER>`. */
  readonly type: Scalars['String']['output'];
};

/** One page of events. */
export type RpcEventConnection = {
  /** The events with their cursors, oldest first. */
  readonly edges: ReadonlyArray<RpcEventEdge>;
  /** The events, oldest first. */
  readonly nodes: ReadonlyArray<RpcEvent>;
  /** Position of the page. `hasPreviousPage` of a forward page is true only with `after`, `hasNextPage` of a backward page only with `before`. */
  readonly pageInfo: PageInfo;
};

/** An event in a connection. */
export type RpcEventEdge = {
  /** Opaque cursor for `after` or `before` in queries with the same filter. */
  readonly cursor: Scalars['String']['output'];
  /** The event. */
  readonly node: RpcEvent;
};

/** A transaction. */
export type RpcTransaction = {
  /** Sequence number of its checkpoint as a decimal string. Null if the node omits it. */
  readonly checkpoint?: Maybe<Scalars['String']['output']>;
  /** Transaction digest: base58 of 32 bytes. */
  readonly digest: Scalars['String']['output'];
  /**
   * The node's complete response, in the form of `EVENTS_SOURCE`. By JSON-RPC: input, effects, events, object changes and balance
   * changes. By GraphQL: the transaction and its effects in BCS, with the main fields of both. Requested only if selected.
   */
  readonly raw: Scalars['JSON']['output'];
  /** Time of its checkpoint: milliseconds since the Unix epoch as a decimal string. Null if the node omits it. */
  readonly timestampMs?: Maybe<Scalars['String']['output']>;
};

/** One page of transactions. */
export type RpcTransactionConnection = {
  /** The transactions with their cursors, oldest first. */
  readonly edges: ReadonlyArray<RpcTransactionEdge>;
  /** The transactions, oldest first. */
  readonly nodes: ReadonlyArray<RpcTransaction>;
  /** Position of the page. `hasPreviousPage` of a forward page is true only with `after`, `hasNextPage` of a backward page only with `before`. */
  readonly pageInfo: PageInfo;
};

/** A transaction in a connection. */
export type RpcTransactionEdge = {
  /** Opaque cursor for `after` or `before` in queries with the same filter. */
  readonly cursor: Scalars['String']['output'];
  /** The transaction. */
  readonly node: RpcTransaction;
};

/** The gas sponsoring service. Each selected field makes one upstream call per operation. */
export type Sponsor = {
  /** Result of the shallow health check: `OK`. Null with an error if the sponsor is not configured (`NOT_CONFIGURED`), unavailable (`UPSTREAM_UNAVAILABLE`, `UPSTREAM_TIMEOUT`) or returns anything else (`UPSTREAM_BAD_RESPONSE`). */
  readonly health?: Maybe<Scalars['String']['output']>;
  /** The sponsor's version. Null with the same errors as `health`. */
  readonly version?: Maybe<SponsorVersion>;
};

/** Result of the sponsor's deep health check. */
export type SponsorHealthCheck = {
  /** `OK`, or a fixed failure message; only the gateway's log has the sponsor's reason. */
  readonly message: Scalars['String']['output'];
  /** Whether the sponsor reserved coins and signed. */
  readonly ok: Scalars['Boolean']['output'];
};

/** Result of reloading the access controller. */
export type SponsorReloadResult = {
  /** The sponsor's response: `success`. */
  readonly result: Scalars['String']['output'];
};

/** The sponsor's version, `<semver>-<build hash>`, and its parts. */
export type SponsorVersion = {
  /** The build hash, for example `1a2b3c4d5e6f`; null if `raw` has another form. */
  readonly buildHash?: Maybe<Scalars['String']['output']>;
  /** The whole version, for example `0.3.0-1a2b3c4d5e6f`. */
  readonly raw: Scalars['String']['output'];
  /** The part before the build hash, for example `0.3.0`; null if `raw` has another form. */
  readonly semver?: Maybe<Scalars['String']['output']>;
};

/** Effects of a sponsored transaction. Lists that the sponsor omits are empty. */
export type SponsoredEffects = {
  /** Created objects. */
  readonly created: ReadonlyArray<SponsoredObjectChange>;
  /** Deleted objects. */
  readonly deleted: ReadonlyArray<SponsoredObjectRef>;
  /** Digests of the transactions on which this one depends, base58. */
  readonly dependencies: ReadonlyArray<Scalars['String']['output']>;
  /** Digest of the emitted events, base58; null if there are none. */
  readonly eventsDigest?: Maybe<Scalars['String']['output']>;
  /** Epoch of the execution. */
  readonly executedEpoch: Scalars['BigInt']['output'];
  /** The coin that paid for gas. */
  readonly gasObject: SponsoredObjectChange;
  /** Gas costs, in the smallest unit of the gas coin. */
  readonly gasUsed: SponsoredGasUsed;
  /** Version tag of the effects, for example `v1`. */
  readonly messageVersion: Scalars['String']['output'];
  /** Previous versions of mutated and deleted objects. */
  readonly modifiedAtVersions: ReadonlyArray<SponsoredModifiedAt>;
  /** Changed objects, including the gas coin. */
  readonly mutated: ReadonlyArray<SponsoredObjectChange>;
  /** The sponsor's effects as JSON, including fields that are not in this schema. Integers greater than 2^53-1 are decimal strings. */
  readonly raw: Scalars['JSON']['output'];
  /** Shared objects that the transaction read or wrote, at their previous versions. */
  readonly sharedObjects: ReadonlyArray<SponsoredObjectRef>;
  /** Success or failure. */
  readonly status: SponsoredStatus;
  /** Digest of the transaction, base58. */
  readonly transactionDigest: Scalars['String']['output'];
  /** Objects taken out of another object. */
  readonly unwrapped: ReadonlyArray<SponsoredObjectChange>;
  /** Objects taken out of another object and then deleted. */
  readonly unwrappedThenDeleted: ReadonlyArray<SponsoredObjectRef>;
  /** Objects put into another object. */
  readonly wrapped: ReadonlyArray<SponsoredObjectRef>;
};

/** Gas costs, in the smallest unit of the gas coin. */
export type SponsoredGasUsed = {
  /** Computation cost. */
  readonly computationCost: Scalars['BigInt']['output'];
  /** Burned part of `computationCost`; null on ledgers that do not report it. */
  readonly computationCostBurned?: Maybe<Scalars['BigInt']['output']>;
  /** Part of the storage fee that the ledger keeps. */
  readonly nonRefundableStorageFee: Scalars['BigInt']['output'];
  /** Cost of allocated storage. */
  readonly storageCost: Scalars['BigInt']['output'];
  /** Refund for released storage. */
  readonly storageRebate: Scalars['BigInt']['output'];
};

/** An object and its version before the transaction. */
export type SponsoredModifiedAt = {
  /** Object id: hex with 0x prefix. */
  readonly objectId: Scalars['String']['output'];
  /** Version before the transaction. */
  readonly sequenceNumber: Scalars['BigInt']['output'];
};

/** An object after the transaction, with its owner. */
export type SponsoredObjectChange = {
  /** Owner after the transaction. */
  readonly owner: SponsoredOwner;
  /** The new version of the object. */
  readonly reference: SponsoredObjectRef;
};

/** Reference to one version of an object. */
export type SponsoredObjectRef = {
  /** Object digest, base58. */
  readonly digest: Scalars['String']['output'];
  /** Object id: hex with 0x prefix. */
  readonly objectId: Scalars['String']['output'];
  /** Object version. `UPSTREAM_BAD_RESPONSE` if it is greater than 2^53-1; `SponsoredEffects.raw` has the exact number. */
  readonly version: Scalars['UInt53']['output'];
};

/** The owner of an object. */
export type SponsoredOwner = {
  /** Owning address or object id, hex with 0x prefix, for `ADDRESS`, `CONSENSUS_ADDRESS` and `OBJECT`; null otherwise. */
  readonly address?: Maybe<Scalars['String']['output']>;
  /** Version at which consensus began to order the object's transactions, for `SHARED` and `CONSENSUS_ADDRESS`; null otherwise. `UPSTREAM_BAD_RESPONSE` if it is greater than 2^53-1. */
  readonly initialSharedVersion?: Maybe<Scalars['UInt53']['output']>;
  /** Kind of owner; determines which fields below are set. */
  readonly kind: SponsoredOwnerKind;
};

/** Kinds of owners. */
export type SponsoredOwnerKind =
  /** An address. */
  | 'ADDRESS'
  /** An address, with transactions ordered by consensus (party-owned). */
  | 'CONSENSUS_ADDRESS'
  /** Immutable: the object cannot change. */
  | 'IMMUTABLE'
  /** Another object. */
  | 'OBJECT'
  /** Shared: any transaction may use the object. */
  | 'SHARED'
  /** A kind that this gateway does not know. */
  | 'UNKNOWN';

/** Whether a sponsored transaction succeeded. */
export type SponsoredStatus = {
  /** The ledger's error message, for example `MoveAbort(...)`; null on success. */
  readonly error?: Maybe<Scalars['String']['output']>;
  /** `success` or `failure`. */
  readonly status: Scalars['String']['output'];
};

/** A transaction with its gas filled in, to be signed by its sender. */
export type SponsoredTransaction = {
  /** Digest of the transaction, base58, under which the ledger will have it. */
  readonly digest: Scalars['String']['output'];
  /** Maximum gas, in the smallest unit of the gas coin. */
  readonly gasBudget: Scalars['UInt53']['output'];
  /** Price of a unit of gas: the ledger's reference gas price when the coins were reserved. */
  readonly gasPrice: Scalars['UInt53']['output'];
  /** The coins that pay. Its `reservationId` is the argument of `executeTx`; the user has until its `expiresAt`. */
  readonly reservation: GasReservation;
  /** BCS bytes of the TransactionData, base64: what the wallet signs, and `executeTx` takes. */
  readonly txBytes: Scalars['Base64']['output'];
};

/** What one sender spent through one visitor of a client, with reservations of one day. Amounts are in the smallest unit of the gas coin. */
export type SponsorshipSpending = {
  /** `client:` and the id of an API key, `jwt`, `jwt-policy:` and the name of a policy, or `anonymous`. */
  readonly client: Scalars['String']['output'];
  /** UTC day of the reservations, like `2027-01-31`. */
  readonly day: Scalars['String']['output'];
  /** Transactions that succeeded, or whose result the gateway did not learn. */
  readonly executed: Scalars['Int']['output'];
  /** Transactions that failed. They paid gas. */
  readonly failed: Scalars['Int']['output'];
  /** Gas held for unexpired reservations, and for executions without an outcome. */
  readonly held: Scalars['BigInt']['output'];
  /** Reservations and executions refused by a budget or count, by the sponsor, or by the ledger. The audit log has all refusals, with their rules. */
  readonly refused: Scalars['Int']['output'];
  /** Gas budgets of all reservations. */
  readonly reserved: Scalars['BigInt']['output'];
  /** Sender of the transactions. Null: not known before an execution, senders beyond the first 64 of a visitor together, or of many visitors. */
  readonly sender?: Maybe<Scalars['String']['output']>;
  /** Gas used by transactions. A reservation that expired unused is neither held nor settled. */
  readonly settled: Scalars['BigInt']['output'];
  /** As in the audit log. Null: visitors beyond the first 4,096 rows of the client, together. */
  readonly visitor?: Maybe<Scalars['String']['output']>;
};

/** Streams, over `text/event-stream` and WebSocket (`graphql-transport-ws`): the ledger's own, and ours, which resume after a cursor. */
export type Subscription = {
  /**
   * Events as they happen, in ledger order, each exactly once. Without `after`, the stream starts now. With the cursor of an item,
   * it resumes after that item without gaps or repeats. The stream continues through outages of the events upstream and reads the
   * missed events afterwards; lost ranges are reported as `LiveGap`. It ends when the client disconnects, the gateway stops, or the
   * caller's key or JWT becomes invalid.
   * Example: `subscription { liveEvents(filter: { sender: "0x2" }) { ... on LiveEventItem { cursor event { type parsedJson } } } }`.
   * Errors: `BAD_USER_INPUT` (invalid argument), `CURSOR_KEY_UNKNOWN` (cursor signed with an unknown key), `NOT_CONFIGURED` (no events
   * upstream), `RATE_LIMITED` (too many streams of this caller), `UNAVAILABLE` (too many streams).
   */
  readonly liveEvents: LiveEvent;
  /**
   * Transactions as they happen, in ledger order, each exactly once. Works like `liveEvents`.
   * Example: `subscription { liveTransactions(filter: { fromAddress: "0x2" }) { ... on LiveTransactionItem { cursor transaction { digest } } } }`.
   */
  readonly liveTransactions: LiveTransaction;
};


/** Streams, over `text/event-stream` and WebSocket (`graphql-transport-ws`): the ledger's own, and ours, which resume after a cursor. */
export type SubscriptionLiveEventsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<EventStreamFilter>;
};


/** Streams, over `text/event-stream` and WebSocket (`graphql-transport-ws`): the ledger's own, and ours, which resume after a cursor. */
export type SubscriptionLiveTransactionsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<TransactionStreamFilter>;
};

/** A time interval that includes both ends. Example: `{ startTime: 1767225600000, endTime: 1767225659999 }`. */
export type TimeRangeFilter = {
  /** Last millisecond, since the Unix epoch; not before `startTime`. */
  readonly endTime: Scalars['UInt53']['input'];
  /** First millisecond, since the Unix epoch. */
  readonly startTime: Scalars['UInt53']['input'];
};

/**
 * Selects transactions by exactly one member. Variables for ids work as in `EventQueryFilter`.
 * Example: `{ moveFunction: { package: "0x2", module: "coin", function: "mint" } }`.
 */
export type TransactionQueryFilter =
  /** Transactions that created or changed an object, by its id: 0x and 1 to 64 hex digits. */
  { readonly changedObject: Scalars['String']['input']; readonly checkpoint?: never; readonly fromAddress?: never; readonly fromAndToAddress?: never; readonly fromOrToAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; readonly transactionKindIn?: never; }
  |  /** Transactions of one checkpoint, by its sequence number as a decimal string. */
  { readonly changedObject?: never; readonly checkpoint: Scalars['String']['input']; readonly fromAddress?: never; readonly fromAndToAddress?: never; readonly fromOrToAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; readonly transactionKindIn?: never; }
  |  /** Transactions signed by an address: 0x and 1 to 64 hex digits. */
  { readonly changedObject?: never; readonly checkpoint?: never; readonly fromAddress: Scalars['String']['input']; readonly fromAndToAddress?: never; readonly fromOrToAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; readonly transactionKindIn?: never; }
  |  /** Transactions signed by one address that created or changed an object that another address owns afterwards. */
  { readonly changedObject?: never; readonly checkpoint?: never; readonly fromAddress?: never; readonly fromAndToAddress: FromAndToFilter; readonly fromOrToAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; readonly transactionKindIn?: never; }
  |  /** Transactions that match `fromAddress` or `toAddress`: 0x and 1 to 64 hex digits. */
  { readonly changedObject?: never; readonly checkpoint?: never; readonly fromAddress?: never; readonly fromAndToAddress?: never; readonly fromOrToAddress: Scalars['String']['input']; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; readonly transactionKindIn?: never; }
  |  /** Transactions that take an object as input, by its id: 0x and 1 to 64 hex digits. */
  { readonly changedObject?: never; readonly checkpoint?: never; readonly fromAddress?: never; readonly fromAndToAddress?: never; readonly fromOrToAddress?: never; readonly inputObject: Scalars['String']['input']; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; readonly transactionKindIn?: never; }
  |  /** Transactions that call a Move function. */
  { readonly changedObject?: never; readonly checkpoint?: never; readonly fromAddress?: never; readonly fromAndToAddress?: never; readonly fromOrToAddress?: never; readonly inputObject?: never; readonly moveFunction: MoveFunctionFilter; readonly toAddress?: never; readonly transactionKind?: never; readonly transactionKindIn?: never; }
  |  /** Transactions that created or changed an object that an address owns afterwards: 0x and 1 to 64 hex digits. */
  { readonly changedObject?: never; readonly checkpoint?: never; readonly fromAddress?: never; readonly fromAndToAddress?: never; readonly fromOrToAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress: Scalars['String']['input']; readonly transactionKind?: never; readonly transactionKindIn?: never; }
  |  /** Transactions of one kind, in the node's spelling, for example `ProgrammableTransaction`. */
  { readonly changedObject?: never; readonly checkpoint?: never; readonly fromAddress?: never; readonly fromAndToAddress?: never; readonly fromOrToAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind: Scalars['String']['input']; readonly transactionKindIn?: never; }
  |  /** Transactions of any of 1 to 32 kinds, in the node's spelling. */
  { readonly changedObject?: never; readonly checkpoint?: never; readonly fromAddress?: never; readonly fromAndToAddress?: never; readonly fromOrToAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; readonly transactionKindIn: ReadonlyArray<Scalars['String']['input']>; };

/** Selects the transactions of a stream by exactly one member. Example: `{ moveFunction: { package: "0x2", module: "coin" } }`. */
export type TransactionStreamFilter =
  /** Transactions that created or changed an object, by its id: 0x and 1 to 64 hex digits. */
  { readonly changedObject: Scalars['String']['input']; readonly fromAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; }
  |  /** Transactions signed by an address: 0x and 1 to 64 hex digits. */
  { readonly changedObject?: never; readonly fromAddress: Scalars['String']['input']; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; }
  |  /** Transactions that take an object as input, by its id: 0x and 1 to 64 hex digits. */
  { readonly changedObject?: never; readonly fromAddress?: never; readonly inputObject: Scalars['String']['input']; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; }
  |  /** Transactions that call a function, a function of a module, or a function of a package. */
  { readonly changedObject?: never; readonly fromAddress?: never; readonly inputObject?: never; readonly moveFunction: MoveFunctionFilter; readonly toAddress?: never; readonly transactionKind?: never; }
  |  /** Transactions in which an address received an object: 0x and 1 to 64 hex digits. */
  { readonly changedObject?: never; readonly fromAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress: Scalars['String']['input']; readonly transactionKind?: never; }
  |  /** Transactions of one kind, for example `ProgrammableTransaction`. */
  { readonly changedObject?: never; readonly fromAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind: Scalars['String']['input']; };

/** The caller of the operation. Makes no upstream call. */
export type Viewer = {
  /**
   * Gas budget of the UTC day, in the smallest unit of the gas coin: of this visitor, of all visitors of its key, or of `sender`,
   * whichever has least left. `held` contains unexpired reservations and executions with an unknown outcome. The spent amount is
   * `limit - remaining - held`. Null if none of them has a budget.
   *
   * Errors: `BAD_USER_INPUT` (malformed `sender`, or more than 10 senders in an operation), `UPSTREAM_UNAVAILABLE` (the sponsorship store
   * is unavailable).
   */
  readonly gas?: Maybe<ViewerAllowance>;
  /** `client:` and the id of an API key, `jwt:` and the subject of a JWT, `credential:` and a hash of a forwarded credential, or `address:` and the IP address. */
  readonly id: Scalars['String']['output'];
  /** How the caller was identified. */
  readonly kind: ViewerKind;
  /** Rate limit in points: of this visitor or of all visitors of its key, whichever has less left. Null if neither has a limit. */
  readonly rate?: Maybe<ViewerAllowance>;
  /** Granted scopes out of `read`, `sponsor` and `admin`. All three if callers' credentials are forwarded to the sponsor, which decides. */
  readonly scopes: ReadonlyArray<Scalars['String']['output']>;
};


/** The caller of the operation. Makes no upstream call. */
export type ViewerGasArgs = {
  sender?: InputMaybe<Scalars['String']['input']>;
};

/** A quota of one time window. */
export type ViewerAllowance = {
  /** Reserved but not yet spent. Null if this quota has no reservations. */
  readonly held?: Maybe<Scalars['BigInt']['output']>;
  /** Quota of the whole window. */
  readonly limit: Scalars['BigInt']['output'];
  /** Remaining quota, after this operation. */
  readonly remaining: Scalars['BigInt']['output'];
  /** End of the window, when the whole quota is available again. */
  readonly resetsAt: Scalars['DateTime']['output'];
};

/** How a caller was identified. */
export type ViewerKind =
  /** By IP address; no credential was sent. */
  | 'ANONYMOUS'
  /** By an API key of this gateway. */
  | 'API_KEY'
  /** By a credential that is forwarded to the sponsor, which alone can verify it. */
  | 'FORWARDED'
  /** By a JSON Web Token. */
  | 'JWT';



export type ResolverTypeWrapper<T> = Promise<T> | T;


export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;





/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  Base64: ResolverTypeWrapper<any>;
  BigInt: ResolverTypeWrapper<any>;
  Boolean: ResolverTypeWrapper<any>;
  DateTime: ResolverTypeWrapper<any>;
  Estimate: ResolverTypeWrapper<any>;
  EstimateLimit: ResolverTypeWrapper<any>;
  EstimateUsage: ResolverTypeWrapper<any>;
  EventQueryFilter: ResolverTypeWrapper<any>;
  EventStreamFilter: ResolverTypeWrapper<any>;
  ExecuteTxOutcome: ResolverTypeWrapper<any>;
  ExecuteTxRequestType: ResolverTypeWrapper<any>;
  ExecuteTxResult: ResolverTypeWrapper<any>;
  FromAndToFilter: ResolverTypeWrapper<any>;
  GasReservation: ResolverTypeWrapper<any>;
  GasReservationState: ResolverTypeWrapper<any>;
  Gateway: ResolverTypeWrapper<any>;
  GatewayCapability: ResolverTypeWrapper<any>;
  GatewayUpstream: ResolverTypeWrapper<any>;
  GatewayUpstreamState: ResolverTypeWrapper<any>;
  ID: ResolverTypeWrapper<any>;
  Int: ResolverTypeWrapper<any>;
  JSON: ResolverTypeWrapper<any>;
  LiveEvent: ResolverTypeWrapper<any>;
  LiveEventItem: ResolverTypeWrapper<any>;
  LiveGap: ResolverTypeWrapper<any>;
  LiveMissed: ResolverTypeWrapper<any>;
  LiveTransaction: ResolverTypeWrapper<any>;
  LiveTransactionItem: ResolverTypeWrapper<any>;
  MoveEventFieldFilter: ResolverTypeWrapper<any>;
  MoveEventModuleStreamFilter: ResolverTypeWrapper<any>;
  MoveFunctionFilter: ResolverTypeWrapper<any>;
  MoveModuleFilter: ResolverTypeWrapper<any>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  PageInfo: ResolverTypeWrapper<any>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  RecipientFilter: ResolverTypeWrapper<any>;
  ReservedGasCoin: ResolverTypeWrapper<any>;
  RpcEvent: ResolverTypeWrapper<any>;
  RpcEventConnection: ResolverTypeWrapper<any>;
  RpcEventEdge: ResolverTypeWrapper<any>;
  RpcTransaction: ResolverTypeWrapper<any>;
  RpcTransactionConnection: ResolverTypeWrapper<any>;
  RpcTransactionEdge: ResolverTypeWrapper<any>;
  Sponsor: ResolverTypeWrapper<any>;
  SponsorHealthCheck: ResolverTypeWrapper<any>;
  SponsorReloadResult: ResolverTypeWrapper<any>;
  SponsorVersion: ResolverTypeWrapper<any>;
  SponsoredEffects: ResolverTypeWrapper<any>;
  SponsoredGasUsed: ResolverTypeWrapper<any>;
  SponsoredModifiedAt: ResolverTypeWrapper<any>;
  SponsoredObjectChange: ResolverTypeWrapper<any>;
  SponsoredObjectRef: ResolverTypeWrapper<any>;
  SponsoredOwner: ResolverTypeWrapper<any>;
  SponsoredOwnerKind: ResolverTypeWrapper<any>;
  SponsoredStatus: ResolverTypeWrapper<any>;
  SponsoredTransaction: ResolverTypeWrapper<any>;
  SponsorshipSpending: ResolverTypeWrapper<any>;
  String: ResolverTypeWrapper<any>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
  TimeRangeFilter: ResolverTypeWrapper<any>;
  TransactionQueryFilter: ResolverTypeWrapper<any>;
  TransactionStreamFilter: ResolverTypeWrapper<any>;
  UInt53: ResolverTypeWrapper<any>;
  Viewer: ResolverTypeWrapper<any>;
  ViewerAllowance: ResolverTypeWrapper<any>;
  ViewerKind: ResolverTypeWrapper<any>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  Base64: any;
  BigInt: any;
  Boolean: any;
  DateTime: any;
  Estimate: any;
  EstimateLimit: any;
  EstimateUsage: any;
  EventQueryFilter: any;
  EventStreamFilter: any;
  ExecuteTxResult: any;
  FromAndToFilter: any;
  GasReservation: any;
  Gateway: any;
  GatewayCapability: any;
  GatewayUpstream: any;
  ID: any;
  Int: any;
  JSON: any;
  LiveEvent: any;
  LiveEventItem: any;
  LiveGap: any;
  LiveMissed: any;
  LiveTransaction: any;
  LiveTransactionItem: any;
  MoveEventFieldFilter: any;
  MoveEventModuleStreamFilter: any;
  MoveFunctionFilter: any;
  MoveModuleFilter: any;
  Mutation: Record<PropertyKey, never>;
  PageInfo: any;
  Query: Record<PropertyKey, never>;
  RecipientFilter: any;
  ReservedGasCoin: any;
  RpcEvent: any;
  RpcEventConnection: any;
  RpcEventEdge: any;
  RpcTransaction: any;
  RpcTransactionConnection: any;
  RpcTransactionEdge: any;
  Sponsor: any;
  SponsorHealthCheck: any;
  SponsorReloadResult: any;
  SponsorVersion: any;
  SponsoredEffects: any;
  SponsoredGasUsed: any;
  SponsoredModifiedAt: any;
  SponsoredObjectChange: any;
  SponsoredObjectRef: any;
  SponsoredOwner: any;
  SponsoredStatus: any;
  SponsoredTransaction: any;
  SponsorshipSpending: any;
  String: any;
  Subscription: Record<PropertyKey, never>;
  TimeRangeFilter: any;
  TransactionQueryFilter: any;
  TransactionStreamFilter: any;
  UInt53: any;
  Viewer: any;
  ViewerAllowance: any;
};

export type AddressDirectiveArgs = { };

export type AddressDirectiveResolver<Result, Parent, ContextType = OperationContext, Args = AddressDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type DigestDirectiveArgs = { };

export type DigestDirectiveResolver<Result, Parent, ContextType = OperationContext, Args = DigestDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type ReadByCallsDirectiveArgs = { };

export type ReadByCallsDirectiveResolver<Result, Parent, ContextType = OperationContext, Args = ReadByCallsDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export interface Base64ScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Base64'], any> {
  name: 'Base64';
}

export interface BigIntScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['BigInt'], any> {
  name: 'BigInt';
}

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type EstimateResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Estimate'] = ResolversParentTypes['Estimate']> = {
  codes?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  limits?: Resolver<ReadonlyArray<ResolversTypes['EstimateLimit']>, ParentType, ContextType>;
  plan?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  ratePoints?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  reasons?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  refused?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  upstreamCalls?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  usage?: Resolver<ResolversTypes['EstimateUsage'], ParentType, ContextType>;
};

export type EstimateLimitResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['EstimateLimit'] = ResolversParentTypes['EstimateLimit']> = {
  exceeded?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  max?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  used?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
};

export type EstimateUsageResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['EstimateUsage'] = ResolversParentTypes['EstimateUsage']> = {
  depth?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  fragments?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  inputNodes?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  outputNodes?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  queryPayload?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  variables?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type ExecuteTxResultResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['ExecuteTxResult'] = ResolversParentTypes['ExecuteTxResult']> = {
  digest?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  effects?: Resolver<Maybe<ResolversTypes['SponsoredEffects']>, ParentType, ContextType>;
  outcome?: Resolver<ResolversTypes['ExecuteTxOutcome'], ParentType, ContextType>;
};

export type GasReservationResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['GasReservation'] = ResolversParentTypes['GasReservation']> = {
  expiresAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  gasBudget?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  gasCoins?: Resolver<ReadonlyArray<ResolversTypes['ReservedGasCoin']>, ParentType, ContextType>;
  reservationId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  secondsLeft?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  sender?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  sponsorAddress?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['GasReservationState'], ParentType, ContextType>;
};

export type GatewayResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Gateway'] = ResolversParentTypes['Gateway']> = {
  capabilities?: Resolver<ReadonlyArray<ResolversTypes['GatewayCapability']>, ParentType, ContextType>;
  networkProfile?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  rpcVersion?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  upstreams?: Resolver<ReadonlyArray<ResolversTypes['GatewayUpstream']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type GatewayCapabilityResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['GatewayCapability'] = ResolversParentTypes['GatewayCapability']> = {
  available?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  reason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type GatewayUpstreamResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['GatewayUpstream'] = ResolversParentTypes['GatewayUpstream']> = {
  configured?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  detail?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  lastSeenAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['GatewayUpstreamState'], ParentType, ContextType>;
  version?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export interface JsonScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSON'], any> {
  name: 'JSON';
}

export type LiveEventResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['LiveEvent'] = ResolversParentTypes['LiveEvent']> = {
  __resolveType: TypeResolveFn<'LiveEventItem' | 'LiveGap' | 'LiveMissed', ParentType, ContextType>;
};

export type LiveEventItemResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['LiveEventItem'] = ResolversParentTypes['LiveEventItem']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  event?: Resolver<ResolversTypes['RpcEvent'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type LiveGapResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['LiveGap'] = ResolversParentTypes['LiveGap']> = {
  after?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  before?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  reason?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type LiveMissedResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['LiveMissed'] = ResolversParentTypes['LiveMissed']> = {
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  resumeAfter?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type LiveTransactionResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['LiveTransaction'] = ResolversParentTypes['LiveTransaction']> = {
  __resolveType: TypeResolveFn<'LiveGap' | 'LiveMissed' | 'LiveTransactionItem', ParentType, ContextType>;
};

export type LiveTransactionItemResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['LiveTransactionItem'] = ResolversParentTypes['LiveTransactionItem']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  transaction?: Resolver<ResolversTypes['RpcTransaction'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type MutationResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  checkSponsorHealth?: Resolver<Maybe<ResolversTypes['SponsorHealthCheck']>, ParentType, ContextType>;
  executeTx?: Resolver<Maybe<ResolversTypes['ExecuteTxResult']>, ParentType, ContextType, RequireFields<MutationExecuteTxArgs, 'requestType' | 'reservationId' | 'txBytes' | 'userSig'>>;
  reloadAccessController?: Resolver<Maybe<ResolversTypes['SponsorReloadResult']>, ParentType, ContextType>;
  reserveGas?: Resolver<Maybe<ResolversTypes['GasReservation']>, ParentType, ContextType, RequireFields<MutationReserveGasArgs, 'gasBudget' | 'reserveDurationSecs'>>;
  sponsorTransaction?: Resolver<Maybe<ResolversTypes['SponsoredTransaction']>, ParentType, ContextType, RequireFields<MutationSponsorTransactionArgs, 'sender' | 'transactionKind'>>;
};

export type PageInfoResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type QueryResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  estimate?: Resolver<ResolversTypes['Estimate'], ParentType, ContextType, RequireFields<QueryEstimateArgs, 'query'>>;
  gateway?: Resolver<ResolversTypes['Gateway'], ParentType, ContextType>;
  queryEvents?: Resolver<Maybe<ResolversTypes['RpcEventConnection']>, ParentType, ContextType, Partial<QueryQueryEventsArgs>>;
  queryTransactionBlocks?: Resolver<Maybe<ResolversTypes['RpcTransactionConnection']>, ParentType, ContextType, Partial<QueryQueryTransactionBlocksArgs>>;
  reservation?: Resolver<Maybe<ResolversTypes['GasReservation']>, ParentType, ContextType, RequireFields<QueryReservationArgs, 'reservationId'>>;
  sponsor?: Resolver<ResolversTypes['Sponsor'], ParentType, ContextType>;
  sponsorshipSpending?: Resolver<Maybe<ReadonlyArray<ResolversTypes['SponsorshipSpending']>>, ParentType, ContextType, Partial<QuerySponsorshipSpendingArgs>>;
  viewer?: Resolver<ResolversTypes['Viewer'], ParentType, ContextType>;
};

export type ReservedGasCoinResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['ReservedGasCoin'] = ResolversParentTypes['ReservedGasCoin']> = {
  digest?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  objectId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
};

export type RpcEventResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['RpcEvent'] = ResolversParentTypes['RpcEvent']> = {
  bcs?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  eventSeq?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  packageId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  parsedJson?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  sender?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  timestampMs?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  transactionModule?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  txDigest?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  type?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type RpcEventConnectionResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['RpcEventConnection'] = ResolversParentTypes['RpcEventConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['RpcEventEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['RpcEvent']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type RpcEventEdgeResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['RpcEventEdge'] = ResolversParentTypes['RpcEventEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['RpcEvent'], ParentType, ContextType>;
};

export type RpcTransactionResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['RpcTransaction'] = ResolversParentTypes['RpcTransaction']> = {
  checkpoint?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  digest?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  raw?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  timestampMs?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type RpcTransactionConnectionResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['RpcTransactionConnection'] = ResolversParentTypes['RpcTransactionConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['RpcTransactionEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['RpcTransaction']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type RpcTransactionEdgeResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['RpcTransactionEdge'] = ResolversParentTypes['RpcTransactionEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['RpcTransaction'], ParentType, ContextType>;
};

export type SponsorResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Sponsor'] = ResolversParentTypes['Sponsor']> = {
  health?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  version?: Resolver<Maybe<ResolversTypes['SponsorVersion']>, ParentType, ContextType>;
};

export type SponsorHealthCheckResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['SponsorHealthCheck'] = ResolversParentTypes['SponsorHealthCheck']> = {
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  ok?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type SponsorReloadResultResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['SponsorReloadResult'] = ResolversParentTypes['SponsorReloadResult']> = {
  result?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type SponsorVersionResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['SponsorVersion'] = ResolversParentTypes['SponsorVersion']> = {
  buildHash?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  raw?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  semver?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type SponsoredEffectsResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['SponsoredEffects'] = ResolversParentTypes['SponsoredEffects']> = {
  created?: Resolver<ReadonlyArray<ResolversTypes['SponsoredObjectChange']>, ParentType, ContextType>;
  deleted?: Resolver<ReadonlyArray<ResolversTypes['SponsoredObjectRef']>, ParentType, ContextType>;
  dependencies?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  eventsDigest?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  executedEpoch?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  gasObject?: Resolver<ResolversTypes['SponsoredObjectChange'], ParentType, ContextType>;
  gasUsed?: Resolver<ResolversTypes['SponsoredGasUsed'], ParentType, ContextType>;
  messageVersion?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  modifiedAtVersions?: Resolver<ReadonlyArray<ResolversTypes['SponsoredModifiedAt']>, ParentType, ContextType>;
  mutated?: Resolver<ReadonlyArray<ResolversTypes['SponsoredObjectChange']>, ParentType, ContextType>;
  raw?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  sharedObjects?: Resolver<ReadonlyArray<ResolversTypes['SponsoredObjectRef']>, ParentType, ContextType>;
  status?: Resolver<ResolversTypes['SponsoredStatus'], ParentType, ContextType>;
  transactionDigest?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  unwrapped?: Resolver<ReadonlyArray<ResolversTypes['SponsoredObjectChange']>, ParentType, ContextType>;
  unwrappedThenDeleted?: Resolver<ReadonlyArray<ResolversTypes['SponsoredObjectRef']>, ParentType, ContextType>;
  wrapped?: Resolver<ReadonlyArray<ResolversTypes['SponsoredObjectRef']>, ParentType, ContextType>;
};

export type SponsoredGasUsedResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['SponsoredGasUsed'] = ResolversParentTypes['SponsoredGasUsed']> = {
  computationCost?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  computationCostBurned?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  nonRefundableStorageFee?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  storageCost?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  storageRebate?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
};

export type SponsoredModifiedAtResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['SponsoredModifiedAt'] = ResolversParentTypes['SponsoredModifiedAt']> = {
  objectId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  sequenceNumber?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
};

export type SponsoredObjectChangeResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['SponsoredObjectChange'] = ResolversParentTypes['SponsoredObjectChange']> = {
  owner?: Resolver<ResolversTypes['SponsoredOwner'], ParentType, ContextType>;
  reference?: Resolver<ResolversTypes['SponsoredObjectRef'], ParentType, ContextType>;
};

export type SponsoredObjectRefResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['SponsoredObjectRef'] = ResolversParentTypes['SponsoredObjectRef']> = {
  digest?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  objectId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
};

export type SponsoredOwnerResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['SponsoredOwner'] = ResolversParentTypes['SponsoredOwner']> = {
  address?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  initialSharedVersion?: Resolver<Maybe<ResolversTypes['UInt53']>, ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['SponsoredOwnerKind'], ParentType, ContextType>;
};

export type SponsoredStatusResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['SponsoredStatus'] = ResolversParentTypes['SponsoredStatus']> = {
  error?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  status?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type SponsoredTransactionResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['SponsoredTransaction'] = ResolversParentTypes['SponsoredTransaction']> = {
  digest?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  gasBudget?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  gasPrice?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  reservation?: Resolver<ResolversTypes['GasReservation'], ParentType, ContextType>;
  txBytes?: Resolver<ResolversTypes['Base64'], ParentType, ContextType>;
};

export type SponsorshipSpendingResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['SponsorshipSpending'] = ResolversParentTypes['SponsorshipSpending']> = {
  client?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  day?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  executed?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  failed?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  held?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  refused?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  reserved?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  sender?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  settled?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  visitor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type SubscriptionResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription']> = {
  liveEvents?: SubscriptionResolver<ResolversTypes['LiveEvent'], "liveEvents", ParentType, ContextType, Partial<SubscriptionLiveEventsArgs>>;
  liveTransactions?: SubscriptionResolver<ResolversTypes['LiveTransaction'], "liveTransactions", ParentType, ContextType, Partial<SubscriptionLiveTransactionsArgs>>;
};

export interface UInt53ScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['UInt53'], any> {
  name: 'UInt53';
}

export type ViewerResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Viewer'] = ResolversParentTypes['Viewer']> = {
  gas?: Resolver<Maybe<ResolversTypes['ViewerAllowance']>, ParentType, ContextType, Partial<ViewerGasArgs>>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['ViewerKind'], ParentType, ContextType>;
  rate?: Resolver<Maybe<ResolversTypes['ViewerAllowance']>, ParentType, ContextType>;
  scopes?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ViewerAllowanceResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['ViewerAllowance'] = ResolversParentTypes['ViewerAllowance']> = {
  held?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  limit?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  remaining?: Resolver<ResolversTypes['BigInt'], ParentType, ContextType>;
  resetsAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type Resolvers<ContextType = OperationContext> = {
  Base64?: GraphQLScalarType;
  BigInt?: GraphQLScalarType;
  DateTime?: GraphQLScalarType;
  Estimate?: EstimateResolvers<ContextType>;
  EstimateLimit?: EstimateLimitResolvers<ContextType>;
  EstimateUsage?: EstimateUsageResolvers<ContextType>;
  ExecuteTxResult?: ExecuteTxResultResolvers<ContextType>;
  GasReservation?: GasReservationResolvers<ContextType>;
  Gateway?: GatewayResolvers<ContextType>;
  GatewayCapability?: GatewayCapabilityResolvers<ContextType>;
  GatewayUpstream?: GatewayUpstreamResolvers<ContextType>;
  JSON?: GraphQLScalarType;
  LiveEvent?: LiveEventResolvers<ContextType>;
  LiveEventItem?: LiveEventItemResolvers<ContextType>;
  LiveGap?: LiveGapResolvers<ContextType>;
  LiveMissed?: LiveMissedResolvers<ContextType>;
  LiveTransaction?: LiveTransactionResolvers<ContextType>;
  LiveTransactionItem?: LiveTransactionItemResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  ReservedGasCoin?: ReservedGasCoinResolvers<ContextType>;
  RpcEvent?: RpcEventResolvers<ContextType>;
  RpcEventConnection?: RpcEventConnectionResolvers<ContextType>;
  RpcEventEdge?: RpcEventEdgeResolvers<ContextType>;
  RpcTransaction?: RpcTransactionResolvers<ContextType>;
  RpcTransactionConnection?: RpcTransactionConnectionResolvers<ContextType>;
  RpcTransactionEdge?: RpcTransactionEdgeResolvers<ContextType>;
  Sponsor?: SponsorResolvers<ContextType>;
  SponsorHealthCheck?: SponsorHealthCheckResolvers<ContextType>;
  SponsorReloadResult?: SponsorReloadResultResolvers<ContextType>;
  SponsorVersion?: SponsorVersionResolvers<ContextType>;
  SponsoredEffects?: SponsoredEffectsResolvers<ContextType>;
  SponsoredGasUsed?: SponsoredGasUsedResolvers<ContextType>;
  SponsoredModifiedAt?: SponsoredModifiedAtResolvers<ContextType>;
  SponsoredObjectChange?: SponsoredObjectChangeResolvers<ContextType>;
  SponsoredObjectRef?: SponsoredObjectRefResolvers<ContextType>;
  SponsoredOwner?: SponsoredOwnerResolvers<ContextType>;
  SponsoredStatus?: SponsoredStatusResolvers<ContextType>;
  SponsoredTransaction?: SponsoredTransactionResolvers<ContextType>;
  SponsorshipSpending?: SponsorshipSpendingResolvers<ContextType>;
  Subscription?: SubscriptionResolvers<ContextType>;
  UInt53?: GraphQLScalarType;
  Viewer?: ViewerResolvers<ContextType>;
  ViewerAllowance?: ViewerAllowanceResolvers<ContextType>;
};

export type DirectiveResolvers<ContextType = OperationContext> = {
  address?: AddressDirectiveResolver<any, any, ContextType>;
  digest?: DigestDirectiveResolver<any, any, ContextType>;
  readByCalls?: ReadByCallsDirectiveResolver<any, any, ContextType>;
};
