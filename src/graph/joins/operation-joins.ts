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
import { compileArguments, type ReadArguments } from '../../engine/compile-arguments.ts';
import type { CompileOptions } from '../../engine/compile-operation.ts';
import type { AnswerJoins, JoinField, JoinOutcome, JoinPoint } from '../../engine/execution-state.ts';
import { lightError, locateLightly } from '../../errors/light-error.ts';
import { ToldErrors } from '../../errors/told-errors.ts';
import type { LedgerExecutor } from '../../ledger/ledger-executor.ts';
import type { Cancellation } from '../../upstream/cancellation.ts';
import type { OperationContext } from '../../upstream/operation-context.ts';
import { awaitIndex, checkWaitMs } from './await-index.ts';
import { createToJoinLookup, type JoinLookup, type RequestBounds } from './join-document.ts';
import { createReadJoinKey, joinSelectionSet } from './join-key.ts';
import { createJoinLoader, type JoinAnswer, type JoinLoader } from './join-loader.ts';
import { freeName } from './join-resolvers.ts';
import { type JoinSelection, shareSelection, toJoinSelection } from './join-selection.ts';
import { type ServedJoin, toJoinForm } from './joins.ts';
import { OpenRoots } from './open-roots.ts';

export interface OperationJoinsOptions {
  readonly execute: LedgerExecutor;
  readonly limits: RequestBounds;
  /** The whole graph, which has the join fields and their arguments. */
  readonly schema: GraphQLSchema;
  /** The joins that the ledger can serve. */
  readonly joins: readonly ServedJoin[];
}

/** The joins of one operation, for its compiled form. */
export interface OperationJoins {
  readonly joinOf: NonNullable<CompileOptions['joinOf']>;
  /** For one execution; the lookups beneath all its root fields share one loader. */
  readonly answer: (variables: Readonly<Record<string, unknown>>, context: OperationContext) => AnswerJoins;
}

export type CreateOperationJoins = (
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
) => OperationJoins;

/** What the document's text decides about a join field. */
interface PreparedJoin extends JoinField {
  readonly nodes: readonly FieldNode[];
  readonly toLookup: (selected: Readonly<Record<string, unknown>>) => JoinLookup;
  /** `null` for a join that never waits. */
  readonly readArguments: ReadArguments | null;
}

/**
 * Joins without stitching. The selection below a join field goes to the ledger as the client wrote it, so that the
 * answer already has the client's keys and its nulls in the right places, and is put in place unchanged.
 */
export function createOperationJoins(options: OperationJoinsOptions): CreateOperationJoins {
  const { execute, limits, schema } = options;
  const known = new Map(
    options.joins.map((join) => [
      `${join.type}.${join.field}`,
      { join, key: parseSelectionSet(joinSelectionSet(join)), readKey: createReadJoinKey(join) },
    ]),
  );

  return (operation, fragments) => {
    const prepared = new Map<JoinField, PreparedJoin>();
    const selections = new Map<string, JoinSelection>();
    const source = { operation, fragments: Object.fromEntries(fragments) };

    const prepare = (parent: GraphQLObjectType, nodes: readonly FieldNode[]): PreparedJoin | null => {
      const [node] = nodes;
      const found = known.get(`${parent.name}.${node?.name.value}`);
      const type = schema.getType(parent.name);
      const field = found && isObjectType(type) ? type.getFields()[found.join.field] : undefined;
      const returns = field && getNamedType(field.type);
      if (!node || !found || !field || !isCompositeType(returns)) return null;
      const { join, key, readKey } = found;
      const selection = toJoinSelection(
        freeName(`J${selections.size}`, source.fragments),
        nodes,
        returns,
        source,
        null,
      );
      const toLookup = createToJoinLookup(toJoinForm(join, shareSelection(selections, selection)));
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
      answer: (variables, context) => {
        const { cancellation } = context;
        let loader: JoinLoader | undefined;
        const told = new ToldErrors();
        const roots = new OpenRoots();
        return () => {
          const leave = roots.open();
          return (points) => {
            leave();
            if (points.length === 0) return nothing;
            loader ??= createJoinLoader({ execute, limits, variables, cancellation, roots });
            const askings = points.map((point) => toAsking(point, prepared.get(point.field), variables));
            return answerPoints(askings, loader, told, cancellation);
          };
        };
      },
    };
  };
}

const nothing: Promise<readonly JoinOutcome[]> = Promise.resolve([]);

/** The lookup for one place of the answer, or why there is none. */
interface Asking {
  readonly point: JoinPoint;
  readonly nodes: readonly FieldNode[];
  readonly lookup: JoinLookup | null;
  readonly waitMs: number;
  readonly refusal: unknown;
}

function toAsking(
  point: JoinPoint,
  join: PreparedJoin | undefined,
  variables: Readonly<Record<string, unknown>>,
): Asking {
  if (!join) throw new Error(`nobody knows the join ${point.name}`);
  const { nodes, toLookup, readArguments } = join;
  try {
    const waitMs = readArguments ? checkWaitMs(readArguments(variables).waitMs) : 0;
    return { point, nodes, lookup: toLookup(point.key), waitMs, refusal: null };
  } catch (refusal) {
    return { point, nodes, lookup: null, waitMs: 0, refusal };
  }
}

async function answerPoints(
  askings: readonly Asking[],
  loader: JoinLoader,
  told: ToldErrors,
  cancellation: Cancellation,
): Promise<readonly JoinOutcome[]> {
  const startedMs = performance.now();
  const asked: JoinLookup[] = [];
  for (const { lookup } of askings) if (lookup) asked.push(lookup);
  const answers = await loader.load(asked);
  let answered = 0;
  let isWaiting = false;
  const outcomes = askings.map(({ point, nodes, lookup, waitMs, refusal }) => {
    if (!lookup) return failed(refusal, nodes, point, told);
    const answer = answers[answered] ?? new Error('a lookup has no answer');
    answered += 1;
    if (waitMs === 0) return toOutcome(answer, nodes, point, told);
    isWaiting = true;
    const again = async () => {
      loader.forget(lookup);
      const [next] = await loader.load([lookup]);
      return next ?? new Error('a lookup has no answer');
    };
    const leftMs = waitMs - (performance.now() - startedMs);
    return awaitIndex(answer, again, leftMs, cancellation).then(
      (last) => toOutcome(last, nodes, point, told),
      (error: unknown) => failed(error, nodes, point, told),
    );
  });
  // `Promise.all` makes a promise for each of them.
  return isWaiting ? Promise.all(outcomes) : (outcomes as readonly JoinOutcome[]);
}

/**
 * The same answer may serve thousands of places, and its errors are told at each of them. Once as many are told as may be, only
 * that is told.
 */
function toOutcome(
  answer: JoinAnswer | Error,
  nodes: readonly FieldNode[],
  point: JoinPoint,
  told: ToldErrors,
): JoinOutcome {
  if (answer instanceof Error) return failed(answer, nodes, point, told);
  if (answer.errors.length === 0) return answer;
  const { value } = answer;
  if (told.isFull) return { value, errors: told.takeMore() };
  const at = responsePathAsArray(point.path);
  const errors = answer.errors.map(({ message, path = [], extensions }) =>
    told.add(lightError(message, { path: [...at, ...path], extensions })),
  );
  return { value, errors };
}

function failed(error: unknown, nodes: readonly FieldNode[], { path }: JoinPoint, told: ToldErrors): JoinOutcome {
  if (told.isFull) return { value: null, errors: told.takeMore() };
  return { value: null, errors: [told.add(locateLightly(error, nodes, responsePathAsArray(path)))] };
}

function parseSelectionSet(text: string): SelectionSetNode {
  // Without locations, since errors must not point into a text that the client did not write.
  const [definition] = parse(text, { noLocation: true }).definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error(`no selection set: ${text}`);
  return definition.selectionSet;
}
