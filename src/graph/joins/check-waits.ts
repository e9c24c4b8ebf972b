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
import { isIncluded, usedFragments, walkSelections } from '../../documents/selections.ts';
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
  walkSelections(selectionSet, fragments, (selection) => {
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
