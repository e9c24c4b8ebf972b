import {
  type FieldNode,
  type GraphQLError,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isObjectType,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Variables } from '../documents/cost/output-cost.ts';
import type { Usage } from '../documents/cost/usage.ts';
import type { Plan } from '../documents/plan/plan-operation.ts';
import type { ReadDocument } from '../documents/prepared-document.ts';
import { usedFragments } from '../documents/selections.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { executedFields } from '../graph/joins/join-waits.ts';
import { decideOperation } from '../operation/admit-operation.ts';
import type { PreparedOperation, ServedGeneration } from '../operation/prepared-operation.ts';

/** An operation that is explained and not executed. */
export interface JudgedRequest {
  readonly query: string;
  readonly variables: Variables;
  readonly operationName: string | null;
}

export interface Judgement extends ReadDocument {
  /** `null` if the document is rejected before it is counted, or asks only for the schema. */
  readonly usage: Usage | null;
  /** As `PreparedOperation.ownMutations`; 0 if it is rejected before it is charged. */
  readonly ownMutations: number;
  /** Empty if it would be executed. */
  readonly errors: readonly GraphQLError[];
  /** `null` if it would be rejected. */
  readonly bound: {
    readonly operation: OperationDefinitionNode;
    readonly variables: Variables;
    readonly plan: Plan;
  } | null;
}

/**
 * Decides whether an operation would be executed: admission first, then its variables, then its pages. Keeps nothing.
 * @param read given if the document was read already
 */
export function judgeOperation(
  generation: ServedGeneration,
  request: JudgedRequest,
  read: ReadDocument<PreparedOperation> = generation.documents.read(request.query),
): Judgement {
  const decision = decideOperation(generation, read.prepared, request);
  const { usage } = decision;
  if (decision.kind === 'refused') return { ...read, usage, ownMutations: 0, errors: decision.errors, bound: null };
  const { tree, plan, ownMutations, coerce, checkWaits } = decision.operation;
  const refused = (errors: readonly GraphQLError[]) => ({ ...read, usage, ownMutations, errors, bound: null });
  const coerced = coerce(request.variables);
  if (coerced.errors) return refused(coerced.errors);
  const variables = coerced.values;
  const asked = tree();
  const errors = [...(checkWaits?.(variables) ?? []), ...findRefusedPages(generation, asked, variables)];
  return errors.length > 0
    ? refused(errors)
    : { ...read, usage, ownMutations, errors, bound: { operation: asked.operation, variables, plan } };
}

const maxFaults = 5;

/**
 * Finds pages that the gateway or the ledger would reject during execution: too large, or requested from both ends.
 * @param variables coerced
 */
export function findRefusedPages(
  { schema, limits }: Pick<ServedGeneration, 'schema' | 'limits'>,
  { operation, fragments }: ReturnType<PreparedOperation['tree']>,
  variables: Readonly<Record<string, unknown>>,
): readonly GraphQLError[] {
  const executed = executedFields(operation.selectionSet, fragments, variables);
  const ledgersMax = hasOneMaximum(schema) ? limits.maxPageSize : null;
  const typeInfo = new TypeInfo(schema);
  const errors: GraphQLError[] = [];
  const note = (node: FieldNode): void => {
    const isOwn = typeInfo.getParentType() === schema.getQueryType() && limits.calledPages?.fields.has(node.name.value);
    const max = isOwn ? limits.calledPages?.maxSize : ledgersMax;
    if (max == null || !executed.has(node) || errors.length === maxFaults) return;
    const fault = findFault(node, typeInfo, variables, max);
    if (fault) errors.push(gatewayError('BAD_USER_INPUT', fault, {}, { nodes: [node] }));
  };
  for (const definition of [operation, ...usedFragments(operation.selectionSet, fragments)]) {
    visit(definition, visitWithTypeInfo(typeInfo, { Field: note }));
  }
  return errors;
}

/** Newer ledgers have an own maximum for each field, unknown to the gateway. */
function hasOneMaximum(schema: GraphQLSchema): boolean {
  const type = schema.getType('ServiceConfig');
  return isObjectType(type) && type.getFields().maxPageSize?.args.length === 0;
}

function findFault(
  node: FieldNode,
  typeInfo: TypeInfo,
  variables: Readonly<Record<string, unknown>>,
  max: number,
): string | null {
  const field = typeInfo.getFieldDef();
  const returns = getNamedType(field?.type);
  if (!field || !isObjectType(returns) || !returns.getFields().pageInfo) return null;
  try {
    const { first, last } = getArgumentValues(field, node, variables);
    if (first != null && last != null) return "'first' and 'last' must not be used together";
    const size = last ?? first;
    return typeof size === 'number' && size > max ? `Connection's page size of ${size} exceeds max of ${max}` : null;
  } catch {
    // Only execution can tell what is wrong with these arguments.
    return null;
  }
}
