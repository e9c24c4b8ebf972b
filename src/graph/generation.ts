import { type GraphQLSchema, NoSchemaIntrospectionCustomRule, type OperationTypeNode, validateSchema } from 'graphql';
import type { Config } from '../config/config.ts';
import type { NetworkProfile } from '../config/network-profile.ts';
import { type Limits, stricterLimits } from '../documents/cost/limits.ts';
import { createDocumentStore, type DocumentStore } from '../documents/document-store.ts';
import type { Ownership } from '../documents/plan-operation.ts';
import type { PrepareOptions } from '../documents/prepared-document.ts';
import { type IdInputs, ReservedAliasRule } from '../documents/validation/validate-document.ts';
import type { LedgerExecutor } from '../ledger/ledger-executor.ts';
import { type LedgerService, silentLedgerService } from '../ledger/ledger-service.ts';
import { toSchemaFingerprint } from '../ledger/schema-fingerprint.ts';
import { findCollisions } from './find-collisions.ts';
import { entitiesField } from './joins/entities.ts';
import type { CreateOperationJoins } from './joins/operation-joins.ts';
import { fieldsReadByCalls, findIdInputs } from './own-schema.ts';
import type { LedgerSource } from './schema-cache.ts';
import { SchemaCollisionError, SchemaRefusedError } from './schema-refused-error.ts';
import { serviceConfigField } from './show-in-force.ts';
import { type StitchedGraph, stitch } from './stitch.ts';
import { buildValidParts, type ValidParts } from './valid-parts.ts';

/** The part of a generation that decides how operations are executed. */
export interface Graph {
  /** The whole schema that clients see, joins included. */
  readonly schema: GraphQLSchema;
  /** The gateway's own part of it. */
  readonly ownSchema: GraphQLSchema;
  readonly ownership: Ownership;
  /** The gateway's inputs whose variables may be declared with a scalar of the ledger. */
  readonly idInputs: IdInputs;
  /** Prepares the joins of an operation; `null` while there is no ledger. */
  readonly operationJoins: CreateOperationJoins | null;
  /** Numbers that `serviceConfig` shows instead of the ledger's, by field. */
  readonly inForce: Readonly<Record<string, number>>;
}

/**
 * Everything that depends on the ledger's schema. Immutable: a new ledger schema makes a new generation, and operations in
 * flight finish on theirs.
 * @typeParam Operation a prepared operation
 */
export interface Generation<Operation = unknown> extends Graph, Pick<StitchedGraph, 'missingJoins' | 'subgraphSdl'> {
  /** Source of the ledger's part; `none` until the ledger has been reached. */
  readonly origin: 'ledger' | 'cache' | 'none';
  /** Different for each schema of the ledger. */
  readonly fingerprint: string;
  readonly limits: Limits;
  /** Invalid parts of the ledger's schema, which were left out; empty for a valid schema. */
  readonly faults: readonly string[];
  /** `<year>.<month>` versions that the ledger serves. */
  readonly availableVersions: readonly string[];
  readonly documents: DocumentStore<Operation>;
}

export interface GenerationOptions<Operation = unknown> {
  /** Returns the function that prepares operations on a graph. */
  readonly prepareOn: (graph: Graph) => PrepareOptions<Operation>['prepareOperation'];
  readonly ownSchema: GraphQLSchema;
  readonly execute: LedgerExecutor;
  readonly names: NetworkProfile['joins'];
  readonly config: Pick<Config, 'settings' | 'timeouts' | 'pages' | 'profile'> & {
    readonly limits: Pick<Config['limits'], 'documents'>;
  };
}

/**
 * Builds the generation of a ledger schema, without its invalid parts; with `null`, that of the gateway's own schema.
 * @throws SchemaCollisionError if both schemas define the same name
 * @throws SchemaRefusedError if no part of the ledger's schema can be served
 */
export function buildGeneration<Operation>(
  source: LedgerSource | null,
  options: GenerationOptions<Operation>,
): Generation<Operation> {
  const { ownSchema, execute, names, config } = options;
  const { FEDERATION, INTROSPECTION, LIMIT_MAX_EVENT_CALLS } = config.settings;
  const service = source?.service ?? silentLedgerService;
  const documentLimits = stricterLimits(config.limits.documents, service.limits);
  const calledPages = { fields: fieldsReadByCalls(ownSchema), maxCalls: LIMIT_MAX_EVENT_CALLS, ...config.pages };
  const rules = {
    ...config.profile.limits,
    pageSizes: { ...config.profile.limits.pageSizes, ...service.pageSizes },
    maxMultiGetKeys: service.maxMultiGetSize ?? config.profile.limits.maxMultiGetKeys,
  };
  const { schema, faults } = source ? buildValidParts(source.introspection) : nothingOfLedger;
  if (source && !schema) throw new SchemaRefusedError(faults);
  const collisions = schema ? findCollisions(ownSchema, schema) : [];
  if (collisions.length > 0) throw new SchemaCollisionError(collisions);
  const inForce = { ...documentLimits, ...stricterTimeouts(config, service) };
  const stitched = stitch({
    ownSchema,
    ledger: schema && { schema, limits: service.limits },
    execute,
    names,
    federation: FEDERATION ? { hasService: INTROSPECTION } : null,
  });
  const problems = validateSchema(stitched.schema);
  if (problems.length > 0) throw new SchemaRefusedError(problems.map(({ message }) => message));
  const limits = { ...documentLimits, calledPages, rules, schema: stitched.schema };
  const graph = {
    schema: stitched.schema,
    ownSchema: stitched.ownSchema,
    ownership: toOwnership(stitched.ownSchema, schema, stitched.schema),
    idInputs: schema ? findIdInputs(ownSchema, schema, names) : new Map(),
    operationJoins: stitched.operationJoins,
    inForce,
  };
  return {
    ...graph,
    missingJoins: stitched.missingJoins,
    subgraphSdl: stitched.subgraphSdl,
    origin: source?.origin ?? 'none',
    fingerprint: source ? toSchemaFingerprint(source.introspection, service) : 'none',
    limits,
    faults,
    availableVersions: service.availableVersions,
    documents: createDocumentStore({
      schema: stitched.schema,
      limits,
      ownership: graph.ownership,
      prepareOperation: options.prepareOn(graph),
      rules: [ReservedAliasRule, ...(INTROSPECTION ? [] : [NoSchemaIntrospectionCustomRule])],
      hidesSuggestions: !INTROSPECTION,
      idInputs: graph.idInputs,
    }),
  };
}

const nothingOfLedger: ValidParts = { schema: null, faults: [] };

function toOwnership(ownSchema: GraphQLSchema, ledger: GraphQLSchema | null, graph: GraphQLSchema): Ownership {
  const operations = ['query', 'mutation', 'subscription'] as OperationTypeNode[];
  const rootNames = (schema: GraphQLSchema) => operations.map((operation) => schema.getRootType(operation)?.name);
  const usualNames = ['Query', 'Mutation', 'Subscription'];
  return {
    ownSchema,
    hasUsualRootNames:
      ledger !== null && rootNames(ledger).every((name, index) => name === undefined || name === usualNames[index]),
    ownerOf: (operation, name) => {
      if (ownSchema.getRootType(operation)?.getFields()[name]) return 'own';
      // A field of the gateway whose whole value comes from a join.
      if (name === entitiesField && graph.getRootType(operation)?.getFields()[name]) return 'own';
      if (!ledger?.getRootType(operation)?.getFields()[name]) return null;
      return name === serviceConfigField ? 'amended' : 'upstream';
    },
  };
}

function stricterTimeouts(
  { timeouts: { queryMs, mutationMs }, profile }: Pick<Config, 'timeouts' | 'profile'>,
  service: LedgerService,
) {
  return {
    [profile.serviceConfig.queryTimeoutMs]: Math.min(queryMs, service.queryTimeoutMs ?? queryMs),
    mutationTimeoutMs: Math.min(mutationMs, service.mutationTimeoutMs ?? mutationMs),
  };
}
