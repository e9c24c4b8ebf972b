import {
  type ASTNode,
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
import { putVariable } from './cost/usage.ts';
import type { OperationTree } from './document-tree.ts';
import {
  type Fragments,
  responseKey,
  type TypedSelections,
  usedFragments,
  walkFields,
  walkSelections,
} from './selections.ts';

/**
 * How an operation is executed, as clients and the log see it.
 * - `PASS_THROUGH`: the client's text goes upstream unchanged
 * - `LOCAL`: every field is the gateway's own
 * - `SPLIT`: one document for each owner, side by side, merged by root key
 * - `STITCHED`: anything else, such as joins, introspection, and mutations of both owners
 */
export type Plan = 'PASS_THROUGH' | 'LOCAL' | 'SPLIT' | 'STITCHED';

/** The parts that an operation has: one owner's, both side by side, one for each root key in series, or a stream. */
export type PartsKind = 'upstream' | 'own' | 'both' | 'steps' | 'stream';

/** Which part of the graph is the gateway's own, and which is the upstream's. */
export interface Ownership {
  /** The owner of a root field; `amended` if the gateway changes the upstream's answer; `null` if the field is not offered. */
  readonly ownerOf: (
    operation: OperationDefinitionNode['operation'],
    field: string,
  ) => 'own' | 'upstream' | 'amended' | null;
  /** The gateway's own schema. A field beneath an own root field that this schema lacks is a join. */
  readonly ownSchema: GraphQLSchema;
  /** Do the upstream's root types have the names that clients see? If not, `__typename` must not be forwarded. */
  readonly hasUsualRootNames: boolean;
}

export interface OperationPlan {
  readonly plan: Plan;
  readonly partsKind: PartsKind;
  readonly hasJoins: boolean;
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
  const selected = readOwners(tree, ownership);
  const plan = choosePlan(tree, selected);
  const isWhole = document.definitions.length === 1 + usedFragments(operation.selectionSet, fragments).length;
  // Directives at the root let variables decide which root fields are executed.
  const isConditional = rootSelections(operation, fragments).some(({ directives }) => directives?.length);
  return {
    plan,
    partsKind: chooseParts(operation, selected),
    hasJoins: selected.hasJoins,
    isWhole,
    isConditional,
    isForwarded: plan === 'PASS_THROUGH' && isWhole && !isConditional,
    ownMutations: operation.operation === 'mutation' ? countOwnRootFields(tree, ownership) : 0,
  };
}

interface SelectedOwners {
  readonly owners: ReadonlySet<ReturnType<Ownership['ownerOf']>>;
  /** Selects `__typename` at the root, where the upstream must not answer it. */
  readonly hasOurTypename: boolean;
  readonly hasIntrospection: boolean;
  readonly hasJoins: boolean;
}

const introspection: ReadonlySet<string> = new Set(['__schema', '__type']);

/** Reads the text alone: fields that `@skip` or `@include` may leave out count as selected. */
function readOwners({ operation, fragments }: OperationTree, ownership: Ownership): SelectedOwners {
  const { ownSchema, ownerOf, hasUsualRootNames } = ownership;
  const type = operation.operation;
  const names = rootFieldNames(operation, fragments);
  const owners = new Set<ReturnType<Ownership['ownerOf']>>();
  for (const name of names) if (!name.startsWith('__')) owners.add(ownerOf(type, name));
  const root = ownSchema.getRootType(type);
  const isNotOurs = (on: unknown, name: string) => on === root && ownerOf(type, name) !== 'own';
  const starts = [{ selectionSet: operation.selectionSet, on: root }];
  return {
    owners,
    hasOurTypename: names.has('__typename') && !hasUsualRootNames,
    hasIntrospection: [...introspection].some((name) => names.has(name)),
    hasJoins: owners.has('own') && selectsJoin(starts, fragments, ownSchema, isNotOurs),
  };
}

function choosePlan({ operation, fragments }: OperationTree, selected: SelectedOwners): Plan {
  const { owners, hasOurTypename, hasJoins } = selected;
  const isUnusual = owners.has(null) || owners.has('amended') || hasJoins;
  if (isUnusual || asksForSchema(operation.selectionSet, fragments)) return 'STITCHED';
  if (!owners.has('upstream')) return 'LOCAL';
  // A subscription has one root field.
  if (!owners.has('own')) return hasOurTypename && operation.operation !== 'subscription' ? 'STITCHED' : 'PASS_THROUGH';
  return operation.operation === 'query' ? 'SPLIT' : 'STITCHED';
}

function chooseParts({ operation }: OperationDefinitionNode, selected: SelectedOwners): PartsKind {
  const { owners, hasOurTypename, hasIntrospection } = selected;
  if (operation === 'subscription') return 'stream';
  if (!owners.has('upstream') && !owners.has('amended')) return 'own';
  if (!owners.has('own') && !hasOurTypename && !hasIntrospection) return 'upstream';
  // Mutations must run one after the other, even if they have different owners.
  return operation === 'mutation' ? 'steps' : 'both';
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

/**
 * Do selections lead to a field that the gateway's own schema lacks? Visits each fragment once.
 * @param isSkipped skips a field of the starting selections
 */
export function selectsJoin(
  starts: readonly TypedSelections<GraphQLNamedType | null | undefined>[],
  fragments: Fragments,
  ownSchema: GraphQLSchema,
  isSkipped: (type: GraphQLNamedType | null | undefined, field: string) => boolean = () => false,
): boolean {
  const reached = new Set<string>();
  const pending = [...starts];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { selectionSet, on: type } = next;
    for (const selection of selectionSet?.selections ?? []) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = reached.has(selection.name.value) ? undefined : fragments.get(selection.name.value);
        reached.add(selection.name.value);
        // A fragment on an upstream type can only occur below upstream fields, which are skipped.
        if (fragment)
          pending.push({
            selectionSet: fragment.selectionSet,
            on: ownSchema.getType(fragment.typeCondition.name.value),
          });
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const on = selection.typeCondition ? ownSchema.getType(selection.typeCondition.name.value) : type;
        pending.push({ selectionSet: selection.selectionSet, on });
      } else if (selection.name.value !== '__typename' && !isSkipped(type, selection.name.value)) {
        const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[selection.name.value] : undefined;
        if (!field) return true;
        pending.push({ selectionSet: selection.selectionSet, on: getNamedType(field.type) });
      }
    }
  }
  return false;
}

/** Asks for `__schema` or `__type`, at any depth: an owner would show its own schema, not the whole graph. */
function asksForSchema(selectionSet: SelectionSetNode, fragments: Fragments): boolean {
  let isAsked = false;
  walkSelections(selectionSet, fragments, (selection) => {
    isAsked ||= selection.kind === Kind.FIELD && introspection.has(selection.name.value);
    return !isAsked;
  });
  return isAsked;
}

/** One owner's part of an operation, as a document of its own. */
export interface DocumentPart {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Names of the variables it declares; only these are sent with it. */
  readonly variables: ReadonlySet<string>;
}

/**
 * Takes the root fields of one owner from an operation. Fragments spread at the root are inlined, since they may mix owners;
 * fragments further down are kept if they are still used.
 * @param isKept decides by a root field
 */
export function takePart(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  isKept: (field: FieldNode) => boolean,
): DocumentPart {
  const selectionSet = prune(operation.selectionSet, fragments, isKept);
  const used = usedFragments(selectionSet, fragments);
  const variables = new Set([selectionSet, ...used].flatMap(variablesIn));
  const declared = (operation.variableDefinitions ?? []).filter(({ variable }) => variables.has(variable.name.value));
  const part = { ...operation, selectionSet, variableDefinitions: declared };
  return { document: { kind: Kind.DOCUMENT, definitions: [part, ...used] }, operation: part, variables };
}

export function variablesOf(
  part: Pick<DocumentPart, 'variables'>,
  sent: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const declared: Record<string, unknown> = {};
  for (const name of part.variables) if (Object.hasOwn(sent, name)) putVariable(declared, name, sent[name]);
  return declared;
}

function prune(
  { selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  isKept: (field: FieldNode) => boolean,
): SelectionSetNode {
  const kept = selections.flatMap((selection): SelectionNode[] => {
    if (selection.kind === Kind.FIELD) return isKept(selection) ? [selection] : [];
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
