import {
  type ASTNode,
  type FieldNode,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { type Factor, Factors, type LimitRules, type OutputCost, type PageSize, toPageSize } from './usage.ts';
import type { CountedOccurrence } from './walk-document.ts';

/** How a ledger prices documents by weights of fields, besides its limits on nodes. */
export type ComplexityRules = NonNullable<LimitRules['complexity']>;

/** The rules in force: a ledger whose schema lacks the field that came with the limit does not have the limit. */
export function complexityRules({ complexity }: LimitRules, schema: GraphQLSchema): ComplexityRules | null {
  if (!complexity) return null;
  const [typeName = '', fieldName = ''] = complexity.since.split('.');
  const type = schema.getType(typeName);
  return isObjectType(type) && Object.hasOwn(type.getFields(), fieldName) ? complexity : null;
}

/**
 * Prices a document by the weights of its fields: each field costs one and what it selects, unless the rules say otherwise. All
 * operations add up, and a fragment counts at each spread, whatever `@skip` says.
 * @param isOwn is this root field the gateway's? The ledger does not receive it
 */
export function measureComplexity(
  occurrences: readonly CountedOccurrence[],
  { fields, pageSize }: ComplexityRules,
  isOwn: (operation: OperationDefinitionNode['operation'], name: string) => boolean,
): { readonly cost: OutputCost; readonly numbers: number } {
  const factors = new Factors();
  const operations = occurrences.flatMap(({ node }) => (node.kind === Kind.OPERATION_DEFINITION ? node : []));
  const defaults = declaredSizes(operations);
  let operation: OperationDefinitionNode['operation'] | undefined;
  /** What multiplies the selections below an occurrence; none below a field without weight. */
  const below = new Map<CountedOccurrence | null, Factor>();
  for (const occurrence of occurrences) {
    const { node, parent, on, within } = occurrence;
    if (node.kind === Kind.OPERATION_DEFINITION) {
      operation = node.operation;
      below.set(occurrence, factors.once);
      continue;
    }
    const above = below.get(parent);
    if (!above) continue;
    if (node.kind !== Kind.FIELD) {
      below.set(occurrence, above);
      continue;
    }
    if (within.isRoot && operation && isOwn(operation, node.name.value)) continue;
    // The ledger knows no weights of interface fields.
    const weight = isObjectType(on) ? fields[`${on.name}.${node.name.value}`] : undefined;
    if (weight === 'nothing') continue;
    if (weight === undefined || weight === 'selections') {
      if (weight === undefined) above.nodes += 1;
      below.set(occurrence, above);
      continue;
    }
    const size = weight === 'page' ? pageOf(node) : toPageSize([], { usual: pageSize, max: null });
    const items = factors.below(above, size);
    if (weight === 'lookup') items.nodes += 1;
    below.set(occurrence, items);
  }
  return factors.toCost();

  /** Unlike the ledger's count of nodes, this limit respects the defaults that an operation declares. */
  function pageOf(field: FieldNode): PageSize {
    const page = toPageSize(field.arguments);
    const [variable = ''] = page.variables;
    return { ...page, usual: defaults.get(variable) ?? pageSize };
  }
}

/** The default values of variables that may be sizes of pages; the smallest, if several operations declare one. */
function declaredSizes(operations: readonly OperationDefinitionNode[]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { variable, defaultValue } of operations.flatMap(({ variableDefinitions = [] }) => variableDefinitions)) {
    const name = variable.name.value;
    const size = literalSize(defaultValue);
    if (size !== null) sizes.set(name, Math.min(size, sizes.get(name) ?? size));
  }
  return sizes;
}

function literalSize(value: ASTNode | undefined): number | null {
  return value?.kind === Kind.INT && !value.value.startsWith('-') ? Number(value.value) : null;
}
