import {
  type FieldNode,
  type GraphQLError,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { usedFragments } from '../documents/plan/plan-operation.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { executedFields } from '../graph/joins/check-waits.ts';
import type { PreparedOperation, ServedGeneration } from '../operation/prepared-operation.ts';

/** More tell nothing new. */
const maxFaults = 5;

/**
 * Finds pages that execution would refuse, the gateway for its own fields and the ledger for all others: larger than allowed, or
 * asked for from both ends.
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

/** Newer ledgers have a maximum for each field, which only they know. */
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
