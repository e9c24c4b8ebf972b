import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isAbstractType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import type { Config } from '../config/config.ts';
import type { Plan } from '../documents/plan-operation.ts';
import { collectFields, type SelectionScope } from '../documents/selections.ts';
import { entitiesField, type ownEntities } from '../graph/joins/entities.ts';
import type { JoinedObjects } from '../graph/joins/operation-joins.ts';
import { isObject } from '../json/exact-json.ts';
import { type FieldCalls, isConfigured, type OwnFieldsUpstream, type RootField } from '../upstream/upstream.ts';

/** Decides which fields cost a call, and to which upstream. */
export interface CallCountingOptions {
  /** The whole graph, joins included. */
  readonly schema: GraphQLSchema;
  /** The gateway's own part. Other root fields are the ledger's. */
  readonly ownSchema: GraphQLSchema;
  /** Is this field of the gateway a join into the ledger? */
  readonly isJoin: (type: string, field: string) => boolean;
  /** Items of a page of events or transactions without `first` and `last`. */
  readonly defaultPageSize: number;
  /** The calls of our root fields, without joins. */
  readonly ownFieldCalls: OwnFieldCalls;
}

/** A valid operation with coerced variables. */
export interface BoundOperation {
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The most requests to the ledger for federated entities, and for the joins below each root field. */
  readonly countRequests: (joined: readonly (readonly JoinedObjects[])[]) => number;
}

/**
 * Upstream requests of an operation without failures. The ledger's fields of a query are one request; its mutations are one
 * each, unless they are forwarded together. The upstreams of our fields give their own numbers. Joins are counted for each root
 * field, because those of a slow field are looked up separately.
 * @returns `null` for a subscription, whose length is unknown
 */
export function countUpstreamCalls(bound: BoundOperation, plan: Plan, facts: CallCountingOptions): number | null {
  const { operation, fragments, variables, countRequests } = bound;
  const { schema, ownSchema } = facts;
  const type = schema.getRootType(operation.operation);
  if (operation.operation === 'subscription' || !type) return null;
  const ownFields = ownSchema.getRootType(operation.operation)?.getFields() ?? {};

  let ledgerFields = 0;
  let calls = 0;
  const joined: (readonly JoinedObjects[])[] = [];
  const shared = new Set<string>();
  for (const nodes of collectFields(type, [operation.selectionSet], { schema, fragments, variables }).values()) {
    const name = nodes[0]?.name.value ?? '';
    const field = type.getFields()[name];
    if (!field) continue; // introspection
    if (name === entitiesField) {
      joined.push(joinsOfReservations(field, nodes, { ...facts, fragments, variables }));
      continue;
    }
    if (!Object.hasOwn(ownFields, name)) {
      ledgerFields += 1;
      continue;
    }
    const own = callsOfOwnField(field, nodes, bound, facts);
    calls += own?.calls ?? 0;
    if (own) joined.push(own.joined);
    for (const call of own?.shared ?? []) shared.add(call);
  }
  // Stitching sends the ledger's mutations one by one, so that each sees the result of the one before it.
  const isOneByOne = operation.operation === 'mutation' && plan === 'STITCHED';
  return (isOneByOne ? ledgerFields : Math.min(ledgerFields, 1)) + calls + countRequests(joined) + shared.size;
}

/** The entity that the gateway itself finds. */
const ownEntity: keyof typeof ownEntities = 'GasReservation';

/** The calls of one field, and the joins below it; `null` if only execution can tell. */
function callsOfOwnField(
  field: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
  { operation, fragments, variables }: BoundOperation,
  facts: CallCountingOptions,
): (FieldCalls & { readonly joined: readonly JoinedObjects[] }) | null {
  const [node] = nodes;
  if (!node) return null;
  const walk = { ...facts, fragments, variables };
  try {
    const own = facts.ownFieldCalls({
      operation: operation.operation === 'mutation' ? 'mutation' : 'query',
      name: field.name,
      readArguments: () => getArgumentValues(field, node, variables),
      selects: (name) => selectsBelow(name, field, nodes, walk),
    });
    return own && { ...own, joined: [...joinsBelow(field, nodes, walk, 1)] };
  } catch (error) {
    // Only execution can tell what is wrong with these arguments.
    if (error instanceof GraphQLError) return null;
    throw error;
  }
}

type Walk = SelectionScope & Pick<CallCountingOptions, 'isJoin' | 'defaultPageSize'>;
type Field = GraphQLField<unknown, unknown>;

/** Finds the joins below a field. @param count objects with this field */
function* joinsBelow(field: Field, nodes: readonly FieldNode[], walk: Walk, count: number): Generator<JoinedObjects> {
  const size = count * pageSize(field, nodes, walk);
  for (const { type, fields } of objectsBelow(field, nodes, walk)) {
    const joins: (readonly FieldNode[])[] = [];
    for (const [below, belowNodes] of fields) {
      if (walk.isJoin(type.name, below.name)) joins.push(belowNodes);
      else yield* joinsBelow(below, belowNodes, walk, size);
    }
    if (joins.length > 0) yield { type, joins, count: size };
  }
}

/** The joins below the reservations that an `_entities` field finds. Entities of the ledger have no joins. */
function joinsOfReservations(field: Field, nodes: readonly FieldNode[], walk: Walk): readonly JoinedObjects[] {
  const type = walk.schema.getType(ownEntity);
  const [node] = nodes;
  if (!node || !isObjectType(type)) return [];
  const { representations } = getArgumentValues(field, node, walk.variables);
  const count = (representations as readonly unknown[]).filter(
    (each) => isObject(each) && each.__typename === ownEntity,
  );
  const found = { ...field, type } satisfies Field;
  return [...joinsBelow(found, nodes, walk, count.length)];
}

function selectsBelow(name: string, field: Field, nodes: readonly FieldNode[], walk: Walk): boolean {
  return objectsBelow(field, nodes, walk).some(({ fields }) =>
    fields.some(([below, belowNodes]) => below.name === name || selectsBelow(name, below, belowNodes, walk)),
  );
}

/** The fields selected on each type of object that a field may return. */
function objectsBelow(field: Field, nodes: readonly FieldNode[], walk: Walk) {
  const returns = getNamedType(field.type);
  const possible = isAbstractType(returns) ? walk.schema.getPossibleTypes(returns) : [returns];
  return possible.filter(isObjectType).map((type) => {
    const below = nodes.map(({ selectionSet }) => selectionSet);
    const fields = [...collectFields(type, below, walk).values()].flatMap((each) => {
      const found = type.getFields()[each[0]?.name.value ?? ''];
      return found ? [[found, each] as const] : []; // no field of the type: introspection
    });
    return { type, fields };
  });
}

/** Items of a page; 1 for a field that has no pages. */
function pageSize(field: Field, [node]: readonly FieldNode[], { variables, defaultPageSize }: Walk): number {
  const returns = getNamedType(field.type);
  if (!node || !isObjectType(returns) || !returns.getFields().pageInfo) return 1;
  const { first, last } = getArgumentValues(field, node, variables);
  return Number(last ?? first ?? defaultPageSize);
}
/** The calls of one of our root fields; `null` if it returns no object, so that no joins follow. */
export type OwnFieldCalls = (field: RootField) => FieldCalls | null;

const rootTypes: ReadonlyMap<string, RootField['operation']> = new Map([
  ['Query', 'query'],
  ['Mutation', 'mutation'],
]);
const nothing: FieldCalls = { calls: 0 };

/** Asks the upstream that owns the field. Fields about the gateway itself take no call. */
export function createOwnFieldCalls(
  upstreams: readonly OwnFieldsUpstream[],
  config: Pick<Config, 'upstreams' | 'pages' | 'settings' | 'sponsorship' | 'profile'>,
): OwnFieldCalls {
  const owners = new Map(
    upstreams.flatMap((upstream) =>
      rootFieldsOf(upstream.typeDefs()).map((field) => [field, { upstream, has: isConfigured(upstream, config) }]),
    ),
  );
  return (field) => {
    const owner = owners.get(`${field.operation}.${field.name}`);
    if (!owner) return nothing;
    // Fields of an upstream that is not configured return an error immediately.
    const cost = owner.has ? owner.upstream.callsOf(field, config) : null;
    const shared = cost?.shared?.map((name) => `${owner.upstream.name}.${name}`);
    return cost && { ...cost, ...(shared && { shared }) };
  };
}

/** Each as `query.name` or `mutation.name`. */
function rootFieldsOf(typeDefs: string): string[] {
  return parse(typeDefs, { noLocation: true }).definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.OBJECT_TYPE_EXTENSION) return [];
    const operation = rootTypes.get(definition.name.value);
    return operation ? (definition.fields ?? []).map(({ name }) => `${operation}.${name.value}`) : [];
  });
}
