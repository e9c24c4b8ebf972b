import {
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  isAbstractType,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
  print,
  type SelectionSetNode,
  stripIgnoredCharacters,
  TypeInfo,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Limits } from '../../limits/limits.ts';

/** Bounds of one request that a merged document has to respect: the ledger's own, whatever the gateway's are. */
export type RequestBounds = Pick<Limits, 'maxQueryNodes' | 'maxQueryPayloadSize'>;

/** The selection below one join field, ready to be asked of the ledger any number of times in one document. */
export interface JoinSelection {
  readonly fragment: FragmentDefinitionNode;
  /** Fragments of the client's document that the selection spreads, directly or not. */
  readonly clientFragments: readonly FragmentDefinitionNode[];
  readonly variables: readonly VariableDefinitionNode[];
  /** Nodes one use costs by the ledger's count: every field, inline fragment and spread, fragments at each spread. */
  readonly nodes: number;
  /** Bytes that writing it once adds to a request body, variable definitions included. */
  readonly bytes: number;
}

/** One lookup: a root field of the ledger, its arguments as literals, and which selection to read from it. */
export interface JoinLookup {
  readonly field: string;
  readonly args: Readonly<Record<string, string | number>>;
  readonly selection: JoinSelection;
}

export const joinAlias = (index: number): string => `k${index}`;

/**
 * Prepares the client's selection under a join field. `__typename` is added where a type is abstract, because the
 * stitched schema needs it to tell what it was given.
 */
export function toJoinSelection(
  name: string,
  fieldNodes: readonly FieldNode[],
  type: GraphQLCompositeType,
  ledgerSchema: GraphQLSchema,
  fragments: Readonly<Record<string, FragmentDefinitionNode>>,
  operation: OperationDefinitionNode,
): JoinSelection {
  const selections = fieldNodes.flatMap((node) => node.selectionSet?.selections ?? []);
  const bare: FragmentDefinitionNode = {
    kind: Kind.FRAGMENT_DEFINITION,
    name: { kind: Kind.NAME, value: name },
    typeCondition: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: type.name } },
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
  const used = usedFragments(bare, fragments);
  const withTypenames = [bare, ...used].map((fragment) => addTypenames(fragment, ledgerSchema));
  const [fragment = bare, ...clientFragments] = withTypenames;
  const variableNames = new Set(withTypenames.flatMap(variablesIn));
  const variables = (operation.variableDefinitions ?? []).filter(({ variable }) =>
    variableNames.has(variable.name.value),
  );
  return {
    fragment,
    clientFragments,
    variables,
    bytes: bytesOf(...withTypenames, ...variables),
    nodes: countNodes(fragment.selectionSet, new Map(clientFragments.map((each) => [each.name.value, each]))),
  };
}

/** `{"query":"query(){}","variables":{}}` and what the transport may still put around it. */
const envelopeBytes = 64;

/**
 * Cuts lookups into as few groups as the ledger's bounds on nodes and bytes allow, in order. Bytes are those of the JSON
 * body, since newer ledgers bound the whole of it; a lookup that is too large alone is left for the ledger to refuse.
 * @param sharedBytes bytes of the variables' JSON, sent with every group
 */
export function groupJoinLookups(
  lookups: readonly JoinLookup[],
  limits: RequestBounds,
  sharedBytes = 0,
): JoinLookup[][] {
  const groups: JoinLookup[][] = [];
  let nodes = 0;
  let bytes = 0;
  let written = new Set<JoinSelection>();
  for (const lookup of lookups) {
    // The lookup's own field and spread, on top of what its selection costs.
    const addedNodes = lookup.selection.nodes + 2;
    const fieldBytes = bytesOf(toAliasedField(lookup, lookups.length)) + 1;
    const addedBytes = fieldBytes + (written.has(lookup.selection) ? 0 : lookup.selection.bytes);
    const group = groups.at(-1);
    if (group && nodes + addedNodes <= limits.maxQueryNodes && bytes + addedBytes <= limits.maxQueryPayloadSize) {
      group.push(lookup);
      nodes += addedNodes;
      bytes += addedBytes;
    } else {
      groups.push([lookup]);
      written = new Set();
      nodes = addedNodes;
      bytes = envelopeBytes + sharedBytes + fieldBytes + lookup.selection.bytes;
    }
    written.add(lookup.selection);
  }
  return groups;
}

/** One query that answers every lookup, each under its `joinAlias`; a selection is written once however often it is used. */
export function toJoinDocument(lookups: readonly JoinLookup[]): DocumentNode {
  const selections = [...new Set(lookups.map((lookup) => lookup.selection))];
  const clientFragments = new Map(
    selections.flatMap((each) => each.clientFragments).map((each) => [each.name.value, each]),
  );
  const variables = new Map(
    selections.flatMap((each) => each.variables).map((each) => [each.variable.name.value, each]),
  );
  return {
    kind: Kind.DOCUMENT,
    definitions: [
      {
        kind: Kind.OPERATION_DEFINITION,
        operation: 'query' as OperationDefinitionNode['operation'],
        variableDefinitions: [...variables.values()],
        selectionSet: { kind: Kind.SELECTION_SET, selections: lookups.map(toAliasedField) },
      },
      ...selections.map((each) => each.fragment),
      ...clientFragments.values(),
    ],
  };
}

function toAliasedField({ field, args, selection }: JoinLookup, index: number): FieldNode {
  return {
    kind: Kind.FIELD,
    alias: { kind: Kind.NAME, value: joinAlias(index) },
    name: { kind: Kind.NAME, value: field },
    arguments: Object.entries(args).map(([name, value]) => ({
      kind: Kind.ARGUMENT,
      name: { kind: Kind.NAME, value: name },
      value: typeof value === 'number' ? { kind: Kind.INT, value: String(value) } : { kind: Kind.STRING, value },
    })),
    selectionSet: {
      kind: Kind.SELECTION_SET,
      selections: [{ kind: Kind.FRAGMENT_SPREAD, name: selection.fragment.name }],
    },
  };
}

/** Bytes of the nodes as they stand in a JSON body, separators included. */
function bytesOf(...nodes: readonly ASTNode[]): number {
  return nodes.reduce((sum, node) => sum + Buffer.byteLength(JSON.stringify(stripIgnoredCharacters(print(node)))), 0);
}

function usedFragments(
  root: FragmentDefinitionNode,
  fragments: Readonly<Record<string, FragmentDefinitionNode>>,
): FragmentDefinitionNode[] {
  const used = new Map<string, FragmentDefinitionNode>();
  const pending = [root];
  for (let next = pending.pop(); next; next = pending.pop()) {
    visit(next, {
      FragmentSpread({ name }) {
        const fragment = fragments[name.value];
        if (fragment && !used.has(name.value)) {
          used.set(name.value, fragment);
          pending.push(fragment);
        }
      },
    });
  }
  return [...used.values()];
}

function addTypenames(fragment: FragmentDefinitionNode, schema: GraphQLSchema): FragmentDefinitionNode {
  const typeInfo = new TypeInfo(schema);
  const typename: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };
  return visit(
    fragment,
    visitWithTypeInfo(typeInfo, {
      SelectionSet: {
        leave(node) {
          const type = typeInfo.getParentType();
          return isCompositeType(type) && isAbstractType(type)
            ? { ...node, selections: [typename, ...node.selections] }
            : undefined;
        },
      },
    }),
  );
}

function variablesIn(fragment: FragmentDefinitionNode): string[] {
  const names: string[] = [];
  visit(fragment, {
    Variable({ name }) {
      names.push(name.value);
    },
  });
  return names;
}

function countNodes(
  selectionSet: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  counted = new Map<string, number>(),
): number {
  return selectionSet.selections.reduce((sum, selection) => {
    if (selection.kind !== Kind.FRAGMENT_SPREAD) {
      return sum + 1 + (selection.selectionSet ? countNodes(selection.selectionSet, fragments, counted) : 0);
    }
    const name = selection.name.value;
    const fragment = fragments.get(name);
    let body = counted.get(name);
    if (body === undefined) {
      body = fragment ? countNodes(fragment.selectionSet, fragments, counted) : 0;
      counted.set(name, body);
    }
    return sum + 1 + body;
  }, 0);
}
