import { delegateToSchema, resolveExternalValue, type SubschemaConfig } from '@graphql-tools/delegate';
import type { IResolvers } from '@graphql-tools/utils';
import {
  BREAK,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLError,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  responsePathAsArray,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { collectFields, type SelectionScope } from '../../src/documents/selections.ts';
import { reservedAliasPrefix } from '../../src/documents/validation/validate-document.ts';
import { lightError } from '../../src/errors/light-error.ts';
import { ReportedErrors } from '../../src/errors/reported-errors.ts';
import { entitiesField, entityUnion, type LedgerEntity } from '../../src/graph/joins/entities.ts';
import {
  createReadEntities,
  EntityBudget,
  type EntityRequest,
  toEntityAnswer,
} from '../../src/graph/joins/entity-lookups.ts';
import {
  createJoinSelections,
  createToJoinLookup,
  type JoinLookup,
  type RequestBounds,
} from '../../src/graph/joins/join-document.ts';
import {
  createJoinLoader,
  type JoinAnswer,
  type JoinLoader,
  type OpenRoots,
  toJoinRequests,
} from '../../src/graph/joins/join-loader.ts';
import { awaitIndexer, checkWaitMs } from '../../src/graph/joins/join-waits.ts';
import { createReadJoinKey, type JoinKey, type ServedJoin } from '../../src/graph/joins/joins.ts';
import { ExactNumber, hasExactNumber } from '../../src/json/exact-json.ts';
import type { LedgerExecutor } from '../../src/ledger/ledger-executor.ts';
import { Turns, thisEventLoop } from '../../src/upstream/fair-turns.ts';
import { createPerOperation, type OperationContext } from '../../src/upstream/operation-context.ts';
import { addTypenames } from './add-typenames.ts';

export interface StitchedJoinsOptions {
  readonly execute: LedgerExecutor;
  readonly limits: RequestBounds;
  readonly ledger: SubschemaConfig & { readonly schema: GraphQLSchema };
  /** The gateway's own part of the graph. */
  readonly own: SubschemaConfig;
  /** Entities of the federation subgraph; empty if federation is off. */
  readonly entities: readonly LedgerEntity[];
  /** The root fields of an operation. */
  readonly rootsOf: (context: OperationContext) => OpenRoots;
}

async function loadOne(loader: JoinLoader, lookup: JoinLookup): Promise<JoinAnswer | Error> {
  const [answer] = await loader.load([lookup]);
  return answer ?? new Error('a lookup has no answer');
}

/** Selections with the type names that the stitching library needs. */
function createSelect(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  schema: GraphQLSchema,
): ReturnType<typeof createJoinSelections> {
  const adapted = [...fragments].map(([name, each]) => [name, addTypenames(each, schema)] as const);
  const select = createJoinSelections({ operation, fragments: new Map(adapted) });
  return (nodes, type) => {
    const name = { kind: Kind.NAME, value: 'Selected' } as const;
    const selections = nodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
    const fragment: FragmentDefinitionNode = {
      kind: Kind.FRAGMENT_DEFINITION,
      name,
      typeCondition: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: type.name } },
      selectionSet: { kind: Kind.SELECTION_SET, selections },
    };
    return select([{ kind: Kind.FIELD, name, selectionSet: addTypenames(fragment, schema).selectionSet }], type);
  };
}

/** Does a document select the key of any join? */
export function selectsJoinKeys(document: DocumentNode): boolean {
  let isFound = false;
  visit(document, {
    Field: ({ alias }) => {
      isFound ||= alias?.value.startsWith(`${reservedAliasPrefix}Id_`) ?? false;
      return isFound ? BREAK : undefined;
    },
  });
  return isFound;
}

/**
 * Resolvers of joins, for operations that are stitched. All joins of one operation share one loader, so that they are sent
 * together. The stitching library executes the selection below a join on the answer.
 */
export function createStitchedJoins({ execute, limits, ledger, own, entities, rootsOf }: StitchedJoinsOptions) {
  const inOperation = createPerOperation((context, info: GraphQLResolveInfo) => {
    const { cancellation } = context;
    const { operation, variableValues: variables } = info;
    const fragments = new Map(Object.entries(info.fragments));
    return {
      loader: createJoinLoader({ execute, limits, variables, cancellation, roots: rootsOf(context) }),
      select: createSelect(operation, fragments, ledger.schema),
      scope: { schema: ledger.schema, fragments, variables },
      /** Stored with the field, which may have thousands of parents. */
      fields: new Map<readonly FieldNode[], (key: JoinKey) => JoinLookup>(),
      /** Answers that were converted already: thousands of parents may share one. */
      plain: new Set<JoinAnswer>(),
      reported: new ReportedErrors(),
      turns: new Turns(thisEventLoop, fieldsPerTurn),
      budget: new EntityBudget((lookups) => toJoinRequests(lookups, { limits, variables })),
    };
  });

  /** The value of an answer for the stitching library, in a turn of the event loop with time for it. */
  const place = async (
    answer: JoinAnswer | Error,
    { type, below, path }: PlacedAnswer,
    context: OperationContext,
    info: GraphQLResolveInfo,
  ): Promise<unknown> => {
    const { scope, plain, reported, turns } = inOperation(context, info);
    await new Promise<void>((resolve) => turns.add(resolve));
    if (answer instanceof Error) throw answer;
    if (!plain.has(answer)) {
      toPlainBuiltins(answer.value, below, type, scope);
      plain.add(answer);
    }
    const { value, unplaced } = placeErrors(answer, path, reported);
    const shared = context as unknown as Record<string, unknown>;
    return resolveExternalValue(value, unplaced, ledger, shared, info, type as GraphQLOutputType);
  };

  const resolverOf = (join: ServedJoin) => {
    const readKey = createReadJoinKey(join);
    return async (
      parent: Record<string, unknown>,
      args: { waitMs?: number | null },
      context: OperationContext,
      info: GraphQLResolveInfo,
    ) => {
      const { loader, select, fields } = inOperation(context, info);
      const { fieldNodes } = info;
      const type = ledger.schema.getType(getNamedType(info.returnType).name);
      if (!isCompositeType(type)) throw new Error(`join ${join.type}.${join.field} has no object type`);
      let toLookup = fields.get(fieldNodes);
      if (!toLookup) {
        toLookup = createToJoinLookup({ ...join.root, selection: select(fieldNodes, type) });
        fields.set(fieldNodes, toLookup);
      }
      const lookup = toLookup(readKey(parent));
      const waitMs = checkWaitMs(args.waitMs);
      const first = loadOne(loader, lookup);
      const reload = () => loader.reload(lookup);
      const answer = await (waitMs === 0 ? first : awaitIndexer(first, reload, waitMs, context.cancellation));
      const below = fieldNodes.map(({ selectionSet }) => selectionSet);
      return place(answer, { type, below, path: responsePathAsArray(info.path) }, context, info);
    };
  };

  /** The type of each entity that was found, for the union of all. */
  const typeNames = new WeakMap<object, string>();
  const entityResolvers: IResolvers = {
    Query: {
      [entitiesField]: async (
        _parent: unknown,
        { representations }: { readonly representations: readonly unknown[] },
        context: OperationContext,
        info: GraphQLResolveInfo,
      ) => {
        const { loader, select, scope, budget } = inOperation(context, info);
        const { fieldNodes, schema } = info;
        const reading = { entities, schema, fragments: scope.fragments, select };
        const requests = budget.take(representations, createReadEntities(fieldNodes, reading));
        const find = async (request: EntityRequest, index: number): Promise<unknown> => {
          if (request.kind === 'failed') throw request.error;
          if (request.kind === 'reservation') return findReservation(request.id, context, info);
          const { lookup, selected } = request;
          const answer = toEntityAnswer(await loadOne(loader, lookup), selected);
          const below = [{ kind: Kind.SELECTION_SET, selections: selected.selections } as const];
          const path = [...responsePathAsArray(info.path), index];
          return place(answer, { type: selected.type, below, path }, context, info);
        };
        return requests.map(async (request, index) => {
          const value = await find(request, index);
          const name = request.kind === 'ledger' ? request.selected.type.name : 'GasReservation';
          if (typeof value === 'object' && value !== null) typeNames.set(value, name);
          return value;
        });
      },
    },
    [entityUnion]: { __resolveType: (value: object) => typeNames.get(value) },
  };

  /** Only the reservation's owner finds it, as with the root field. */
  const findReservation = (reservationId: string, context: OperationContext, info: GraphQLResolveInfo) =>
    delegateToSchema({
      schema: own,
      operation: OperationTypeNode.QUERY,
      fieldName: 'reservation',
      args: { reservationId },
      returnType: info.schema.getType('GasReservation') as GraphQLObjectType,
      context: context as unknown as Record<string, unknown>,
      info,
    });

  return { resolverOf, entityResolvers };
}

/** Position of a join's answer in the response. */
interface PlacedAnswer {
  /** The ledger's type that the selections are made on. */
  readonly type: GraphQLCompositeType;
  readonly below: readonly (SelectionSetNode | undefined)[];
  readonly path: readonly (string | number)[];
}

/** Join fields that are inserted in one turn of the event loop, which takes a few milliseconds. */
const fieldsPerTurn = 500;

/**
 * Replaces each null that an error caused with that error, given its path in the client's response; several errors behind one
 * null become one `AggregateError`. Errors without such a null are returned as `unplaced`: they concern the whole value.
 * @param at path of the join field in the client's response
 * @param reported of the whole response; once it is full, the first error of each position is enough
 */
export function placeErrors(
  { value, errors }: JoinAnswer,
  at: readonly (string | number)[],
  reported: ReportedErrors,
): { value: unknown; unplaced: GraphQLError[] } {
  if (errors.length === 0) return { value, unplaced: [] };
  // A copy, since the same answer may serve several fields, each with its own path.
  const copy = copyJson(value);
  const unplaced: GraphQLError[] = [];
  for (const error of reported.isFull ? errors.slice(0, 1) : errors) {
    const path = error.path ?? [];
    const located = reported.add(lightError(error.message, { path: [...at, ...path], extensions: error.extensions }));
    if (!putAt(copy, path, located)) unplaced.push(located);
  }
  return { value: copy, unplaced };
}

/** Not `structuredClone`, which would strip exact numbers of their class. */
function copyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyJson);
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyJson(member)]));
}

/**
 * Inserts the error in place of the first null along the path, or adds it to an error inserted there before; false if there is
 * neither.
 */
function putAt(root: unknown, path: readonly (string | number)[], error: GraphQLError): boolean {
  let parent = root as Record<string | number, unknown> | null;
  for (const key of path) {
    if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) return false;
    const child = parent[key];
    if (child === null || child instanceof Error) {
      const others = child instanceof AggregateError ? child.errors : child === null ? [] : [child];
      parent[key] = others.length === 0 ? error : new AggregateError([...others, error]);
      return true;
    }
    parent = child as typeof parent;
  }
  return false;
}

/**
 * Turns exact numbers into doubles where the type is a built-in scalar of GraphQL: the stitching library parses those values
 * again, and would turn an exact `1.0` into null. Changes the value in place.
 * @param type the ledger's type that the selections are made on
 */
export function toPlainBuiltins(
  value: unknown,
  selectionSets: readonly (SelectionSetNode | undefined)[],
  type: GraphQLNamedType,
  scope: SelectionScope,
): void {
  if (hasExactNumber(value)) convert(value, selectionSets, type, scope);
}

function convert(
  value: unknown,
  selectionSets: readonly (SelectionSetNode | undefined)[],
  type: GraphQLNamedType,
  scope: SelectionScope,
): void {
  if (Array.isArray(value)) for (const each of value) convert(each, selectionSets, type, scope);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const answer = value as Record<string, unknown>;
  // Selections on abstract types have `__typename`, because the stitching library needs it too.
  const objectType = isAbstractType(type) ? scope.schema.getType(String(answer.__typename)) : type;
  if (!isObjectType(objectType)) return;
  for (const [key, nodes] of collectFields(objectType, selectionSets, scope)) {
    const field = objectType.getFields()[nodes[0]?.name.value ?? ''];
    if (!field || !Object.hasOwn(answer, key)) continue;
    const below = nodes.map(({ selectionSet }) => selectionSet);
    const named = getNamedType(field.type);
    if (isSpecifiedScalarType(named)) answer[key] = toDouble(answer[key]);
    else if (isCompositeType(named)) convert(answer[key], below, named, scope);
  }
}

function toDouble(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toDouble);
  return value instanceof ExactNumber ? value.valueOf() : value;
}
