import {
  type DocumentNode,
  type FieldNode,
  type GraphQLResolveInfo,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';

type Variables = Readonly<Record<string, unknown>>;

/** The client's text of a delegated root field, and its operation. */
export type DelegatedField = Pick<GraphQLResolveInfo, 'fieldNodes' | 'operation' | 'variableValues'>;

/** Matches a name in merged requests: the stitching library prefixes it with the number of the request. */
const mergedName = /^_v(\d+)_(.*)$/s;

/**
 * Restores the client's arguments of delegated root fields, and the used variables of the client. Delegation turns every
 * argument into a variable with a new name, which the ledger's error messages would show to clients.
 * @param fields one for each merged request, in order; for a request that was not merged, its own
 */
export function toClientNames(
  document: DocumentNode,
  given: Variables,
  fields: readonly DelegatedField[],
): { readonly document: DocumentNode; readonly variables: Variables } {
  const [first] = fields;
  if (!first) return { document, variables: given };
  const own = new Map((first.operation.variableDefinitions ?? []).map((each) => [each.variable.name.value, each]));
  const toOwn = (name: string): string => {
    const unmerged = mergedName.exec(name)?.[2] ?? name;
    return own.has(unmerged) ? unmerged : name;
  };
  const renamed = visit(document, {
    VariableDefinition: () => false,
    Variable: (node) => ({ ...node, name: { ...node.name, value: toOwn(node.name.value) } }),
  });
  // Restore arguments only after renaming: the client may use variable names like those of merging.
  const restored = mapOperations(renamed, (operation) => withClientArguments(operation, fields));

  const used = new Set<string>();
  visit(restored, { VariableDefinition: () => false, Variable: ({ name }) => void used.add(name.value) });
  const variables: Record<string, unknown> = Object.create(null);
  for (const name of used) {
    const source = own.has(name) ? first.variableValues : given;
    if (Object.hasOwn(source, name)) variables[name] = source[name];
  }
  // Declares the used variables: the client's as the client declared them, others as given.
  const declared = mapOperations(restored, (operation) => {
    const made = (operation.variableDefinitions ?? []).filter(
      ({ variable: { name } }) => used.has(name.value) && !own.has(name.value),
    );
    return { ...operation, variableDefinitions: [...[...own.values()].filter(isUsed), ...made] };
  });
  return { document: declared, variables };

  function isUsed({ variable }: VariableDefinitionNode): boolean {
    return used.has(variable.name.value);
  }
}

function mapOperations(
  document: DocumentNode,
  map: (operation: OperationDefinitionNode) => OperationDefinitionNode,
): DocumentNode {
  const definitions = document.definitions.map((each) => (each.kind === Kind.OPERATION_DEFINITION ? map(each) : each));
  return { ...document, definitions };
}

function withClientArguments(
  operation: OperationDefinitionNode,
  fields: readonly DelegatedField[],
): OperationDefinitionNode {
  const selections = operation.selectionSet.selections.map((selection): SelectionNode => {
    if (selection.kind !== Kind.FIELD) return selection;
    const node = clientNodeOf(selection, fields);
    return node ? { ...selection, arguments: node.arguments ?? [] } : selection;
  });
  return { ...operation, selectionSet: { ...operation.selectionSet, selections } };
}

function clientNodeOf({ alias, name }: FieldNode, fields: readonly DelegatedField[]): FieldNode | undefined {
  const merged = mergedName.exec(alias?.value ?? '')?.[1];
  const node = fields[fields.length === 1 ? 0 : Number(merged)]?.fieldNodes[0];
  return node?.name.value === name.value ? node : undefined;
}
