import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  responsePathAsArray,
  type SelectionSetNode,
} from 'graphql';
import { reservedAliasPrefix } from '../../documents/validation/validate-document.ts';
import { compileArguments, type ReadArguments } from '../../engine/compile-fields.ts';
import { type CompiledJoins, compileOperation } from '../../engine/compile-operation.ts';
import type { AnswerJoins, JoinField, JoinOutcome, JoinPoint } from '../../engine/compile-value.ts';
import { lightError, toLocatedError } from '../../errors/light-error.ts';
import { ReportedErrors } from '../../errors/reported-errors.ts';
import type { LedgerExecutor } from '../../ledger/ledger-executor.ts';
import type { Cancellation } from '../../upstream/cancellation.ts';
import type { OperationContext } from '../../upstream/operation-context.ts';
import { entitiesField, type LedgerEntity, ownEntities } from './entities.ts';
import {
  createReadEntities,
  EntityBudget,
  type EntityReading,
  type EntityRequest,
  type ReadEntities,
  selectionsOnType,
  toEntityAnswer,
  toField,
} from './entity-lookups.ts';
import { createJoinSelections, createToJoinLookup, type JoinLookup, type RequestBounds } from './join-document.ts';
import {
  countSeparateRequests,
  createJoinLoader,
  type JoinAnswer,
  type JoinLoader,
  OpenRoots,
  toJoinRequests,
} from './join-loader.ts';
import { awaitIndexer, checkWaitMs } from './join-waits.ts';
import { createReadJoinKey, joinSelectionSet, type ServedJoin, sampleJoinKey } from './joins.ts';

type Variables = Readonly<Record<string, unknown>>;

export interface OperationJoinsOptions {
  readonly execute: LedgerExecutor;
  readonly limits: RequestBounds;
  /** The whole graph, which has the join fields and their arguments. */
  readonly schema: GraphQLSchema;
  /** The gateway's own part of it, with its resolvers. */
  readonly ownSchema: GraphQLSchema;
  readonly joins: readonly ServedJoin[];
  /** Entities of the federation subgraph. Left out: federation is off. */
  readonly entities?: readonly LedgerEntity[];
}

export type CreateOperationJoins = (
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
) => OperationJoins;

/** The joins of one operation, for its compiled form. The lookups below all root fields of an execution share one loader. */
export interface OperationJoins extends CompiledJoins {
  /**
   * The lookups of the entities of an operation, each once.
   * @param fields the nodes of each `_entities` field
   * @throws BAD_USER_INPUT if there are too many
   */
  readonly readEntities: (fields: Iterable<readonly FieldNode[]>, variables: Variables) => readonly JoinLookup[];
  /** The most ledger requests for lookups, without sending them. Joins of each root field have different keys. */
  readonly countRequests: (
    entities: readonly JoinLookup[],
    joined: readonly (readonly JoinedObjects[])[],
    variables: Variables,
  ) => number;
}

/** Objects of one type in one position of the response. */
export interface JoinedObjects {
  readonly type: GraphQLObjectType;
  /** The nodes of each join. */
  readonly joins: readonly (readonly FieldNode[])[];
  /** Number of the objects if all pages are full. Other lists count as one object, since their lengths are unknown. */
  readonly count: number;
}

/**
 * Joins without stitching. The selection below a join field goes to the ledger as the client wrote it, so the response already
 * has the client's keys and correct nulls, and is inserted unchanged.
 */
export function createOperationJoins(options: OperationJoinsOptions): CreateOperationJoins {
  const { execute, limits, schema, ownSchema, joins, entities = [] } = options;
  const known = new Map(
    joins.map((join) => [
      `${join.type}.${join.field}`,
      { join, key: parseSelectionSet(joinSelectionSet(join)), readKey: createReadJoinKey(join) },
    ]),
  );

  return (operation, fragments) => {
    const select = createJoinSelections({ operation, fragments });

    const prepare = (parent: GraphQLObjectType, nodes: readonly FieldNode[]): PreparedJoin | null => {
      const [node] = nodes;
      const found = known.get(`${parent.name}.${node?.name.value}`);
      const type = schema.getType(parent.name);
      const field = found && isObjectType(type) ? type.getFields()[found.join.field] : undefined;
      const returns = field && getNamedType(field.type);
      if (!node || !found || !field || !isCompositeType(returns)) return null;
      const { join, key, readKey } = found;
      const toLookup = createToJoinLookup({ ...join.root, selection: select(nodes, returns) });
      return {
        kind: 'join',
        key,
        nodes,
        toLookup: (selected) => toLookup(readKey(selected)),
        sample: () => toLookup(sampleJoinKey(join)),
        readArguments: join.waits ? compileArguments(field, node) : null,
      };
    };

    const compileReservation = (nodes: readonly FieldNode[], reading: EntityReading): FindReservation => {
      const type = schema.getType('GasReservation');
      const selections = type ? selectionsOnType(type, nodes, reading) : [];
      const id = { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: reservationVariable } } as const;
      const name = { kind: Kind.NAME, value: ownEntities.GasReservation } as const;
      const found = toField('reservation', selections.length > 0 ? selections : [toField('__typename')]);
      const field = { ...found, arguments: [{ kind: Kind.ARGUMENT, name, value: id } as const] };
      const selectionSet = { kind: Kind.SELECTION_SET, selections: [field] } as const;
      const run = compileOperation({
        schema: ownSchema,
        operation: { ...operation, selectionSet },
        fragments,
        joins: () => operationJoins,
      });
      return async (reservationId, variables, context, answerJoins) => {
        const { data, errors = [] } = await run({
          context,
          variables: { ...variables, [reservationVariable]: reservationId },
          answerJoins,
        });
        const value = data?.reservation ?? null;
        const located = errors.map(({ message, path = [], extensions }) =>
          lightError(message, { path: path.slice(1), extensions }),
        );
        return { value: value && selections.length === 0 ? {} : value, errors: located };
      };
    };

    const prepareEntities = (nodes: readonly FieldNode[]): PreparedEntities | null => {
      const [node] = nodes;
      const field = schema.getQueryType()?.getFields()[entitiesField];
      const reading = { entities, schema, fragments, select };
      if (!node || !field) return null;
      const readArguments = compileArguments(field, node);
      return {
        kind: 'entities',
        key: noSelections,
        nodes,
        findReservation: compileReservation(nodes, reading),
        read: createReadEntities(nodes, reading),
        readArguments,
      };
    };

    const toBudget = (variables: Variables) =>
      new EntityBudget((lookups) => toJoinRequests(lookups, { limits, variables }));

    const operationJoins: OperationJoins = {
      readEntities: (fields, variables) => {
        const budget = toBudget(variables);
        for (const nodes of fields) {
          const [node] = nodes;
          const field = schema.getQueryType()?.getFields()[entitiesField];
          if (!node || !field) continue;
          const { representations } = compileArguments(field, node)(variables);
          const read = createReadEntities(nodes, { entities, schema, fragments, select });
          budget.take(representations as readonly unknown[], read);
        }
        return budget.lookups;
      },
      countRequests: (entities, joined, variables) => {
        const toLookups = ({ type, joins, count }: JoinedObjects) => {
          const samples = joins.flatMap((nodes) => prepare(type, nodes)?.sample() ?? []);
          // Equal lookups of an object are sent once.
          const distinct = [...new Map(samples.map((lookup) => [lookup.text, lookup])).values()];
          return Array.from({ length: count }, () => distinct).flat();
        };
        return countSeparateRequests([entities, ...joined.map((each) => each.flatMap(toLookups))], {
          limits,
          variables,
        });
      },
      joinOf: (parent, nodes) => {
        if (entities.length > 0 && parent.name === 'Query' && nodes[0]?.name.value === entitiesField) {
          return prepareEntities(nodes);
        }
        return prepare(parent, nodes);
      },
      answer: (variables, context: OperationContext) => {
        const { cancellation } = context;
        const roots = new OpenRoots();
        const joinExecution = {
          loader: createJoinLoader({ execute, limits, variables, cancellation, roots }),
          reported: new ReportedErrors(),
          cancellation,
          budget: toBudget(variables),
        };
        const answerJoins: AnswerJoins = () => {
          const leave = roots.open();
          return (points) => {
            leave();
            const [first] = points;
            if (!first) return nothing;
            const asked = first.field as PreparedField;
            if (asked.kind === 'entities') {
              const find = (id: string) => asked.findReservation(id, variables, context, answerJoins);
              return answerEntities(first, asked, variables, find, joinExecution);
            }
            return answerPoints(
              points.map((point) => toPendingJoin(point, point.field as PreparedJoin, variables)),
              joinExecution,
            );
          };
        };
        return answerJoins;
      },
    };
    return operationJoins;
  };
}

const nothing: Promise<readonly JoinOutcome[]> = Promise.resolve([]);

/** Everything that the document's text decides about a join field. */
interface PreparedJoin extends JoinField {
  readonly kind: 'join';
  readonly nodes: readonly FieldNode[];
  readonly toLookup: (selected: Variables) => JoinLookup;
  /** A lookup of typical length, for estimates. */
  readonly sample: () => JoinLookup;
  /** `null` for a join that never waits. */
  readonly readArguments: ReadArguments | null;
}

const noSelections: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: [] };

/** Everything that the document's text decides about an `_entities` field. */
interface PreparedEntities extends JoinField {
  readonly kind: 'entities';
  readonly nodes: readonly FieldNode[];
  readonly read: ReadEntities;
  readonly readArguments: ReadArguments;
  readonly findReservation: FindReservation;
}

/** The engine returns the fields that `joinOf` gave it. */
type PreparedField = PreparedJoin | PreparedEntities;

/** Finds a reservation of the caller, as the root field does. */
type FindReservation = (
  id: string,
  variables: Variables,
  context: OperationContext,
  answerJoins: AnswerJoins,
) => Promise<JoinAnswer>;

/** Clients cannot use the prefix. */
const reservationVariable = `${reservedAliasPrefix}Reservation`;

/** One position of the response, with its lookup, or why there is none. */
interface PendingJoin extends Position {
  readonly point: JoinPoint;
  readonly lookup: JoinLookup | null;
  readonly waitMs: number;
  readonly refusal: unknown;
}

function toPendingJoin(point: JoinPoint, join: PreparedJoin, variables: Variables): PendingJoin {
  const { nodes, toLookup, readArguments } = join;
  try {
    const waitMs = readArguments ? checkWaitMs(readArguments(variables).waitMs) : 0;
    return { point, nodes, lookup: toLookup(point.key), waitMs, refusal: null };
  } catch (refusal) {
    return { point, nodes, lookup: null, waitMs: 0, refusal };
  }
}

interface JoinExecution {
  readonly loader: JoinLoader;
  readonly reported: ReportedErrors;
  readonly cancellation: Cancellation;
  readonly budget: EntityBudget;
}

async function answerPoints(
  pendingJoins: readonly PendingJoin[],
  joinExecution: JoinExecution,
): Promise<readonly JoinOutcome[]> {
  const { loader, reported, cancellation } = joinExecution;
  const startedMs = performance.now();
  const answers = await loader.load(pendingJoins.flatMap(({ lookup }) => lookup ?? []));
  let answered = 0;
  let isWaiting = false;
  const outcomes = pendingJoins.map((asking) => {
    const { lookup, waitMs, refusal } = asking;
    if (!lookup) return failed(refusal, asking, reported);
    const answer = answers[answered] as JoinAnswer | Error;
    answered += 1;
    if (waitMs === 0) return toOutcome(answer, asking, reported);
    isWaiting = true;
    const leftMs = waitMs - (performance.now() - startedMs);
    return awaitIndexer(answer, () => loader.reload(lookup), leftMs, cancellation).then(
      (last) => toOutcome(last, asking, reported),
      (error: unknown) => failed(error, asking, reported),
    );
  });
  // `Promise.all` makes a promise for each of them.
  return isWaiting ? Promise.all(outcomes) : (outcomes as readonly JoinOutcome[]);
}

/** @throws an error of the whole field, with its path */
async function answerEntities(
  { path }: JoinPoint,
  { nodes, read, readArguments }: PreparedEntities,
  variables: Variables,
  findReservation: (id: string) => Promise<JoinAnswer>,
  { loader, reported, budget }: JoinExecution,
): Promise<readonly JoinOutcome[]> {
  let requests: readonly EntityRequest[];
  try {
    requests = budget.take(readArguments(variables).representations as readonly unknown[], read);
  } catch (error) {
    throw toLocatedError(error, nodes, responsePathAsArray(path));
  }
  const loading = loader.load(requests.flatMap((each) => (each.kind === 'ledger' ? each.lookup : [])));
  const reservations = await Promise.all(
    requests.flatMap((each) => (each.kind === 'reservation' ? findReservation(each.id) : [])),
  );
  const [fromLedger, own] = [(await loading).values(), reservations.values()];
  const errors: GraphQLError[] = [];
  const value = requests.map((request, key) => {
    const position = { nodes, point: { path: { prev: path, key, typename: undefined } } };
    let answer: JoinAnswer | Error = notAnswered;
    if (request.kind === 'failed') answer = request.error;
    else if (request.kind === 'reservation') answer = own.next().value ?? answer;
    else answer = toEntityAnswer(fromLedger.next().value ?? answer, request.selected);
    const outcome = toOutcome(answer, position, reported);
    errors.push(...outcome.errors);
    return outcome.value;
  });
  return [{ value, errors }];
}

const notAnswered = new Error('an entity has no answer');

/** A position in the response, and the document's fields for it. */
interface Position {
  readonly nodes: readonly FieldNode[];
  readonly point: Pick<JoinPoint, 'path'>;
}

/** Thousands of positions may share one answer, and its errors are reported at each of them, up to the limit of a response. */
function toOutcome(answer: JoinAnswer | Error, asking: Position, reported: ReportedErrors): JoinOutcome {
  if (answer instanceof Error) return failed(answer, asking, reported);
  if (answer.errors.length === 0) return answer;
  const { value } = answer;
  if (reported.isFull) return { value, errors: reported.takeOmissionError() };
  const at = responsePathAsArray(asking.point.path);
  const errors = answer.errors.map(({ message, path = [], extensions }) =>
    reported.add(lightError(message, { path: [...at, ...path], extensions })),
  );
  return { value, errors };
}

function failed(error: unknown, { nodes, point }: Position, reported: ReportedErrors): JoinOutcome {
  if (reported.isFull) return { value: null, errors: reported.takeOmissionError() };
  return { value: null, errors: [reported.add(toLocatedError(error, nodes, responsePathAsArray(point.path)))] };
}

function parseSelectionSet(text: string): SelectionSetNode {
  // Without locations, since errors must not point into a text that the client did not write.
  const [definition] = parse(text, { noLocation: true }).definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error(`no selection set: ${text}`);
  return definition.selectionSet;
}
