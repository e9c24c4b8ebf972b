import {
  type DirectiveNode,
  type GraphQLSchema,
  isInputType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';
import type { DefinitionOutline, MeasuredDocument } from '../cost/measure-document.ts';

/**
 * Can a document of the ledger's fields alone be forwarded without further validation? Its names must be unambiguous, its
 * fragments used, its variables declared, used and of known types, its directives must have the arguments that planning
 * reads, and its aliases must not be the gateway's. Everything else about it the ledger judges in its own words.
 * @returns `false` if something is wrong: `validateDocument` then finds the words
 */
export function canForward({ document, executable, outlines }: MeasuredDocument, schema: GraphQLSchema): boolean {
  const { operations, fragmentDefinitions, fragments } = executable;
  if (document.definitions.length !== outlines.size || fragments.size !== fragmentDefinitions.length) return false;
  if (document.definitions.some((each) => 'directives' in each && each.directives?.length)) return false;
  const names = new Set(operations.map(({ name }) => name?.value));
  if (names.size !== operations.length || (operations.length > 1 && names.has(undefined))) return false;
  const reached = new Set<DefinitionOutline>();
  for (const operation of operations) {
    const used = usedBy(operation);
    if (!fitsVariables(operation, used, schema)) return false;
    for (const outline of used) reached.add(outline);
  }
  return reached.size === outlines.size && ![...reached].some(({ hasReservedAlias }) => hasReservedAlias);

  function usedBy(operation: OperationDefinitionNode): ReadonlySet<DefinitionOutline> {
    const used = new Set<DefinitionOutline>();
    const pending: DefinitionOutline[] = [outlines.get(operation) as DefinitionOutline];
    for (let next = pending.pop(); next; next = pending.pop()) {
      if (used.has(next)) continue;
      used.add(next);
      for (const { name } of next.spreads) {
        const fragment = fragments.get(name);
        const outline = fragment && outlines.get(fragment);
        if (outline) pending.push(outline);
      }
    }
    return used;
  }
}

function fitsVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  outlines: ReadonlySet<DefinitionOutline>,
  schema: GraphQLSchema,
): boolean {
  const declared = new Map(variableDefinitions.map((each) => [each.variable.name.value, each]));
  if (declared.size !== variableDefinitions.length) return false;
  for (const { type: node, defaultValue, directives } of variableDefinitions) {
    const type = typeFromAST(schema, node);
    // Its value is coerced here.
    if (directives?.length || !isInputType(type)) return false;
    if (defaultValue && valueFromAST(defaultValue, type) === undefined) return false;
  }
  const unused = new Set(declared.keys());
  for (const { variables, directives } of outlines) {
    for (const name of variables) {
      if (!declared.has(name)) return false;
      unused.delete(name);
    }
    if (!directives.every((each) => areConditions(each, declared))) return false;
  }
  return unused.size === 0;
}

/** Are they `@include` and `@skip`, at most once each, with a boolean or a variable that certainly is one? */
function areConditions(
  directives: readonly DirectiveNode[],
  declared: ReadonlyMap<string, VariableDefinitionNode>,
): boolean {
  return (
    new Set(directives.map(({ name }) => name.value)).size === directives.length &&
    directives.every(({ arguments: given = [] }) => {
      const [condition, other] = given;
      if (condition?.name.value !== 'if' || other) return false;
      const { value } = condition;
      if (value.kind !== Kind.VARIABLE) return value.kind === Kind.BOOLEAN;
      const { type, defaultValue } = declared.get(value.name.value) ?? {};
      const isRequired = type?.kind === Kind.NON_NULL_TYPE;
      const named = isRequired ? type.type : type;
      const isBoolean = named?.kind === Kind.NAMED_TYPE && named.name.value === 'Boolean';
      return isBoolean && (isRequired || defaultValue?.kind === Kind.BOOLEAN);
    })
  );
}
