import { type ExecutionResult, type FieldNode, type GraphQLError, getNamedType, isObjectType } from 'graphql';
import { collectFields, type SelectionScope } from '../documents/selections.ts';
import { isObject } from '../json/exact-json.ts';

/** The ledger's root field that reports its limits. */
export const serviceConfigField = 'serviceConfig';

/**
 * Replaces the ledger's numbers in `serviceConfig` where the gateway is stricter. Leaves the ledger's answer as it is: other
 * operations may share it.
 * @param rootFields of the operation, by response key
 * @param inForce the numbers by field name
 */
export function showInForce(
  result: ExecutionResult,
  rootFields: ReadonlyMap<string, readonly FieldNode[]>,
  inForce: Readonly<Record<string, number>>,
  scope: SelectionScope,
): ExecutionResult {
  const type = scope.schema.getType('ServiceConfig');
  const shown = new Map<string, Set<string | number>>();
  const data = result.data && { ...result.data };
  for (const [key, nodes] of rootFields) {
    const given = data?.[key];
    if (nodes[0]?.name.value !== serviceConfigField || !data || !isObject(given) || !isObjectType(type)) continue;
    const config: Record<string, unknown> = { ...given };
    data[key] = config;
    const selections = nodes.map(({ selectionSet }) => selectionSet);
    for (const [below, [node]] of collectFields(type, selections, scope)) {
      const field = type.getFields()[node?.name.value ?? ''];
      if (!field || field.args.length > 0 || !Object.hasOwn(inForce, field.name)) continue;
      const value = inForce[field.name];
      config[below] = getNamedType(field.type).name === 'BigInt' ? String(value) : value;
      shown.set(key, (shown.get(key) ?? new Set()).add(below));
    }
  }
  const isAnswered = ({ path = [] }: GraphQLError) => shown.get(String(path[0]))?.has(path[1] ?? '') ?? false;
  const { errors, ...rest } = result;
  const answered = data ? { ...rest, data } : rest;
  const others = errors?.filter((error) => !isAnswered(error)) ?? [];
  return others.length > 0 ? { ...answered, errors: others } : answered;
}
