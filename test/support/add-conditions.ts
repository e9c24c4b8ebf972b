import {
  type DirectiveNode,
  type FieldNode,
  type FragmentSpreadNode,
  type InlineFragmentNode,
  Kind,
  parse,
  print,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { seededRandom } from './plausible-documents.ts';

const names = ['c0', 'c1', 'c2'] as const;

/** Every combination of the variables that `addConditions` declares. */
export const conditionValues: readonly Readonly<Record<string, boolean>>[] = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) =>
  Object.fromEntries(names.map((name, index) => [name, ((bits >> index) & 1) === 1])),
);

/** Puts `@skip` and `@include` with variables on about a fifth of a document's fields and fragments, at every depth. */
export function addConditions(text: string, seed: number): string {
  const random = seededRandom(seed);
  const variable = () => ({
    kind: Kind.VARIABLE as const,
    name: { kind: Kind.NAME as const, value: names[Math.floor(random() * names.length)] ?? 'c0' },
  });
  const addTo = <Node extends FieldNode | InlineFragmentNode | FragmentSpreadNode>(node: Node): Node | undefined => {
    if (random() > 0.2) return undefined;
    const directive: DirectiveNode = {
      kind: Kind.DIRECTIVE,
      name: { kind: Kind.NAME, value: random() < 0.5 ? 'skip' : 'include' },
      arguments: [{ kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: 'if' }, value: variable() }],
    };
    return node.directives?.length ? undefined : { ...node, directives: [directive] };
  };
  const declared = names.map(
    (value): VariableDefinitionNode => ({
      kind: Kind.VARIABLE_DEFINITION,
      variable: { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value } },
      type: {
        kind: Kind.NON_NULL_TYPE,
        type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: 'Boolean' } },
      },
    }),
  );
  const conditional = visit(parse(text), { Field: addTo, InlineFragment: addTo, FragmentSpread: addTo });
  const used = new Set<string>();
  visit(conditional, { Variable: ({ name }) => void used.add(name.value) });
  return print(
    visit(conditional, {
      OperationDefinition: (node) => ({
        ...node,
        variableDefinitions: [
          ...(node.variableDefinitions ?? []),
          ...declared.filter(({ variable: { name } }) => used.has(name.value)),
        ],
      }),
    }),
  );
}
