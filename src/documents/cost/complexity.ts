import {
  type ASTNode,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { ExecutableDocument } from '../selections.ts';
import { type LimitRules, typeOf } from './measure-definition.ts';
import { createOutputCost, createTally, type PageSize, type Tally, type Transfer, toPageSize } from './usage.ts';

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
 * Prices a valid document by the weights of its fields: each field costs one and what it selects, unless the rules say
 * otherwise. All operations add up, and a fragment counts at each spread, whatever `@skip` says. Each fragment is read once.
 * @param isOwn is this root field the gateway's? The ledger does not receive it
 */
export function measureComplexity(
  { operations, fragments }: ExecutableDocument,
  schema: GraphQLSchema,
  { fields, pageSize }: ComplexityRules,
  isOwn: (operation: OperationDefinitionNode['operation'], name: string) => boolean,
) {
  const transfers: Transfer[] = [];
  const known = new Map<string, Tally>();
  const defaults = declaredSizes(operations);
  const total = createTally();
  for (const { operation, selectionSet } of operations) {
    const root = schema.getRootType(operation) ?? null;
    add(selectionSet, root, total, (name) => !isOwn(operation, name));
  }
  const { outputNodes, numbers } = createOutputCost(transfers, total);
  return { complexity: outputNodes, numbers };

  function add(
    set: SelectionSetNode | undefined,
    type: GraphQLNamedType | null,
    to: Tally,
    isCounted: (name: string) => boolean = () => true,
  ): void {
    for (const node of set?.selections ?? []) {
      if (node.kind === Kind.FIELD) {
        if (isCounted(node.name.value)) addField(node, type, to);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        const on = node.typeCondition ? (schema.getType(node.typeCondition.name.value) ?? null) : type;
        add(node.selectionSet, on, to, isCounted);
      } else transfers.push({ from: addUp(node.name.value, isCounted), to, size: null });
    }
  }

  /** The fragments of a root type may hold the gateway's fields, which no other type has under these names. */
  function addUp(name: string, isCounted: (name: string) => boolean): Tally {
    const tally = known.get(name) ?? createTally();
    if (known.has(name)) return tally;
    known.set(name, tally);
    const fragment = fragments.get(name);
    const on = fragment && schema.getType(fragment.typeCondition.name.value);
    add(fragment?.selectionSet, on ?? null, tally, isCounted);
    return tally;
  }

  function addField(field: FieldNode, parent: GraphQLNamedType | null, to: Tally): void {
    // The ledger knows no weights of interface fields.
    const weight = isObjectType(parent) ? fields[`${parent.name}.${field.name.value}`] : undefined;
    if (weight === 'nothing') return;
    const type = typeOf(parent, field);
    if (weight === undefined) to.own += 1;
    if (weight === undefined || weight === 'selections') {
      add(field.selectionSet, type, to);
      return;
    }
    const below = { own: weight === 'lookup' ? 1 : 0, isPaged: true };
    add(field.selectionSet, type, below);
    const size = weight === 'page' ? pageOf(field) : toPageSize([], { usual: pageSize, max: null });
    transfers.push({ from: below, to, size });
  }

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
