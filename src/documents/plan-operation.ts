import {
  type ASTNode,
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { OperationTree } from './document-tree.ts';
import { type Fragments, responseKey, usedFragments, walkFields, walkSelections } from './selections.ts';

/**
 * How an operation is executed, cheapest first. Each gives the answer that stitching would give.
 * - `PASS_THROUGH`: the client's text goes upstream unchanged
 * - `LOCAL`: every field is the gateway's own, executed without delegation
 * - `JOINED`: all root fields are the gateway's own, with joins into the upstream's graph beneath them: compiled, then one
 *   request upstream fills the joins in. What cannot be compiled is stitched
 * - `SPLIT`: one document for each owner, side by side, merged by root key
 * - `STITCHED`: anything unusual, delegated by the stitching library
 */
export type Plan = 'PASS_THROUGH' | 'LOCAL' | 'JOINED' | 'SPLIT' | 'STITCHED';

/** The plan as clients see it: joining is stitching, only faster. */
export function toShownPlan(plan: Plan): Exclude<Plan, 'JOINED'> {
  return plan === 'JOINED' ? 'STITCHED' : plan;
}

/** Which part of the graph is the gateway's own, and which is the upstream's. */
export interface Ownership {
  /** The owner of a root field; `null` if only stitching can answer it. */
  readonly ownerOf: (operation: OperationDefinitionNode['operation'], field: string) => 'own' | 'upstream' | null;
  /** The gateway's own schema. A field beneath an own root field that this schema lacks is a join. */
  readonly ownSchema: GraphQLSchema;
  /** Do the upstream's root types have the names that clients see? If not, `__typename` must not be forwarded. */
  readonly hasUsualRootNames: boolean;
}

export interface OperationPlan {
  readonly plan: Plan;
  /** The document holds only this operation and the fragments it uses, so its text can be forwarded unchanged. */
  readonly isWhole: boolean;
  /** Directives decide which root fields there are. */
  readonly isConditional: boolean;
  /** The client's text can be sent to the ledger unchanged, whatever the variables. */
  readonly isForwarded: boolean;
  /** Mutations of ours that it asks for: each reserves, executes or the like. 0 for queries and subscriptions. */
  readonly ownMutations: number;
}

export function planOperation(tree: OperationTree, ownership: Ownership): OperationPlan {
  const { document, operation, fragments } = tree;
  const plan = choosePlan(tree, ownership);
  const isWhole = document.definitions.length === 1 + usedFragments(operation.selectionSet, fragments).length;
  // Directives at the root let variables decide which root fields are executed.
  const isConditional = rootSelections(operation, fragments).some(({ directives }) => directives?.length);
  return {
    plan,
    isWhole,
    isConditional,
    isForwarded: plan === 'PASS_THROUGH' && isWhole && !isConditional,
    ownMutations: operation.operation === 'mutation' ? countOwnRootFields(tree, ownership) : 0,
  };
}

/**
 * Chooses the plan by the text alone: fields that `@skip` or `@include` may leave out count as selected, since every plan can
 * serve them. Anything unusual is stitched.
 */
function choosePlan({ operation, fragments }: OperationTree, ownership: Ownership): Plan {
  if (asksForSchema(operation.selectionSet, fragments)) return 'STITCHED';
  const names = rootFieldNames(operation, fragments);
  const owners = new Set<ReturnType<Ownership['ownerOf']>>();
  for (const name of names) if (name !== '__typename') owners.add(ownership.ownerOf(operation.operation, name));
  if (owners.has(null)) return 'STITCHED';
  const hasJoins = owners.has('own') && selectsJoin(operation, fragments, ownership);
  if (operation.operation === 'subscription') {
    // A subscription has one root field.
    if (owners.has('upstream')) return 'PASS_THROUGH';
    return hasJoins ? 'STITCHED' : 'LOCAL';
  }
  if (!owners.has('own')) {
    if (owners.size === 0) return 'LOCAL';
    return names.has('__typename') && !ownership.hasUsualRootNames ? 'STITCHED' : 'PASS_THROUGH';
  }
  if (!owners.has('upstream')) return hasJoins ? 'JOINED' : 'LOCAL';
  // Mutations must run one after the other, even if they have different owners.
  return hasJoins || operation.operation !== 'query' ? 'STITCHED' : 'SPLIT';
}

/** Names, not aliases, of the fields at the root, through fragments. */
export function rootFieldNames(operation: OperationDefinitionNode, fragments: Fragments): Set<string> {
  return new Set(rootFields(operation, fragments).map(({ name }) => name.value));
}

/** Counts our fields at the root, each response key once, including those that `@skip` or `@include` may leave out. */
function countOwnRootFields({ operation, fragments }: OperationTree, { ownerOf }: Pick<Ownership, 'ownerOf'>): number {
  const fields = rootFields(operation, fragments);
  const own = fields.filter(({ name }) => ownerOf(operation.operation, name.value) === 'own');
  return new Set(own.map(responseKey)).size;
}

function rootFields(operation: OperationDefinitionNode, fragments: Fragments): FieldNode[] {
  return rootSelections(operation, fragments).filter((selection) => selection.kind === Kind.FIELD);
}

/** All selections at the root, those of each fragment once. */
function rootSelections({ selectionSet }: OperationDefinitionNode, fragments: Fragments): SelectionNode[] {
  const selections: SelectionNode[] = [];
  const isIncluded = (selection: SelectionNode) => selections.push(selection) > 0;
  walkFields([{ selectionSet, on: null }], fragments, { isIncluded, onField: () => {} });
  return selections;
}

/** Does an own root field lead to a field that the gateway's own schema lacks? */
function selectsJoin(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  { ownSchema, ownerOf }: Ownership,
): boolean {
  const root = ownSchema.getRootType(operation.operation);
  const reached = new Set<string>();
  const pending: [SelectionSetNode, GraphQLNamedType | null | undefined][] = [[operation.selectionSet, root]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [selectionSet, type] = next;
    for (const selection of selectionSet.selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = reached.has(selection.name.value) ? undefined : fragments.get(selection.name.value);
        reached.add(selection.name.value);
        // A fragment on an upstream type can only occur below upstream fields, which are skipped.
        if (fragment) pending.push([fragment.selectionSet, ownSchema.getType(fragment.typeCondition.name.value)]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const on = selection.typeCondition ? ownSchema.getType(selection.typeCondition.name.value) : type;
        pending.push([selection.selectionSet, on]);
      } else if (selection.name.value !== '__typename') {
        if (type === root && ownerOf(operation.operation, selection.name.value) === 'upstream') continue;
        const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[selection.name.value] : undefined;
        if (!field) return true;
        if (selection.selectionSet) pending.push([selection.selectionSet, getNamedType(field.type)]);
      }
    }
  }
  return false;
}

/** Asks for `__schema` or `__type`, at any depth: an owner would show its own schema, not the whole graph. */
function asksForSchema(selectionSet: SelectionSetNode, fragments: Fragments): boolean {
  let isAsked = false;
  walkSelections(selectionSet, fragments, (selection) => {
    isAsked ||= selection.kind === Kind.FIELD && /^__(?:schema|type)$/.test(selection.name.value);
    return !isAsked;
  });
  return isAsked;
}

/** One owner's part of an operation, as a document of its own. */
export interface DocumentPart {
  readonly document: DocumentNode;
  /** Names of the variables it declares; only these are sent with it. */
  readonly variables: ReadonlySet<string>;
}

/**
 * Takes the root fields of one owner from an operation. Fragments spread at the root are inlined, since they may mix owners;
 * fragments further down are kept if they are still used.
 * @param isKept decides by a root field's name, not its alias
 */
export function takePart(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  isKept: (field: string) => boolean,
): DocumentPart {
  const selectionSet = prune(operation.selectionSet, fragments, isKept);
  const used = usedFragments(selectionSet, fragments);
  const variables = new Set([selectionSet, ...used].flatMap(variablesIn));
  const definitions: DefinitionNode[] = [
    {
      ...operation,
      selectionSet,
      variableDefinitions: (operation.variableDefinitions ?? []).filter(({ variable }) =>
        variables.has(variable.name.value),
      ),
    },
    ...used,
  ];
  return { document: { kind: Kind.DOCUMENT, definitions }, variables };
}

export function variablesOf(part: DocumentPart, sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const declared: Record<string, unknown> = {};
  for (const name of part.variables) if (Object.hasOwn(sent, name)) putVariable(declared, name, sent[name]);
  return declared;
}

function prune(
  { selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  isKept: (field: string) => boolean,
): SelectionSetNode {
  const kept = selections.flatMap((selection): SelectionNode[] => {
    if (selection.kind === Kind.FIELD) return isKept(selection.name.value) ? [selection] : [];
    const source = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
    const inner = source && prune(source.selectionSet, fragments, isKept);
    if (!inner || inner.selections.length === 0) return [];
    const { directives } = selection;
    return [{ kind: Kind.INLINE_FRAGMENT, ...(directives ? { directives } : {}), selectionSet: inner }];
  });
  return { kind: Kind.SELECTION_SET, selections: kept };
}

/** Names of the variables in a part of a document, with repetitions. */
export function variablesIn(node: ASTNode): string[] {
  const names: string[] = [];
  visit(node, {
    Variable({ name }) {
      names.push(name.value);
    },
  });
  return names;
}

/**
 * Sets a variable's value. A variable may be called `__proto__`, which plain assignment would make the prototype; an object
 * without a prototype is slower to read.
 */
export function putVariable(values: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') values[name] = value;
  else Object.defineProperty(values, name, { value, enumerable: true, configurable: true, writable: true });
}
