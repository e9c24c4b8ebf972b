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

/** How the client wrote a delegated root field, and in which operation. */
export type DelegatedField = Pick<GraphQLResolveInfo, 'fieldNodes' | 'operation' | 'variableValues'>;

/** A name in merged requests: the stitching library puts the number of the request before it. */
const mergedName = /^_v(\d+)_(.*)$/s;

/**
 * Restores the client's arguments of delegated root fields, and the client's names of variables. Delegation makes every argument
 * a variable with a new name, which the ledger's error messages would show to clients.
 * @param fields one for each merged request, in order; for a request that was not merged, its own
 */
export function toClientWords(
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
  // Restore arguments only after renaming: the client may use variable names like those of merging.
  const renamed = visit(document, {
    VariableDefinition: () => false,
    Variable: (node) => ({ ...node, name: { ...node.name, value: toOwn(node.name.value) } }),
  });
  const restored = {
    ...renamed,
    definitions: renamed.definitions.map((each) =>
      each.kind === Kind.OPERATION_DEFINITION ? withClientArguments(each, fields) : each,
    ),
  };
  return declareUsed(restored, given, own, first.variableValues);
}

function withClientArguments(
  operation: OperationDefinitionNode,
  fields: readonly DelegatedField[],
): OperationDefinitionNode {
  const selections = operation.selectionSet.selections.map((selection): SelectionNode => {
    const node = selection.kind === Kind.FIELD ? clientNodeOf(selection, fields) : undefined;
    return node ? { ...(selection as FieldNode), arguments: node.arguments ?? [] } : selection;
  });
  return { ...operation, selectionSet: { ...operation.selectionSet, selections } };
}

function clientNodeOf({ alias, name }: FieldNode, fields: readonly DelegatedField[]): FieldNode | undefined {
  const merged = mergedName.exec(alias?.value ?? '')?.[1];
  const index = fields.length === 1 ? 0 : Number(merged);
  const node = fields[index]?.fieldNodes[0];
  return node?.name.value === name.value ? node : undefined;
}

/** Declares and sends only variables that are used: the client's as declared and sent, others as given. */
function declareUsed(
  document: DocumentNode,
  given: Variables,
  own: ReadonlyMap<string, VariableDefinitionNode>,
  values: Variables,
) {
  const used = new Set<string>();
  visit(document, {
    VariableDefinition: () => false,
    Variable: ({ name }) => {
      used.add(name.value);
    },
  });
  const variables: Record<string, unknown> = Object.create(null);
  for (const name of used) {
    const source = own.has(name) ? values : given;
    if (Object.hasOwn(source, name)) variables[name] = source[name];
  }
  const declare = (operation: OperationDefinitionNode): OperationDefinitionNode => {
    const made = (operation.variableDefinitions ?? []).filter(
      ({ variable: { name } }) => used.has(name.value) && !own.has(name.value),
    );
    const clients = [...own].flatMap(([name, definition]) => (used.has(name) ? [definition] : []));
    return { ...operation, variableDefinitions: [...clients, ...made] };
  };
  const definitions = document.definitions.map((each) =>
    each.kind === Kind.OPERATION_DEFINITION ? declare(each) : each,
  );
  return { document: { ...document, definitions }, variables };
}
