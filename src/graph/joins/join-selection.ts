import {
  type ASTNode,
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
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** The selection below one join field, ready to be asked of the ledger any number of times in one document. */
export interface JoinSelection {
  /** Name of the fragment that holds it. */
  readonly name: string;
  /** The fragment's text without its name: two selections of one document with the same body are the same. */
  readonly body: string;
  /** Definitions by name: the fragment itself, and the client's fragments it spreads, directly or not. */
  readonly fragments: ReadonlyMap<string, string>;
  /** Definitions of the variables it uses, by name. */
  readonly variables: ReadonlyMap<string, string>;
  /** Nodes one use costs by the ledger's count: every field, inline fragment and spread, fragments at each spread. */
  readonly nodes: number;
  /** Bytes that writing it once adds to a request body, variable definitions included. */
  readonly bytes: number;
}

/** The client's document, from which a selection is taken. */
export interface JoinSource {
  readonly operation: OperationDefinitionNode;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
}

/**
 * Prepares the client's selection under a join field.
 * @param name of the new fragment that holds it; no fragment of the client may have this name
 * @param typenames the schema by which to add `__typename` to selections on abstract types, since stitching needs it;
 *   `null` adds none
 */
export function toJoinSelection(
  name: string,
  fieldNodes: readonly FieldNode[],
  type: GraphQLCompositeType,
  { operation, fragments }: JoinSource,
  typenames: GraphQLSchema | null,
): JoinSelection {
  const selections = fieldNodes.flatMap((node) => node.selectionSet?.selections ?? []);
  const bare: FragmentDefinitionNode = {
    kind: Kind.FRAGMENT_DEFINITION,
    name: { kind: Kind.NAME, value: name },
    typeCondition: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: type.name } },
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
  const definitions = [bare, ...usedFragments(bare, fragments)].map((each) =>
    typenames ? addTypenames(each, typenames) : each,
  );
  const variableNames = new Set(definitions.flatMap(variablesIn));
  const variables = (operation.variableDefinitions ?? []).filter(({ variable }) =>
    variableNames.has(variable.name.value),
  );
  const texts = new Map(definitions.map((each) => [each.name.value, toText(each)]));
  const variableTexts = new Map(variables.map((each) => [each.variable.name.value, toText(each)]));
  const [fragment = bare, ...clientFragments] = definitions;
  return {
    name,
    body: toText({ ...fragment, name: { kind: Kind.NAME, value: '_' } }),
    fragments: texts,
    variables: variableTexts,
    bytes: [...texts.values(), ...variableTexts.values()].reduce((sum, text) => sum + jsonBytes(text), 0),
    nodes: countNodes(fragment.selectionSet, new Map(clientFragments.map((each) => [each.name.value, each]))),
  };
}

/**
 * One for all fields with the same selection, so that lookups they have in common are asked once.
 * @param known by their bodies; takes up a new one
 */
export function shareSelection(known: Map<string, JoinSelection>, made: JoinSelection): JoinSelection {
  const shared = known.get(made.body) ?? made;
  known.set(made.body, shared);
  return shared;
}

const toText = (node: ASTNode): string => stripIgnoredCharacters(print(node));

/** Bytes of a text as it stands in a JSON body, quotes or separators included. */
export const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));

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
