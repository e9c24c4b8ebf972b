import {
  type DefinitionNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { usedFragments } from '../selections.ts';

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

/** The sent variables that a part declares. */
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

function variablesIn(node: SelectionSetNode | FragmentDefinitionNode): string[] {
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
