import { type MergeTypeCandidate, stitchSchemas } from '@graphql-tools/stitch';
import type { IResolvers } from '@graphql-tools/utils';
import type { GraphQLSchema } from 'graphql';
import type { NetworkProfile } from '../config/network-profile.ts';
import type { LedgerExecutor } from '../ledger/ledger-executor.ts';
import { entitiesTypeDefs, findLedgerEntities, type LedgerEntity } from './joins/entities.ts';
import type { RequestBounds } from './joins/join-document.ts';
import { findJoinOffer, joinName, joins, type ServedJoin } from './joins/joins.ts';
import { type CreateOperationJoins, createOperationJoins } from './joins/operation-joins.ts';
import { describedScalars, keepDigits } from './scalars.ts';
import { addService, printSubgraph } from './subgraph-sdl.ts';

export interface StitchOptions {
  readonly ownSchema: GraphQLSchema;
  readonly ledger: {
    readonly schema: GraphQLSchema;
    /** The ledger's own limits on one request. */
    readonly limits: RequestBounds;
  } | null;
  readonly execute: LedgerExecutor;
  readonly names: NetworkProfile['joins'];
  /** Makes the graph a Federation 2 subgraph. `hasService`: its SDL can be queried. */
  readonly federation: { readonly hasService: boolean } | null;
}

export interface StitchedGraph {
  readonly schema: GraphQLSchema;
  /** The gateway's own part of it, with its resolvers. */
  readonly ownSchema: GraphQLSchema;
  /** Reasons for the joins that are not part of the graph, by name. */
  readonly missingJoins: ReadonlyMap<string, string>;
  /** Makes the joins of an operation; `null` while there is no ledger. */
  readonly operationJoins: CreateOperationJoins | null;
  /** The graph as a Federation 2 subgraph; `null` without federation, or before the ledger answered. */
  readonly subgraphSdl: string | null;
}

/** The inputs of `stitchSchemas` for one ledger. */
export interface Stitching {
  readonly ownSchema: GraphQLSchema;
  readonly ledgerSchema: GraphQLSchema;
  readonly typeDefs: readonly string[];
  readonly scalars: IResolvers;
  readonly joins: readonly ServedJoin[];
  readonly entities: readonly LedgerEntity[];
  readonly missingJoins: StitchedGraph['missingJoins'];
}

/** @param readSdl the graph as a Federation 2 subgraph */
export function planStitching(
  { ownSchema, names, federation }: Pick<StitchOptions, 'ownSchema' | 'names' | 'federation'>,
  ledgerSchema: GraphQLSchema,
  readSdl: () => string | null,
): Stitching {
  const offers = joins.map((join) => ({ join, offer: findJoinOffer(join, ledgerSchema, names) }));
  const served = offers.flatMap(({ join, offer }) => ('field' in offer ? [{ ...join, root: offer }] : []));
  const missing = offers.flatMap(({ join, offer }) =>
    'reason' in offer ? [[joinName(join), offer.reason] as const] : [],
  );
  const entities = federation ? findLedgerEntities(ledgerSchema, names) : [];
  return {
    ownSchema: federation?.hasService ? addService(ownSchema, readSdl) : ownSchema,
    ledgerSchema,
    typeDefs: [...served.map(joinTypeDefs), ...(federation ? [entitiesTypeDefs(entities)] : [])],
    scalars: describedScalars(ledgerSchema, ownSchema),
    joins: served,
    entities,
    missingJoins: new Map(missing),
  };
}

/**
 * Builds the schema that clients see: the ledger's, the gateway's own, and the joins that the ledger can serve. Nothing is
 * executed on it: operations are divided into their owners' parts.
 */
export function stitch({ execute, ledger, ...options }: StitchOptions): StitchedGraph {
  if (!ledger) return withoutLedger(options.ownSchema);
  let subgraphSdl: string | null = null;
  const stitching = planStitching(options, ledger.schema, () => subgraphSdl);
  const { ownSchema, entities, missingJoins } = stitching;
  const schema = stitchSchemas({
    // Descriptions come from the last subschema, and those of the ledger are better.
    subschemas: [{ schema: ownSchema }, { schema: ledger.schema }],
    typeMergingOptions: { typeDescriptionsMerger: describeType },
    typeDefs: [...stitching.typeDefs],
    resolvers: stitching.scalars,
  });
  keepDigits(schema);
  if (options.federation) subgraphSdl = printSubgraph(schema, entities);
  const { limits } = ledger;
  return {
    schema,
    ownSchema,
    missingJoins,
    operationJoins: createOperationJoins({ execute, limits, schema, ownSchema, joins: stitching.joins, entities }),
    subgraphSdl,
  };
}

/** Roots have our descriptions: they speak of the fields of all upstreams. */
function describeType(candidates: readonly MergeTypeCandidate[]): string | null | undefined {
  const [first, last] = [candidates[0]?.type, candidates.at(-1)?.type];
  return (/^(?:Query|Mutation|Subscription)$/.test(first?.name ?? '') && first?.description) || last?.description;
}

function withoutLedger(ownSchema: GraphQLSchema): StitchedGraph {
  const schema = stitchSchemas({ subschemas: [{ schema: ownSchema }], resolvers: describedScalars(ownSchema) });
  const reason = "The ledger's schema is not loaded yet.";
  const missingJoins = new Map(joins.map((join) => [joinName(join), reason]));
  return { schema, ownSchema, missingJoins, operationJoins: null, subgraphSdl: null };
}

function joinTypeDefs({ type, field, description, waits, root }: ServedJoin): string {
  const waitMs = `(
    "Maximum time to wait until the ledger has indexed the transaction: 0 to 10000 milliseconds."
    waitMs: Int = 0
  )`;
  return `extend type ${type} { "${description}" ${field}${waits ? waitMs : ''}: ${root.returns} }`;
}
