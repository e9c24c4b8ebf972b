import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { usedFragments } from '../../documents/plan/plan-operation.ts';
import { isIncluded } from '../../documents/selections.ts';
import { maxVariableErrors } from '../../engine/coerce-variables.ts';
import { checkWaitMs } from './await-index.ts';
import { joins } from './joins.ts';

type Variables = Readonly<Record<string, unknown>>;
type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** Finds waiting times that are out of range. @param variables coerced */
export type CheckWaits = (variables: Variables) => readonly GraphQLError[];

const waiting: ReadonlySet<string> = new Set(
  joins.filter(({ waits }) => waits).map(({ type, field }) => `${type}.${field}`),
);

/**
 * Checks waiting times before anything is executed. A join that waits stands below the mutation whose outcome it shows; if it
 * were refused only when it is reached, the mutation would have been sent already. `null` if no waiting time is given.
 */
export function createCheckWaits(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: Fragments,
): CheckWaits | null {
  const waits = findWaits(schema, operation, fragments);
  if (waits.size === 0) return null;
  return (variables) => {
    const executed = executedFields(operation.selectionSet, fragments, variables);
    const errors: GraphQLError[] = [];
    for (const [node, field] of waits) {
      const error = executed.has(node) ? faultOf(field, node, variables) : null;
      if (error) errors.push(error);
      if (errors.length === maxVariableErrors) break;
    }
    return errors;
  };
}

/** The fields that take a waiting time and have arguments. */
function findWaits(schema: GraphQLSchema, operation: OperationDefinitionNode, fragments: Fragments) {
  const waits = new Map<FieldNode, GraphQLField<unknown, unknown>>();
  const typeInfo = new TypeInfo(schema);
  const note = (node: FieldNode): void => {
    const field = typeInfo.getFieldDef();
    if (!field || !node.arguments?.length) return;
    if (waiting.has(`${typeInfo.getParentType()?.name}.${field.name}`)) waits.set(node, field);
  };
  for (const definition of [operation, ...usedFragments(operation.selectionSet, fragments)]) {
    visit(definition, visitWithTypeInfo(typeInfo, { Field: note }));
  }
  return waits;
}

/** All fields, at any depth, that `@skip` and `@include` leave. Looks into each fragment once. */
export function executedFields(
  selectionSet: SelectionSetNode,
  fragments: Fragments,
  variables: Variables,
): Set<FieldNode> {
  const executed = new Set<FieldNode>();
  const spread = new Set<string>();
  const pending = [selectionSet];
  for (let next = pending.pop(); next; next = pending.pop()) {
    for (const selection of next.selections) {
      if (!isIncluded(selection, variables)) continue;
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = spread.has(selection.name.value) ? undefined : fragments.get(selection.name.value);
        spread.add(selection.name.value);
        if (fragment) pending.push(fragment.selectionSet);
        continue;
      }
      if (selection.kind === Kind.FIELD) executed.add(selection);
      if (selection.selectionSet) pending.push(selection.selectionSet);
    }
  }
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
