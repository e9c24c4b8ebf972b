import {
  type DefinitionNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type NameNode,
  print,
  type VariableDefinitionNode,
  visit,
} from 'graphql';

export interface FoldedDocument {
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Removes duplicates from a merged request: variables with one type and value, and fragments with one content. The ledger
 * limits the bytes of a document, and a document that fits as the client sent it must still fit.
 */
export function foldDocument(
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>> | undefined,
): FoldedDocument {
  const fragments = document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  if (fragments.length < 2) return { document, variables };
  const variableNames = foldVariables(document, variables ?? {});
  const renamed = visit(document, { Variable: (node) => rename(node, variableNames) });
  const fragmentNames = foldFragments(renamed);
  const kept = renamed.definitions.filter(
    (each) => each.kind !== Kind.FRAGMENT_DEFINITION || fragmentNames.get(each.name.value) === each.name.value,
  );
  const definitions = kept.map((each): DefinitionNode => {
    const folded: DefinitionNode = visit(each, { FragmentSpread: (node) => rename(node, fragmentNames) });
    return folded.kind === Kind.OPERATION_DEFINITION
      ? { ...folded, variableDefinitions: once(folded.variableDefinitions ?? []) }
      : folded;
  });
  return {
    document: { ...document, definitions },
    variables:
      variables &&
      Object.fromEntries(Object.entries(variables).filter(([name]) => (variableNames.get(name) ?? name) === name)),
  };
}

/** Maps each variable to the first with the same type, default and value, or without a value. */
function foldVariables(document: DocumentNode, values: Readonly<Record<string, unknown>>): Map<string, string> {
  const names = new Map<string, string>();
  const first = new Map<string, string>();
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const { variable, type, defaultValue } of definition.variableDefinitions ?? []) {
      const name = variable.name.value;
      const valueText = Object.hasOwn(values, name) ? (JSON.stringify(values[name]) ?? '') : '';
      const identity = `${print(type)} ${defaultValue ? print(defaultValue) : ''} ${valueText}`;
      if (!first.has(identity)) first.set(identity, name);
      names.set(name, first.get(identity) ?? name);
    }
  }
  return names;
}

/** Maps each fragment to the first with the same content, whatever the names of nested fragments. */
function foldFragments(document: DocumentNode): Map<string, string> {
  const byName = new Map<string, FragmentDefinitionNode>();
  for (const each of document.definitions)
    if (each.kind === Kind.FRAGMENT_DEFINITION) byName.set(each.name.value, each);
  const names = new Map<string, string>();
  const first = new Map<string, string>();
  const resolve = (name: string): string => {
    const known = names.get(name);
    const fragment = byName.get(name);
    if (known !== undefined || !fragment) return known ?? name;
    // Ends the recursion for a fragment that spreads itself, although validation should have rejected it.
    names.set(name, name);
    const content = visit(fragment, {
      FragmentSpread: (node) => ({ ...node, name: { ...node.name, value: resolve(node.name.value) } }),
    });
    const identity = print({ ...content, name: { ...content.name, value: 'F' } });
    if (!first.has(identity)) first.set(identity, name);
    const standIn = first.get(identity) ?? name;
    names.set(name, standIn);
    return standIn;
  };
  for (const name of byName.keys()) resolve(name);
  return names;
}

function rename<Node extends { readonly name: NameNode }>(node: Node, names: ReadonlyMap<string, string>): Node {
  const value = names.get(node.name.value) ?? node.name.value;
  return { ...node, name: { ...node.name, value } };
}

function once(definitions: readonly VariableDefinitionNode[]): VariableDefinitionNode[] {
  return [...new Map(definitions.map((each) => [each.variable.name.value, each])).values()];
}
