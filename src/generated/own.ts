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
  /** A whole number as decimal text, exact whatever its size. */
  BigInt: { input: string; output: string; }
  /** An instant as RFC 3339 text in UTC. */
  DateTime: { input: string; output: string; }
  /** Any JSON value. */
  JSON: { input: unknown; output: unknown; }
  /** A JSON integer from 0 to 2^53-1. */
  UInt53: { input: number; output: number; }
};

/** What an operation would cost, by the schema and the limits in force at the moment. */
export type Estimate = {
  /** Each limit in force, and how near it comes. */
  readonly limits: ReadonlyArray<EstimateLimit>;
  /**
   * How it would be executed: `PASS_THROUGH`, its text goes to the ledger as it is; `LOCAL`, all of it is the gateway's own;
   * `SPLIT`, one part for each, side by side; `STITCHED`, each root field delegated to its owner and the answers joined. Null
   * when refused.
   */
  readonly plan?: Maybe<Scalars['String']['output']>;
  /** What it would count for against the caller's rate limit, in points. */
  readonly ratePoints: Scalars['Int']['output'];
  /** The messages it would be refused with, in their order; empty when it would be served. One limit hides those checked after it. */
  readonly reasons: ReadonlyArray<Scalars['String']['output']>;
  /** Would it be refused before anything of it is executed? */
  readonly refused: Scalars['Boolean']['output'];
  /**
   * Requests to upstreams, provided that every argument is accepted, nothing fails, and every join finds something to look
   * up. More are sent when a join waits (`waitMs`), when the joins of one root field do not fit one request of the ledger, and
   * for pages of events and transactions, at most 20 for all of them together, when the node gives less than it is asked for,
   * does not say whether there is more, or when two cursors of one millisecond are given: `maxEventCalls` in `limits` has them
   * counted in. Fewer are sent when an identical read is under way already. Null when refused, and for subscriptions.
   */
  readonly upstreamCalls?: Maybe<Scalars['Int']['output']>;
  /** What it would be counted for. */
  readonly usage: EstimateUsage;
};

/** One limit in force and what an operation uses of it. */
export type EstimateLimit = {
  /** Is it over this limit? */
  readonly exceeded: Scalars['Boolean']['output'];
  /** The most that is allowed: the stricter of the gateway's own and the ledger's. */
  readonly max: Scalars['UInt53']['output'];
  /** As `serviceConfig` names it: `maxQueryDepth` (levels), `maxQueryNodes`, `maxOutputNodes` (nodes), `maxQueryPayloadSize`, `maxTransactionPayloadSize` (bytes); and, where there are pages of events or transactions, `maxEventCalls` (calls), which is the gateway's own. */
  readonly name: Scalars['String']['output'];
  /** What the operation uses, 0 where it was not counted. Of the query payload: the text without the transactions written in it. Of `maxEventCalls`: the most calls that its pages of events and transactions can come to, whatever the node answers. */
  readonly used: Scalars['UInt53']['output'];
};

/**
 * The six numbers that `extensions.usage` of the operation would have. For a document that is refused before it is counted, or
 * that asks for the schema and nothing else: zeros, but for `variables` and `queryPayload`.
 */
export type EstimateUsage = {
  /** Levels of the deepest operation; a fragment is a level. At most 2147483647 is told. */
  readonly depth: Scalars['Int']['output'];
  /** Fragment definitions, used or not. */
  readonly fragments: Scalars['Int']['output'];
  /** Selections of all operations, fragments expanded at every use. At most 2147483647 is told. */
  readonly inputNodes: Scalars['Int']['output'];
  /** Fields the answer could have, were every page full. */
  readonly outputNodes: Scalars['UInt53']['output'];
  /** Length of the document text in bytes. */
  readonly queryPayload: Scalars['Int']['output'];
  /** Entries of the variables object, declared or not. */
  readonly variables: Scalars['Int']['output'];
};

/**
 * Which events to find: exactly one member. A variable for an address or a digest is a `String`, or may be declared with the
 * scalar the ledger has for one, such as `LedgerAddress`, so that one variable serves fields of both.
 * Example: `{ moveEventModule: { package: "0x2", module: "coin" } }`.
 */
export type EventQueryFilter =
  /** Every event. Only `true` is allowed. */
  { readonly all: Scalars['Boolean']['input']; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly object?: never; readonly package?: never; readonly recipient?: never; readonly sender?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events by type: `package::module::Struct`. A generic type without its parameters stands for every instantiation. */
  { readonly all?: never; readonly eventType: Scalars['String']['input']; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly object?: never; readonly package?: never; readonly recipient?: never; readonly sender?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events by the name of their struct, for example `Minted`. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent: Scalars['String']['input']; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly object?: never; readonly package?: never; readonly recipient?: never; readonly sender?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events whose struct type is defined in a module, whoever emitted them. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule: MoveModuleFilter; readonly moveEventType?: never; readonly moveModule?: never; readonly object?: never; readonly package?: never; readonly recipient?: never; readonly sender?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events by type, as `eventType`. Only where the network's nodes have it. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType: Scalars['String']['input']; readonly moveModule?: never; readonly object?: never; readonly package?: never; readonly recipient?: never; readonly sender?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events emitted by a module. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule: MoveModuleFilter; readonly object?: never; readonly package?: never; readonly recipient?: never; readonly sender?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events tied to an object, by its id: 0x and 1 to 64 hex digits. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly object: Scalars['String']['input']; readonly package?: never; readonly recipient?: never; readonly sender?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events emitted by any module of a package, by its id. Only where the network's nodes have it. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly object?: never; readonly package: Scalars['String']['input']; readonly recipient?: never; readonly sender?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events of transactions in which somebody received an object. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly object?: never; readonly package?: never; readonly recipient: RecipientFilter; readonly sender?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events of transactions signed by an address: 0x and 1 to 64 hex digits. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly object?: never; readonly package?: never; readonly recipient?: never; readonly sender: Scalars['String']['input']; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events in an interval of time, both ends included. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly object?: never; readonly package?: never; readonly recipient?: never; readonly sender?: never; readonly timeRange: TimeRangeFilter; readonly transaction?: never; }
  |  /** Events of one transaction, by its digest: base58 of 32 bytes. */
  { readonly all?: never; readonly eventType?: never; readonly moveEvent?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly object?: never; readonly package?: never; readonly recipient?: never; readonly sender?: never; readonly timeRange?: never; readonly transaction: Scalars['String']['input']; };

/**
 * Which events a stream tells: exactly one member. `all` and `any` combine lists, `and` and `or` exactly two, `not` turns one
 * around; together at most 100 filters, nested at most 16 deep. Filters that mean the same share one reader of the upstream.
 * Example: `{ all: [{ moveModule: { package: "0x2", module: "coin" } }, { not: { sender: "0x5" } }] }`.
 */
export type EventStreamFilter =
  /** Events that all of these match; of an empty list, every event. */
  { readonly all: ReadonlyArray<EventStreamFilter>; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events that both match: exactly two. */
  { readonly all?: never; readonly and: ReadonlyArray<EventStreamFilter>; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events that at least one of these matches; one filter or more. */
  { readonly all?: never; readonly and?: never; readonly any: ReadonlyArray<EventStreamFilter>; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events with a certain value in their content. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField: MoveEventFieldFilter; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events whose struct type is defined in a module, whoever emitted them; of one struct of it where `event` is given. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule: MoveEventModuleStreamFilter; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events by type: `package::module::Struct`. A generic type without its parameters stands for every instantiation. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType: Scalars['String']['input']; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events emitted by a module. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule: MoveModuleFilter; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events that this does not match. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not: EventStreamFilter; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events that one of the two matches, or both: exactly two. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or: ReadonlyArray<EventStreamFilter>; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events emitted by any module of a package, by its id: 0x and 1 to 64 hex digits. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package: Scalars['String']['input']; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** As `senderAddress`: 0x and 1 to 64 hex digits. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender: Scalars['String']['input']; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events of transactions signed by an address: 0x and 1 to 64 hex digits. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress: Scalars['String']['input']; readonly timeRange?: never; readonly transaction?: never; }
  |  /** Events in an interval of time, both ends included. An event whose time the node does not tell is in none. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange: TimeRangeFilter; readonly transaction?: never; }
  |  /** Events of one transaction, by its digest: base58 of 32 bytes. */
  { readonly all?: never; readonly and?: never; readonly any?: never; readonly moveEventField?: never; readonly moveEventModule?: never; readonly moveEventType?: never; readonly moveModule?: never; readonly not?: never; readonly or?: never; readonly package?: never; readonly sender?: never; readonly senderAddress?: never; readonly timeRange?: never; readonly transaction: Scalars['String']['input']; };

/** How a sponsored transaction ended. */
export type ExecuteTxOutcome =
  /** It ran and succeeded. */
  | 'EXECUTED'
  /** It ran and failed; gas was paid. `effects.status.error` says why. */
  | 'FAILED'
  /** The sponsor's answer was lost and the transaction was found on the ledger. It ran, and may have failed there: `transactionBlock { effects { status } }` tells. */
  | 'RECOVERED';

/** What the sponsor waits for before it answers an execution. */
export type ExecuteTxRequestType =
  /** The certified effects: faster; a read right after may not see them yet. The default. */
  | 'WAIT_FOR_EFFECTS_CERT'
  /** Execution on the sponsor's own node as well: slower; reads of that node see the effects. */
  | 'WAIT_FOR_LOCAL_EXECUTION';

/** A sponsored transaction that ran. */
export type ExecuteTxResult = {
  /** Transaction digest, base58. Computed by the gateway from `txBytes`, and equal to what the sponsor reports. */
  readonly digest: Scalars['String']['output'];
  /** What it did to the ledger, as the sponsor reports it. Null when the outcome was recovered from the ledger, for a repeat under an `idempotencyKey` whose effects were too large to keep, and, with `UPSTREAM_BAD_RESPONSE`, when the sponsor's effects are not readable; digest and outcome stand either way. */
  readonly effects?: Maybe<SponsoredEffects>;
  /** How it ended. */
  readonly outcome: ExecuteTxOutcome;
};

/** From one address to another. Example: `{ from: "0x2", to: "0x3" }`. */
export type FromAndToFilter = {
  /** Who signed: 0x and 1 to 64 hex digits. */
  readonly from: Scalars['String']['input'];
  /** Who owns something created or changed by it: 0x and 1 to 64 hex digits. */
  readonly to: Scalars['String']['input'];
};

/** Gas coins of the sponsor, reserved for one transaction. */
export type GasReservation = {
  /** When the reservation ends, by the gateway's clock, counted from just before the sponsor was asked. For example `2026-01-31T12:00:00.000Z`. */
  readonly expiresAt: Scalars['DateTime']['output'];
  /** The budget asked for, in the ledger's smallest unit. The transaction's own budget may not exceed it. */
  readonly gasBudget: Scalars['UInt53']['output'];
  /** The reserved coins: exactly these must be the gas payment of the transaction. */
  readonly gasCoins: ReadonlyArray<ReservedGasCoin>;
  /**
   * What `executeTx` takes. Where the gateway holds the sponsor's token: an opaque text of at most 512 letters, digits, `-` and
   * `_`, good for this caller alone and until `expiresAt`. Where callers bring the token: the sponsor's own number, exact, for
   * example `42`.
   */
  readonly reservationId: Scalars['ID']['output'];
  /** Whole seconds until `expiresAt`, 0 once it has passed; computed when the field is read. */
  readonly secondsLeft: Scalars['Int']['output'];
  /** The ledger address that owns the coins and must be the gas owner of the transaction: hex with 0x prefix. */
  readonly sponsorAddress: Scalars['String']['output'];
  /** Where the reservation stands; computed when the field is read. */
  readonly state: GasReservationState;
};

/** Where a reservation stands. */
export type GasReservationState =
  /** Its coins are reserved and not used yet, as far as the gateway knows. */
  | 'ACTIVE'
  /** It was used by an execution. */
  | 'CONSUMED'
  /** Its time is over; the coins are the sponsor's again. */
  | 'EXPIRED';

/** The gateway about itself. Costs no upstream call, but for `upstreams`. */
export type Gateway = {
  /** Optional parts of the graph: each join and each event filter, and why one is missing. */
  readonly capabilities: ReadonlyArray<GatewayCapability>;
  /** Which network's wire names are in use: ledger, iota or sui. */
  readonly networkProfile: Scalars['String']['output'];
  /** Full build version of the ledger as last seen in its response header; `0.0.0-unknown` before the first sight. */
  readonly rpcVersion: Scalars['String']['output'];
  /** The upstreams: ledger, sponsor, events. Those that have not answered for 2 s are asked first, once in 2 s whoever wants to know. */
  readonly upstreams: ReadonlyArray<GatewayUpstream>;
  /** Version of this gateway, semver. */
  readonly version: Scalars['String']['output'];
};

/** An optional part of the graph. */
export type GatewayCapability = {
  /** Does it work on this network as this gateway is configured? A join that is not available is not in the graph; an event filter that is not is refused with `BAD_USER_INPUT`, or with `NOT_CONFIGURED` where there is no events upstream. `live:ownReader` tells of this moment and this caller: beyond the bound on readers, `liveEvents` with another filter is served from one reader of all events, and `liveTransactions` is refused. */
  readonly available: Scalars['Boolean']['output'];
  /** For example `join:ReservedGasCoin.object`, `eventFilter:moveEventType` or `live:ownReader`. */
  readonly name: Scalars['String']['output'];
  /** Why it is not available; null when it is. */
  readonly reason?: Maybe<Scalars['String']['output']>;
};

/** One upstream as the gateway last saw it. */
export type GatewayUpstream = {
  /** Does this gateway have an address for it? */
  readonly configured: Scalars['Boolean']['output'];
  /** Why it is not UP, in words. */
  readonly detail?: Maybe<Scalars['String']['output']>;
  /** When it last answered. */
  readonly lastSeenAt?: Maybe<Scalars['DateTime']['output']>;
  /** ledger, sponsor or events. */
  readonly name: Scalars['String']['output'];
  /** How its last call went, whoever made it: the same as in `/health/ready` and on the landing page. */
  readonly state: GatewayUpstreamState;
  /** The version it last reported. Null where it reports none: of the events upstream, and of a sponsor that does not answer within a second. The sponsor is asked for it once a minute at most, when it is wanted. */
  readonly version?: Maybe<Scalars['String']['output']>;
};

/** What is known of an upstream from its last call. */
export type GatewayUpstreamState =
  /** It answers, but not all of it works. */
  | 'DEGRADED'
  /** Its last call failed to reach it. */
  | 'DOWN'
  /** No address is configured. */
  | 'NOT_CONFIGURED'
  /** Its last answer was a good one. */
  | 'UP';

/** What a stream of events tells. */
export type LiveEvent = LiveEventItem | LiveGap | LiveMissed;

/** An event of a stream. */
export type LiveEventItem = {
  /** Opaque; `after` goes on behind it. */
  readonly cursor: Scalars['String']['output'];
  /** The event. */
  readonly event: RpcEvent;
};

/**
 * Items are left out here, and the stream goes on behind them: the upstream does not keep them any more, does not know the place to
 * go on from, or did not answer while the stream was opened.
 */
export type LiveGap = {
  /** Cursor of the last item before the gap; null if none was known. */
  readonly after?: Maybe<Scalars['String']['output']>;
  /** Cursor of the first item behind the gap; null if there was none yet. */
  readonly before?: Maybe<Scalars['String']['output']>;
  /** Why, in one sentence. */
  readonly reason: Scalars['String']['output'];
};

/**
 * This consumer was too slow: so many items were left out before the next one. With a count of 0 nothing was left out: the gateway
 * is stopping, or the caller's key or JWT is not valid any more, and this is the last thing that the stream tells.
 */
export type LiveMissed = {
  /** Items that were left out. */
  readonly count: Scalars['Int']['output'];
  /** Cursor: a stream with `after` of this has what was left out, and what follows. */
  readonly resumeAfter: Scalars['String']['output'];
};

/** What a stream of transactions tells. */
export type LiveTransaction = LiveGap | LiveMissed | LiveTransactionItem;

/** A transaction of a stream. */
export type LiveTransactionItem = {
  /** Opaque; `after` goes on behind it. */
  readonly cursor: Scalars['String']['output'];
  /** The transaction. */
  readonly transaction: RpcTransaction;
};

/** A value in the content of an event. Example: `{ path: "/amount", value: "1000" }`. */
export type MoveEventFieldFilter = {
  /** Where it is in `parsedJson`: a JSON pointer (RFC 6901) of at most 256 characters. The empty text points to all of it. */
  readonly path: Scalars['String']['input'];
  /** What is there, deeply equal: numbers by their value, members in any order. u64 and wider are texts. At most 1,024 characters. */
  readonly value: Scalars['JSON']['input'];
};

/** A module, and perhaps one struct of it. Example: `{ package: "0x2", module: "coin", event: "Minted" }`. */
export type MoveEventModuleStreamFilter = {
  /** Name of the struct. None: all that the module defines. */
  readonly event?: InputMaybe<Scalars['String']['input']>;
  /** Name of the module, a Move identifier: letters, digits and `_`, not beginning with a digit, at most 128. */
  readonly module: Scalars['String']['input'];
  /** Object id of the package that defines the type: 0x and 1 to 64 hex digits. */
  readonly package: Scalars['String']['input'];
};

/** A package, a module of it, or one of its functions. Example: `{ package: "0x2", module: "coin" }`. */
export type MoveFunctionFilter = {
  /** Name of the function, a Move identifier; needs `module`. */
  readonly function?: InputMaybe<Scalars['String']['input']>;
  /** Name of the module, a Move identifier. */
  readonly module?: InputMaybe<Scalars['String']['input']>;
  /** Object id of the package: 0x and 1 to 64 hex digits. */
  readonly package: Scalars['String']['input'];
};

/** A module. Example: `{ package: "0x2", module: "coin" }`. */
export type MoveModuleFilter = {
  /** Name of the module, a Move identifier: letters, digits and `_`, not beginning with a digit, at most 128. */
  readonly module: Scalars['String']['input'];
  /** Object id of the package: 0x and 1 to 64 hex digits. */
  readonly package: Scalars['String']['input'];
};

export type Mutation = {
  /**
   * The sponsor's deep health check. It really reserves coins and signs: never poll it; `sponsor { health }` is the cheap probe.
   *
   * Errors: `FORBIDDEN` (scope `admin` missing), `SPONSOR_UNAUTHORIZED`, `UPSTREAM_UNAVAILABLE`, `UPSTREAM_TIMEOUT`,
   * `UPSTREAM_BAD_RESPONSE`, `NOT_CONFIGURED`. A failed check is a result with `ok: false`, not an error.
   *
   * Example: `mutation { checkSponsorHealth { ok message } }`
   */
  readonly checkSponsorHealth?: Maybe<SponsorHealthCheck>;
  /**
   * Has the sponsor sign and execute a transaction that pays its gas with the coins of a reservation. A reservation serves one
   * execution, refused ones included. The gateway sends it once and never retries; once it was sent, nothing cancels it. The same
   * call made again while it is under way waits for it and gets its answer.
   *
   * A transaction that ran and failed (for example a Move abort) is a result with outcome `FAILED`, not an error: it paid gas. If
   * the sponsor's answer is lost or does not tell, the transaction is looked up in the ledger until the operation's time is over:
   * found, it is a result with outcome `RECOVERED`; else the error is `EXECUTION_OUTCOME_UNKNOWN`.
   *
   * Errors: `BAD_USER_INPUT` (an argument breaks its rule, or the transaction does not fit its reservation; the sponsor was not
   * asked), `FORBIDDEN` (scope `sponsor` missing, or it calls what this caller may not), `SPONSOR_UNAUTHORIZED`,
   * `SPONSOR_FORBIDDEN`, `SPONSOR_REJECTED` (by the sponsor, or by the ledger for its price, budget, objects or signatures: final,
   * the message is their own text), `SPONSOR_EXHAUSTED` (takes no more requests for now), `SPONSOR_MAINTENANCE`,
   * `RESERVATION_NOT_FOUND` (expired, another caller's, never existed, or used: then `extensions.digest` is that of the transaction
   * that used it), `IDEMPOTENCY_CONFLICT` (the key was used for another execution), `RATE_LIMITED` (so many executions are
   * remembered that there is room for no more), `UPSTREAM_UNAVAILABLE` and `UPSTREAM_TIMEOUT` (nothing reached the sponsor; the
   * reservation is unused), `REQUEST_TIMEOUT` (the same: the operation was over before its turn came), `UNAVAILABLE` (the same: the gateway is stopping),
   * `UPSTREAM_BAD_RESPONSE` (the sponsor could not read the request; nothing was executed), `NOT_CONFIGURED`, and
   * `EXECUTION_OUTCOME_UNKNOWN` with `extensions { digest reservationId checkAfterMs }`: the transaction may or may not
   * execute, so look its digest up on the ledger before doing anything else.
   *
   * Example: `mutation ($tx: Base64!, $sig: Base64!) { executeTx(reservationId: "AQ3…", txBytes: $tx, userSig: $sig) { digest outcome } }`
   */
  readonly executeTx?: Maybe<ExecuteTxResult>;
  /**
   * Has the sponsor read its access controller configuration again.
   *
   * Errors: `FORBIDDEN` (scope `admin` missing), `SPONSOR_UNAUTHORIZED`, `SPONSOR_REJECTED` (it could not load the
   * configuration), `UPSTREAM_UNAVAILABLE`, `UPSTREAM_TIMEOUT`, `UPSTREAM_BAD_RESPONSE`, `NOT_CONFIGURED`.
   *
   * Example: `mutation { reloadAccessController { result } }`
   */
  readonly reloadAccessController?: Maybe<SponsorReloadResult>;
  /**
   * Reserves gas coins of the sponsor for a budget and a time. Nothing is ever reserved twice for one call: the gateway does
   * not retry it, and once it was sent neither a caller that hangs up nor the end of the operation's time cancels it. Coins
   * that are not used return to the sponsor when the reservation expires; it cannot be renewed or cancelled.
   *
   * A caller with a gas budget of its own for the day has the whole `gasBudget` held of it, until the reservation expires or
   * its execution has told what it used: see `viewer { gas }`.
   *
   * Errors: `BAD_USER_INPUT` (an argument breaks its rule; the sponsor was not asked), `FORBIDDEN` (scope `sponsor` missing),
   * `RATE_LIMITED` (the caller's gas budget does not cover it: `extensions.gas` tells `limit`, `held`, `settled`, `left` and
   * `resetsAt`; or so many reservations have not expired that no more are remembered), `IDEMPOTENCY_CONFLICT` (the key was used
   * with other arguments), `SPONSOR_UNAUTHORIZED`, `SPONSOR_FORBIDDEN`, `SPONSOR_REJECTED` (the sponsor's own text),
   * `SPONSOR_EXHAUSTED` (no coins or no daily allowance left), `SPONSOR_MAINTENANCE`, `UPSTREAM_UNAVAILABLE`, `UPSTREAM_TIMEOUT` and `UPSTREAM_BAD_RESPONSE`
   * (the message says whether coins may be locked), `REQUEST_TIMEOUT` (the operation was over before its turn came: nothing was
   * sent), `UNAVAILABLE` (the same: the gateway is stopping), `NOT_CONFIGURED`.
   *
   * Example: `mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { reservationId sponsorAddress gasCoins { objectId version digest } } }`
   */
  readonly reserveGas?: Maybe<GasReservation>;
};


export type MutationExecuteTxArgs = {
  idempotencyKey?: InputMaybe<Scalars['String']['input']>;
  requestType?: InputMaybe<ExecuteTxRequestType>;
  reservationId: Scalars['ID']['input'];
  txBytes: Scalars['Base64']['input'];
  userSig: Scalars['Base64']['input'];
};


export type MutationReserveGasArgs = {
  gasBudget: Scalars['UInt53']['input'];
  idempotencyKey?: InputMaybe<Scalars['String']['input']>;
  reserveDurationSecs: Scalars['Int']['input'];
};

/** Where a page lies in its connection. */
export type PageInfo = {
  readonly endCursor?: Maybe<Scalars['String']['output']>;
  readonly hasNextPage: Scalars['Boolean']['output'];
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  readonly startCursor?: Maybe<Scalars['String']['output']>;
};

export type Query = {
  /**
   * What an operation would cost and whether it would be served, without running it and without asking any upstream.
   * At most 10 in one operation; more is `BAD_USER_INPUT`. An `estimate` in the document is counted like any field and not evaluated.
   * Example: `estimate(query: "{ chainIdentifier }") { refused reasons upstreamCalls usage { outputNodes } }`.
   */
  readonly estimate: Estimate;
  /** The gateway's view of itself: version, upstreams, and which optional parts of the graph exist. */
  readonly gateway: Gateway;
  /**
   * Events in ledger order, newest last: by transaction, then by position in the transaction. No filter, or
   * `{ all: true }`: every event. Pages both ways; each page is read live, so events that happen meanwhile appear at the end.
   * Example: `queryEvents(filter: { sender: "0x2" }, last: 10) { nodes { type parsedJson } pageInfo { startCursor } }`.
   * Null with an error if the events upstream is down (`UPSTREAM_UNAVAILABLE`, `UPSTREAM_TIMEOUT`), answers nonsense
   * (`UPSTREAM_BAD_RESPONSE`) or is not configured (`NOT_CONFIGURED`), or if an argument breaks a rule (`BAD_USER_INPUT`).
   */
  readonly queryEvents?: Maybe<RpcEventConnection>;
  /**
   * Transactions in ledger order, newest last. No filter: every transaction.
   * Example: `queryTransactionBlocks(filter: { fromAddress: "0x2" }, first: 5) { nodes { digest checkpoint } }`.
   * Errors as for `queryEvents`.
   */
  readonly queryTransactionBlocks?: Maybe<RpcTransactionConnection>;
  /**
   * What the gateway knows of a reservation that this caller made: its coins, how long it lasts, whether it was used. Costs no
   * upstream call. Null for every other one, be it another caller's, forged, malformed, or over for more than some minutes:
   * nothing tells one from the other. Null as well for one that was made while the gateway could not remember it.
   *
   * Errors: `UPSTREAM_UNAVAILABLE` (what the instances of the gateway share is away), `NOT_CONFIGURED`.
   *
   * Example: `query ($id: ID!) { reservation(reservationId: $id) { state secondsLeft gasCoins { objectId } } }`
   */
  readonly reservation?: Maybe<GasReservation>;
  /**
   * The gas sponsoring service. Never null: when no sponsor is configured, or it is down, its fields are null with an error
   * each and the rest of the operation is served.
   *
   * Example: `{ sponsor { health version { raw } } }`
   */
  readonly sponsor: Sponsor;
  /**
   * The caller as the gateway sees it: who it is, what it may do, how much it has left. Asking counts as one attempt itself.
   * Example: `{ viewer { id scopes rate { remaining resetsAt } } }`.
   */
  readonly viewer: Viewer;
};


export type QueryEstimateArgs = {
  operationName?: InputMaybe<Scalars['String']['input']>;
  query: Scalars['String']['input'];
  variables?: InputMaybe<Scalars['JSON']['input']>;
};


export type QueryQueryEventsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<EventQueryFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


export type QueryQueryTransactionBlocksArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<TransactionQueryFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


export type QueryReservationArgs = {
  reservationId: Scalars['ID']['input'];
};

/** A recipient. Example: `{ addressOwner: "0x2" }`. */
export type RecipientFilter = {
  /** Address that received an object: 0x and 1 to 64 hex digits. */
  readonly addressOwner: Scalars['String']['input'];
};

/** An object reference to a reserved gas coin. */
export type ReservedGasCoin = {
  /** Object digest, base58. */
  readonly digest: Scalars['String']['output'];
  /** Object id: hex with 0x prefix. */
  readonly objectId: Scalars['String']['output'];
  /** Object version. `UPSTREAM_BAD_RESPONSE` when the sponsor's number is beyond 2^53-1, rather than a rounded one. */
  readonly version: Scalars['UInt53']['output'];
};

/** An event emitted by a Move module, as the ledger's JSON-RPC interface tells it. */
export type RpcEvent = {
  /** The struct in BCS, as the node encodes it: base64, older nodes base58. Null if the node leaves it out. */
  readonly bcs?: Maybe<Scalars['String']['output']>;
  /** Position among the transaction's events from 0, as decimal text. */
  readonly eventSeq: Scalars['String']['output'];
  /** Names the event for ever: `txDigest:eventSeq`, one text, so that clients keep events in their caches by it. */
  readonly id: Scalars['ID']['output'];
  /** Object id of the package whose code emitted it: 0x and 64 hex digits. */
  readonly packageId: Scalars['String']['output'];
  /** The struct's fields. u64 and wider are decimal text, narrower ones numbers, addresses full-length hex. */
  readonly parsedJson?: Maybe<Scalars['JSON']['output']>;
  /** Address that signed the transaction: 0x and 64 hex digits. */
  readonly sender: Scalars['String']['output'];
  /** When its transaction was executed, milliseconds since the Unix epoch as decimal text. Null if the node does not say. */
  readonly timestampMs?: Maybe<Scalars['String']['output']>;
  /** Module of that package that ran in the transaction. */
  readonly transactionModule: Scalars['String']['output'];
  /** Digest of the transaction that emitted it, base58 of 32 bytes. */
  readonly txDigest: Scalars['String']['output'];
  /** Fully qualified struct type, for example `0x2::coin::Minted<0x2::ledger::LEDGER>`. */
  readonly type: Scalars['String']['output'];
};

/** One page of events. */
export type RpcEventConnection = {
  /** The events with their cursors, oldest first. */
  readonly edges: ReadonlyArray<RpcEventEdge>;
  /** The events alone, oldest first. */
  readonly nodes: ReadonlyArray<RpcEvent>;
  /** Where the page lies. `hasPreviousPage` of a forward page is true only if `after` was given; `hasNextPage` of a backward page only if `before` was. */
  readonly pageInfo: PageInfo;
};

/** An event in a connection. */
export type RpcEventEdge = {
  /** Opaque; for `after` or `before` of a query with the same filter. */
  readonly cursor: Scalars['String']['output'];
  /** The event. */
  readonly node: RpcEvent;
};

/** A transaction, as the ledger's JSON-RPC interface tells it. */
export type RpcTransaction = {
  /** Sequence number of its checkpoint as decimal text. Null if the node does not say. */
  readonly checkpoint?: Maybe<Scalars['String']['output']>;
  /** Base58 of 32 bytes. */
  readonly digest: Scalars['String']['output'];
  /**
   * The node's whole answer. Selecting it asks the node for input, effects, events, object changes and balance changes as
   * well; without it none of them is fetched.
   */
  readonly raw: Scalars['JSON']['output'];
  /** When it was checkpointed, milliseconds since the Unix epoch as decimal text. Null if the node does not say. */
  readonly timestampMs?: Maybe<Scalars['String']['output']>;
};

/** One page of transactions. */
export type RpcTransactionConnection = {
  /** The transactions with their cursors, oldest first. */
  readonly edges: ReadonlyArray<RpcTransactionEdge>;
  /** The transactions alone, oldest first. */
  readonly nodes: ReadonlyArray<RpcTransaction>;
  /** Where the page lies. `hasPreviousPage` of a forward page is true only if `after` was given; `hasNextPage` of a backward page only if `before` was. */
  readonly pageInfo: PageInfo;
};

/** A transaction in a connection. */
export type RpcTransactionEdge = {
  /** Opaque; for `after` or `before` of a query with the same filter. */
  readonly cursor: Scalars['String']['output'];
  /** The transaction. */
  readonly node: RpcTransaction;
};

/** The gas sponsoring service. Each field is one call to it, made only when the field is selected and at most once per operation. */
export type Sponsor = {
  /** Its shallow health check: `OK`. Null with an error when it is not configured (`NOT_CONFIGURED`), not reachable (`UPSTREAM_UNAVAILABLE`, `UPSTREAM_TIMEOUT`) or answers anything else (`UPSTREAM_BAD_RESPONSE`). */
  readonly health?: Maybe<Scalars['String']['output']>;
  /** The version it reports. Null with an error on the same conditions as `health`. */
  readonly version?: Maybe<SponsorVersion>;
};

/** The outcome of the sponsor's deep health check. */
export type SponsorHealthCheck = {
  /** `OK`, or a fixed sentence that the check failed; the sponsor's own reason is in the gateway's log only. */
  readonly message: Scalars['String']['output'];
  /** Did it reserve coins and sign? */
  readonly ok: Scalars['Boolean']['output'];
};

/** The outcome of a reload of the access controller. */
export type SponsorReloadResult = {
  /** What the sponsor answered: `success`. */
  readonly result: Scalars['String']['output'];
};

/** A version as the sponsor reports it, `<semver>-<build hash>`, whole and in parts. */
export type SponsorVersion = {
  /** The build hash, for example `1a2b3c4d5e6f`; null when `raw` is not of the form above. */
  readonly buildHash?: Maybe<Scalars['String']['output']>;
  /** The whole text, for example `0.3.0-1a2b3c4d5e6f`. */
  readonly raw: Scalars['String']['output'];
  /** The part before the build hash, for example `0.3.0`; null when `raw` is not of the form above. */
  readonly semver?: Maybe<Scalars['String']['output']>;
};

/** The effects of a sponsored transaction. Lists the sponsor leaves out are empty. */
export type SponsoredEffects = {
  /** Objects created. */
  readonly created: ReadonlyArray<SponsoredObjectChange>;
  /** Objects deleted. */
  readonly deleted: ReadonlyArray<SponsoredObjectRef>;
  /** Digests of the transactions this one builds on, base58. */
  readonly dependencies: ReadonlyArray<Scalars['String']['output']>;
  /** Digest of the emitted events, base58; null when there are none. */
  readonly eventsDigest?: Maybe<Scalars['String']['output']>;
  /** The epoch it was executed in. */
  readonly executedEpoch: Scalars['BigInt']['output'];
  /** The coin that paid the gas. */
  readonly gasObject: SponsoredObjectChange;
  /** What it cost, in the ledger's smallest unit. */
  readonly gasUsed: SponsoredGasUsed;
  /** Version tag of the effects, for example `v1`. */
  readonly messageVersion: Scalars['String']['output'];
  /** The version each mutated or deleted object had before. */
  readonly modifiedAtVersions: ReadonlyArray<SponsoredModifiedAt>;
  /** Objects changed, the gas coin included. */
  readonly mutated: ReadonlyArray<SponsoredObjectChange>;
  /** The sponsor's effects as JSON, fields this schema does not know included. Integers beyond 2^53-1 are decimal text here, so that none is rounded. */
  readonly raw: Scalars['JSON']['output'];
  /** Shared objects it read or wrote, at their version before. */
  readonly sharedObjects: ReadonlyArray<SponsoredObjectRef>;
  /** Success or failure. */
  readonly status: SponsoredStatus;
  /** Digest of the transaction, base58. */
  readonly transactionDigest: Scalars['String']['output'];
  /** Objects taken out of another object. */
  readonly unwrapped: ReadonlyArray<SponsoredObjectChange>;
  /** Objects taken out of another object and deleted. */
  readonly unwrappedThenDeleted: ReadonlyArray<SponsoredObjectRef>;
  /** Objects put into another object. */
  readonly wrapped: ReadonlyArray<SponsoredObjectRef>;
};

/** Gas costs, in the ledger's smallest unit. */
export type SponsoredGasUsed = {
  /** Cost of computation. */
  readonly computationCost: Scalars['BigInt']['output'];
  /** The part of `computationCost` that was burned; null on ledgers that do not report it. */
  readonly computationCostBurned?: Maybe<Scalars['BigInt']['output']>;
  /** The part of the refund that is kept by the ledger. */
  readonly nonRefundableStorageFee: Scalars['BigInt']['output'];
  /** Cost of storage taken. */
  readonly storageCost: Scalars['BigInt']['output'];
  /** Refund for storage given back. */
  readonly storageRebate: Scalars['BigInt']['output'];
};

/** An object and the version it had before the transaction. */
export type SponsoredModifiedAt = {
  /** Object id: hex with 0x prefix. */
  readonly objectId: Scalars['String']['output'];
  /** The version before. */
  readonly sequenceNumber: Scalars['BigInt']['output'];
};

/** An object after the transaction, and its owner. */
export type SponsoredObjectChange = {
  /** Who owns it now. `UPSTREAM_BAD_RESPONSE` when the sponsor names a kind of owner this schema does not know. */
  readonly owner: SponsoredOwner;
  /** The version the transaction made. */
  readonly reference: SponsoredObjectRef;
};

/** A reference to one version of an object. */
export type SponsoredObjectRef = {
  /** Object digest, base58. */
  readonly digest: Scalars['String']['output'];
  /** Object id: hex with 0x prefix. */
  readonly objectId: Scalars['String']['output'];
  /** Object version. `UPSTREAM_BAD_RESPONSE` when the sponsor's number is beyond 2^53-1, rather than a rounded one; `SponsoredEffects.raw` has it exact. */
  readonly version: Scalars['UInt53']['output'];
};

/** The owner of an object. */
export type SponsoredOwner = {
  /** The owning address or object, hex with 0x prefix, for `ADDRESS` and `OBJECT`; null otherwise. */
  readonly address?: Maybe<Scalars['String']['output']>;
  /** The version at which the object became shared, for `SHARED`; null otherwise. `UPSTREAM_BAD_RESPONSE` when it is beyond 2^53-1. */
  readonly initialSharedVersion?: Maybe<Scalars['UInt53']['output']>;
  /** Which of the fields below is set. */
  readonly kind: SponsoredOwnerKind;
};

/** The kinds of owner. */
export type SponsoredOwnerKind =
  /** An address. */
  | 'ADDRESS'
  /** Nobody: it can never change. */
  | 'IMMUTABLE'
  /** Another object. */
  | 'OBJECT'
  /** Shared: anyone may use it in a transaction. */
  | 'SHARED';

/** Whether a sponsored transaction succeeded. */
export type SponsoredStatus = {
  /** Why it failed, in the ledger's words, for example `MoveAbort(...)`; null on success. */
  readonly error?: Maybe<Scalars['String']['output']>;
  /** `success` or `failure`. */
  readonly status: Scalars['String']['output'];
};

/** What the gateway tells as it happens, over `text/event-stream` and over WebSocket (`graphql-transport-ws`). */
export type Subscription = {
  /**
   * Events as they happen, in ledger order, each exactly once. Without `after`, from now. With the cursor of an item, exactly from
   * behind it, so that a stream that broke off goes on without a gap and without a repeat. The stream goes on through outages of
   * the events upstream and reads what it missed; where that is gone, a `LiveGap` says so. It ends only when the client leaves or
   * the gateway stops.
   * Example: `subscription { liveEvents(filter: { sender: "0x2" }) { ... on LiveEventItem { cursor event { type parsedJson } } } }`.
   * Refused if an argument breaks a rule (`BAD_USER_INPUT`), the events upstream is not configured (`NOT_CONFIGURED`), or there are
   * too many streams (`RATE_LIMITED`, `UNAVAILABLE`).
   */
  readonly liveEvents: LiveEvent;
  /**
   * Transactions as they happen, in ledger order, each exactly once; in everything else as `liveEvents`. With a filter that nobody
   * follows it needs a reader of its own, and is refused beyond the bound on readers (`RATE_LIMITED`, `UNAVAILABLE`).
   * Example: `subscription { liveTransactions(filter: { fromAddress: "0x2" }) { ... on LiveTransactionItem { cursor transaction { digest } } } }`.
   */
  readonly liveTransactions: LiveTransaction;
};


/** What the gateway tells as it happens, over `text/event-stream` and over WebSocket (`graphql-transport-ws`). */
export type SubscriptionLiveEventsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<EventStreamFilter>;
};


/** What the gateway tells as it happens, over `text/event-stream` and over WebSocket (`graphql-transport-ws`). */
export type SubscriptionLiveTransactionsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<TransactionStreamFilter>;
};

/** An interval of time, closed on both ends. Example: `{ startTime: 1767225600000, endTime: 1767225659999 }`. */
export type TimeRangeFilter = {
  /** Last millisecond of the interval, itself included; not before `startTime`. */
  readonly endTime: Scalars['UInt53']['input'];
  /** First millisecond of the interval, since the Unix epoch. */
  readonly startTime: Scalars['UInt53']['input'];
};

/**
 * Which transactions to find: exactly one member. Variables for ids as in `EventQueryFilter`.
 * Example: `{ moveFunction: { package: "0x2", module: "coin", function: "mint" } }`.
 */
export type TransactionQueryFilter =
  /** Those that created or changed an object, by its id: 0x and 1 to 64 hex digits. */
  { readonly changedObject: Scalars['String']['input']; readonly checkpoint?: never; readonly fromAddress?: never; readonly fromAndToAddress?: never; readonly fromOrToAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; readonly transactionKindIn?: never; }
  |  /** Those of one checkpoint, by its sequence number as decimal text. */
  { readonly changedObject?: never; readonly checkpoint: Scalars['String']['input']; readonly fromAddress?: never; readonly fromAndToAddress?: never; readonly fromOrToAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; readonly transactionKindIn?: never; }
  |  /** Those signed by an address: 0x and 1 to 64 hex digits. */
  { readonly changedObject?: never; readonly checkpoint?: never; readonly fromAddress: Scalars['String']['input']; readonly fromAndToAddress?: never; readonly fromOrToAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; readonly transactionKindIn?: never; }
  |  /** Those signed by one address after which another owns something they created or changed. */
  { readonly changedObject?: never; readonly checkpoint?: never; readonly fromAddress?: never; readonly fromAndToAddress: FromAndToFilter; readonly fromOrToAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; readonly transactionKindIn?: never; }
  |  /** Those an address signed, or after which it owns something they created or changed: 0x and 1 to 64 hex digits. */
  { readonly changedObject?: never; readonly checkpoint?: never; readonly fromAddress?: never; readonly fromAndToAddress?: never; readonly fromOrToAddress: Scalars['String']['input']; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; readonly transactionKindIn?: never; }
  |  /** Those that take an object as input, by its id: 0x and 1 to 64 hex digits. */
  { readonly changedObject?: never; readonly checkpoint?: never; readonly fromAddress?: never; readonly fromAndToAddress?: never; readonly fromOrToAddress?: never; readonly inputObject: Scalars['String']['input']; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; readonly transactionKindIn?: never; }
  |  /** Those that call a Move function. */
  { readonly changedObject?: never; readonly checkpoint?: never; readonly fromAddress?: never; readonly fromAndToAddress?: never; readonly fromOrToAddress?: never; readonly inputObject?: never; readonly moveFunction: MoveFunctionFilter; readonly toAddress?: never; readonly transactionKind?: never; readonly transactionKindIn?: never; }
  |  /** Those after which an address owns something they created or changed: 0x and 1 to 64 hex digits. */
  { readonly changedObject?: never; readonly checkpoint?: never; readonly fromAddress?: never; readonly fromAndToAddress?: never; readonly fromOrToAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress: Scalars['String']['input']; readonly transactionKind?: never; readonly transactionKindIn?: never; }
  |  /** Those of one kind, as the node spells it, for example `ProgrammableTransaction`. */
  { readonly changedObject?: never; readonly checkpoint?: never; readonly fromAddress?: never; readonly fromAndToAddress?: never; readonly fromOrToAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind: Scalars['String']['input']; readonly transactionKindIn?: never; }
  |  /** Those of any of these kinds, as the node spells them: 1 to 32. */
  { readonly changedObject?: never; readonly checkpoint?: never; readonly fromAddress?: never; readonly fromAndToAddress?: never; readonly fromOrToAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; readonly transactionKindIn: ReadonlyArray<Scalars['String']['input']>; };

/** Which transactions a stream tells: exactly one member. Example: `{ moveFunction: { package: "0x2", module: "coin" } }`. */
export type TransactionStreamFilter =
  /** Those that changed or created an object, by its id: 0x and 1 to 64 hex digits. */
  { readonly changedObject: Scalars['String']['input']; readonly fromAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; }
  |  /** Those signed by an address: 0x and 1 to 64 hex digits. */
  { readonly changedObject?: never; readonly fromAddress: Scalars['String']['input']; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; }
  |  /** Those that took an object as input, by its id: 0x and 1 to 64 hex digits. */
  { readonly changedObject?: never; readonly fromAddress?: never; readonly inputObject: Scalars['String']['input']; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind?: never; }
  |  /** Those that called a function, a function of a module, or of a package. */
  { readonly changedObject?: never; readonly fromAddress?: never; readonly inputObject?: never; readonly moveFunction: MoveFunctionFilter; readonly toAddress?: never; readonly transactionKind?: never; }
  |  /** Those in which an address received an object: 0x and 1 to 64 hex digits. */
  { readonly changedObject?: never; readonly fromAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress: Scalars['String']['input']; readonly transactionKind?: never; }
  |  /** Those of a kind, for example `ProgrammableTransaction`. */
  { readonly changedObject?: never; readonly fromAddress?: never; readonly inputObject?: never; readonly moveFunction?: never; readonly toAddress?: never; readonly transactionKind: Scalars['String']['input']; };

/** Who is calling. Costs no upstream call. */
export type Viewer = {
  /**
   * Its gas budget for the day in UTC, in the smallest unit of the gas coin. `held` is what reservations hold that have not
   * expired, and executions whose end is not known; what is neither `held` nor `remaining` has been spent. Null when this
   * caller has no budget of its own. `UPSTREAM_UNAVAILABLE` when what the instances of the gateway share is away.
   */
  readonly gas?: Maybe<ViewerAllowance>;
  /** `client:` and the name of an API key, `jwt:` and the subject of a token, `credential:` and a short hash of a forwarded one, or `address:` and the IP address. */
  readonly id: Scalars['String']['output'];
  /** By what the caller is known, and so by what it is counted. */
  readonly kind: ViewerKind;
  /** Attempts: operations, or the points they count for. Null when this caller has no limit. */
  readonly rate?: Maybe<ViewerAllowance>;
  /** Of `read`, `sponsor` and `admin`. Where credentials are forwarded to the sponsor it decides, and all three are here. */
  readonly scopes: ReadonlyArray<Scalars['String']['output']>;
};

/** How much of something a caller may have in one window of time. */
export type ViewerAllowance = {
  /** What is reserved but not yet spent. Null where nothing is ever reserved. */
  readonly held?: Maybe<Scalars['BigInt']['output']>;
  /** The whole of a window. */
  readonly limit: Scalars['BigInt']['output'];
  /** What is left of it, the operation that asks included. */
  readonly remaining: Scalars['BigInt']['output'];
  /** When the window ends and the whole is there again. */
  readonly resetsAt: Scalars['DateTime']['output'];
};

/** How a caller identified itself. */
export type ViewerKind =
  /** No credential: known by address. */
  | 'ANONYMOUS'
  /** An API key of this gateway. */
  | 'API_KEY'
  /** A credential that goes to the sponsor, which alone can tell what it is worth. */
  | 'FORWARDED'
  /** A JSON Web Token. */
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

export type SubscriptionResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription']> = {
  liveEvents?: SubscriptionResolver<ResolversTypes['LiveEvent'], "liveEvents", ParentType, ContextType, Partial<SubscriptionLiveEventsArgs>>;
  liveTransactions?: SubscriptionResolver<ResolversTypes['LiveTransaction'], "liveTransactions", ParentType, ContextType, Partial<SubscriptionLiveTransactionsArgs>>;
};

export interface UInt53ScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['UInt53'], any> {
  name: 'UInt53';
}

export type ViewerResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Viewer'] = ResolversParentTypes['Viewer']> = {
  gas?: Resolver<Maybe<ResolversTypes['ViewerAllowance']>, ParentType, ContextType>;
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
