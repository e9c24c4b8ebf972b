import {
  type FieldNode,
  type FragmentDefinitionNode,
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
import { compileArguments, type ReadArguments } from '../../engine/compile-fields.ts';
import type { CompileOptions } from '../../engine/compile-operation.ts';
import type { AnswerJoins, JoinField, JoinOutcome, JoinPoint } from '../../engine/compile-value.ts';
import { lightError, locateLightly } from '../../errors/light-error.ts';
import { ReportedErrors } from '../../errors/reported-errors.ts';
import type { LedgerExecutor } from '../../ledger/ledger-executor.ts';
import type { Cancellation } from '../../upstream/cancellation.ts';
import type { OperationContext } from '../../upstream/operation-context.ts';
import { createJoinSelections, createToJoinLookup, type JoinLookup, type RequestBounds } from './join-document.ts';
import { createJoinLoader, type JoinAnswer, type JoinLoader, OpenRoots } from './join-loader.ts';
import { awaitIndex, checkWaitMs } from './join-waits.ts';
import { createReadJoinKey, joinSelectionSet, type ServedJoin } from './joins.ts';

type Variables = Readonly<Record<string, unknown>>;

export interface OperationJoinsOptions {
  readonly execute: LedgerExecutor;
  readonly limits: RequestBounds;
  /** The whole graph, which has the join fields and their arguments. */
  readonly schema: GraphQLSchema;
  /** The joins that the ledger can serve. */
  readonly joins: readonly ServedJoin[];
}

export type CreateOperationJoins = (
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
) => OperationJoins;

/** The joins of one operation, for its compiled form. */
export interface OperationJoins {
  readonly joinOf: NonNullable<CompileOptions['joinOf']>;
  /** For one execution; the lookups beneath all its root fields share one loader. */
  readonly answer: (variables: Variables, context: OperationContext) => AnswerJoins;
}

/**
 * Joins without stitching. The selection below a join field goes to the ledger as the client wrote it, so that the
 * answer already has the client's keys and its nulls in the right places, and is put in place unchanged.
 */
export function createOperationJoins({ execute, limits, schema, joins }: OperationJoinsOptions): CreateOperationJoins {
  const known = new Map(
    joins.map((join) => [
      `${join.type}.${join.field}`,
      { join, key: parseSelectionSet(joinSelectionSet(join)), readKey: createReadJoinKey(join) },
    ]),
  );

  return (operation, fragments) => {
    const prepared = new Map<JoinField, PreparedJoin>();
    const select = createJoinSelections({ operation, fragments }, null);

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
        key,
        nodes,
        toLookup: (selected) => toLookup(readKey(selected)),
        readArguments: join.waits ? compileArguments(field, node) : null,
      };
    };

    return {
      joinOf: (parent, nodes) => {
        const join = prepare(parent, nodes);
        if (join) prepared.set(join, join);
        return join;
      },
      answer: (variables, { cancellation }) => {
        const roots = new OpenRoots();
        const answering = {
          loader: createJoinLoader({ execute, limits, variables, cancellation, roots }),
          reported: new ReportedErrors(),
          cancellation,
        };
        return () => {
          const leave = roots.open();
          return (points) => {
            leave();
            if (points.length === 0) return nothing;
            return answerPoints(
              points.map((point) => toAsking(point, prepared.get(point.field), variables)),
              answering,
            );
          };
        };
      },
    };
  };
}

const nothing: Promise<readonly JoinOutcome[]> = Promise.resolve([]);

/** What the document's text decides about a join field. */
interface PreparedJoin extends JoinField {
  readonly nodes: readonly FieldNode[];
  readonly toLookup: (selected: Variables) => JoinLookup;
  /** `null` for a join that never waits. */
  readonly readArguments: ReadArguments | null;
}

/** One place of the answer, with its lookup, or why there is none. */
interface Asking {
  readonly point: JoinPoint;
  readonly nodes: readonly FieldNode[];
  readonly lookup: JoinLookup | null;
  readonly waitMs: number;
  readonly refusal: unknown;
}

function toAsking(point: JoinPoint, join: PreparedJoin | undefined, variables: Variables): Asking {
  if (!join) throw new Error(`the join ${point.name} was not prepared`);
  const { nodes, toLookup, readArguments } = join;
  try {
    const waitMs = readArguments ? checkWaitMs(readArguments(variables).waitMs) : 0;
    return { point, nodes, lookup: toLookup(point.key), waitMs, refusal: null };
  } catch (refusal) {
    return { point, nodes, lookup: null, waitMs: 0, refusal };
  }
}

/** One execution of an operation. */
interface Answering {
  readonly loader: JoinLoader;
  readonly reported: ReportedErrors;
  readonly cancellation: Cancellation;
}

async function answerPoints(askings: readonly Asking[], answering: Answering): Promise<readonly JoinOutcome[]> {
  const { loader, reported, cancellation } = answering;
  const startedMs = performance.now();
  const answers = await loader.load(askings.flatMap(({ lookup }) => lookup ?? []));
  let answered = 0;
  let isWaiting = false;
  const outcomes = askings.map((asking) => {
    const { lookup, waitMs, refusal } = asking;
    if (!lookup) return failed(refusal, asking, reported);
    const answer = answers[answered] as JoinAnswer | Error;
    answered += 1;
    if (waitMs === 0) return toOutcome(answer, asking, reported);
    isWaiting = true;
    const again = () => {
      loader.forget(lookup);
      return loader.loadOne(lookup);
    };
    const leftMs = waitMs - (performance.now() - startedMs);
    return awaitIndex(answer, again, leftMs, cancellation).then(
      (last) => toOutcome(last, asking, reported),
      (error: unknown) => failed(error, asking, reported),
    );
  });
  // `Promise.all` makes a promise for each of them.
  return isWaiting ? Promise.all(outcomes) : (outcomes as readonly JoinOutcome[]);
}

/** The same answer may serve thousands of places, and its errors are reported at each of them, up to the bound of an answer. */
function toOutcome(answer: JoinAnswer | Error, asking: Asking, reported: ReportedErrors): JoinOutcome {
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

function failed(error: unknown, { nodes, point }: Asking, reported: ReportedErrors): JoinOutcome {
  if (reported.isFull) return { value: null, errors: reported.takeOmissionError() };
  return { value: null, errors: [reported.add(locateLightly(error, nodes, responsePathAsArray(point.path)))] };
}

function parseSelectionSet(text: string): SelectionSetNode {
  // Without locations, since errors must not point into a text that the client did not write.
  const [definition] = parse(text, { noLocation: true }).definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error(`no selection set: ${text}`);
  return definition.selectionSet;
}
