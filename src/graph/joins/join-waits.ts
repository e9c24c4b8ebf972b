import { setTimeout as delay } from 'node:timers/promises';
import {
  type FieldNode,
  type GraphQLCompositeType,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { OperationTree } from '../../documents/document-tree.ts';
import { isIncluded, usedFragments, walkSelections } from '../../documents/selections.ts';
import { maxVariableErrors } from '../../engine/coerce-variables.ts';
import { gatewayError } from '../../errors/gateway-error.ts';
import type { Cancellation } from '../../upstream/cancellation.ts';
import type { JoinAnswer } from './join-loader.ts';
import { joins } from './joins.ts';

type Variables = Readonly<Record<string, unknown>>;
type Asked = Pick<OperationTree, 'operation' | 'fragments'>;

/** Returns an error for each `waitMs` out of range. @param variables coerced */
export type CheckWaits = (variables: Variables) => readonly GraphQLError[];

const waiting: ReadonlySet<string> = new Set(
  joins.filter(({ waits }) => waits).map(({ type, field }) => `${type}.${field}`),
);

/**
 * Checks `waitMs` before anything is executed: a join that waits is below a mutation, which would otherwise be sent before the
 * rejection. `null` for an operation without `waitMs`.
 */
export function createCheckWaits(schema: GraphQLSchema, asked: Asked): CheckWaits | null {
  const waits = definedFields(schema, asked).filter(
    ({ node, parent, field }) => node.arguments?.length && waiting.has(`${parent.name}.${field.name}`),
  );
  if (waits.length === 0) return null;
  return (variables) => {
    const executed = executedFields(asked, variables);
    const errors: GraphQLError[] = [];
    for (const { node, field } of waits) {
      const error = executed.has(node) ? faultOf(field, node, variables) : null;
      if (error) errors.push(error);
      if (errors.length === maxVariableErrors) break;
    }
    return errors;
  };
}

/** The fields of an operation and its fragments, each once, with their definitions. */
export function definedFields(schema: GraphQLSchema, { operation, fragments }: Asked) {
  const typeInfo = new TypeInfo(schema);
  const fields: { node: FieldNode; parent: GraphQLCompositeType; field: GraphQLField<unknown, unknown> }[] = [];
  const note = (node: FieldNode): void => {
    const [parent, field] = [typeInfo.getParentType(), typeInfo.getFieldDef()];
    if (parent && field) fields.push({ node, parent, field });
  };
  for (const definition of [operation, ...usedFragments(operation.selectionSet, fragments)]) {
    visit(definition, visitWithTypeInfo(typeInfo, { Field: note }));
  }
  return fields;
}

/** All fields, at any depth, that `@skip` and `@include` leave. Visits each fragment once. */
export function executedFields({ operation, fragments }: Asked, variables: Variables): Set<FieldNode> {
  const executed = new Set<FieldNode>();
  walkSelections(operation.selectionSet, fragments, (selection) => {
    if (!isIncluded(selection, variables)) return false;
    if (selection.kind === Kind.FIELD) executed.add(selection);
    return true;
  });
  return executed;
}

function faultOf(field: GraphQLField<unknown, unknown>, node: FieldNode, variables: Variables): GraphQLError | null {
  try {
    checkWaitMs(getArgumentValues(field, node, variables).waitMs);
    return null;
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return new GraphQLError(error.message, { nodes: error.nodes ?? node, extensions: error.extensions });
  }
}

/** Maximum milliseconds for which a join may wait for the ledger's indexer. */
const maxWaitMs = 10_000;
const firstPauseMs = 50;
const longestPauseMs = 800;

/** @throws BAD_USER_INPUT for a time out of its range */
export function checkWaitMs(waitMs: unknown): number {
  const wait = typeof waitMs === 'number' ? waitMs : 0;
  if (wait >= 0 && wait <= maxWaitMs) return wait;
  throw gatewayError('BAD_USER_INPUT', `waitMs must be from 0 to ${maxWaitMs} milliseconds; got ${wait}.`, {
    argument: 'waitMs',
  });
}

/**
 * Retries until there is a value, an error, or no time left: the ledger indexes a transaction a moment after it executed.
 * @param first the first answer, or a promise of it
 * @throws REQUEST_TIMEOUT if the operation ends before
 */
export async function awaitIndexer(
  first: JoinAnswer | Error | Promise<JoinAnswer | Error>,
  retryLookup: () => Promise<JoinAnswer | Error>,
  waitMs: number,
  cancellation: Cancellation,
): Promise<JoinAnswer | Error> {
  const deadline = performance.now() + waitMs;
  let answer = await first;
  for (
    let pauseMs = firstPauseMs;
    !(answer instanceof Error) && answer.value === null && answer.errors.length === 0;
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  ) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) break;
    await delay(Math.min(pauseMs, leftMs), undefined, { signal: cancellation.signal }).catch(() => {
      const says = 'The request ended while it waited for the ledger to index the transaction.';
      throw gatewayError('REQUEST_TIMEOUT', says, { upstream: 'ledger' });
    });
    answer = await retryLookup();
  }
  return answer;
}
