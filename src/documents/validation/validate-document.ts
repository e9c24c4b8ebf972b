import {
  type ASTVisitor,
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  GraphQLNonNull,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInputType,
  isNonNullType,
  Kind,
  NoUnusedVariablesRule,
  type OperationDefinitionNode,
  OverlappingFieldsCanBeMergedRule,
  type SelectionNode,
  type SelectionSetNode,
  SingleFieldSubscriptionsRule,
  specifiedRules,
  TypeInfo,
  type ValidationContext,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  type VariableNode,
  VariablesInAllowedPositionRule,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { gatewayError } from '../../errors/gateway-error.ts';
import { type ExecutableDocument, fieldsByKey, fragmentsOf, responseKey, walkSelections } from '../selections.ts';
import { type IntrospectionExcess, maxTimesStandard, measureAskedIntrospection } from './introspection-size.ts';

/**
 * Prefix of the gateway's own aliases, under which joins read their keys. GraphQL reserves names that begin with two
 * underscores, so clients have no reason to use it.
 */
export const reservedAliasPrefix = '__join';

/** Rejects aliases of clients that could replace the gateway's own. */
export const ReservedAliasRule: ValidationRule = (context) => ({
  Field(node) {
    if (!node.alias?.value.startsWith(reservedAliasPrefix)) return;
    const message = `The alias "${node.alias.value}" is reserved: choose one that does not begin with "${reservedAliasPrefix}".`;
    context.reportError(new GraphQLError(message, { nodes: node }));
  },
});

/** The specification's rule against unused variables, with the ledger's message. */
const UnusedVariablesRule: ValidationRule = (context) => ({
  OperationDefinition: {
    leave(operation) {
      const used = new Set(context.getRecursiveVariableUsages(operation).map(({ node }) => node.name.value));
      const by = operation.name ? ` by operation "${operation.name.value}"` : '';
      for (const definition of operation.variableDefinitions ?? []) {
        const name = definition.variable.name.value;
        if (used.has(name)) continue;
        context.reportError(new GraphQLError(`Variable "$${name}" is not used${by}`, { nodes: definition }));
      }
    },
  },
});

/**
 * The specification's rule that a subscription has one root field, without directives that could leave it out. The rule of
 * graphql-js throws on these.
 */
function SubscriptionRootRule(context: ValidationContext): ASTVisitor {
  const { OperationDefinition: checkCount } = SingleFieldSubscriptionsRule(context) as {
    readonly OperationDefinition: (operation: OperationDefinitionNode) => void;
  };
  return {
    OperationDefinition(operation) {
      if (operation.operation !== 'subscription') return;
      const nodes: DirectiveNode[] = [];
      walkSelections(operation.selectionSet, fragmentsOf(context.getDocument()), (selection) => {
        nodes.push(...(selection.directives ?? []).filter(({ name }) => /^(skip|include)$/.test(name.value)));
        return selection.kind !== Kind.FIELD;
      });
      if (nodes.length === 0) return checkCount(operation);
      const message = 'A subscription must not have `@skip` or `@include` at its root field.';
      context.reportError(new GraphQLError(message, { nodes }));
    },
  };
}

/** Names of a path that are shown; the line number locates the rest. */
const maxShownNames = 8;

/**
 * The specification's rule about literal values, with messages that also name the argument, or the variable whose default it
 * is. Names come from the schema: a name cut from the text would keep the whole text in memory.
 */
function LiteralValuesRule(context: ValidationContext): ASTVisitor {
  let argument: string | null = null;
  let variable: string | null = null;
  const below: string[] = [];

  const reportError = (error: GraphQLError): void => {
    const { message, nodes = null, originalError = null, extensions } = error;
    const path = argument === null ? null : [argument, ...below].slice(0, maxShownNames).join('.');
    const about = path === null ? `Variable "$${variable}"` : `Argument "${path}"`;
    const facts = path === null ? extensions : { ...extensions, argument: path };
    context.reportError(new GraphQLError(`${about}: ${message}`, { nodes, originalError, extensions: facts }));
  };
  const { ObjectField: checkField, ...checks } = ValuesOfCorrectTypeRule(
    Object.create(context, { reportError: { value: reportError } }),
  ) as ASTVisitor & { readonly ObjectField: (...visited: unknown[]) => unknown };

  return {
    ...checks,
    VariableDefinition(node) {
      variable = node.variable.name.value;
    },
    Argument: {
      enter() {
        argument = context.getArgument()?.name ?? null;
      },
      leave() {
        argument = null;
      },
    },
    ObjectField: {
      enter(node, ...more) {
        // An unknown field is reported on the whole object, by its name.
        checkField(node, ...more);
        const type = getNamedType(context.getParentInputType());
        below.push((isInputObjectType(type) && type.getFields()[node.name.value]?.name) || '?');
      },
      leave() {
        below.pop();
      },
    },
  };
}

/**
 * The specification's rule that a variable must have the type of the position in which it is used, with one exception: where our
 * schema takes an id of the ledger as a String, the variable may be declared with the ledger's own scalar.
 */
function createVariablePositionsRule(idInputs: IdInputs): ValidationRule {
  return (context) => {
    const schema = context.getSchema();
    // Found once for the document, because many operations may use one large fragment.
    let idUses: IdUses | null = null;

    const getRecursiveVariableUsages = (operation: OperationDefinitionNode) => {
      const usages = context.getRecursiveVariableUsages(operation);
      const declared = idVariables(operation, idInputs);
      if (declared.size === 0) return usages;
      idUses ??= findIdUses(context.getDocument().definitions, schema, idInputs);
      const found = idUses;
      return usages.map((usage) => {
        const scalar = declared.get(usage.node.name.value);
        const type = scalar !== undefined && found.get(usage.node)?.has(scalar) ? schema.getType(scalar) : undefined;
        if (!isInputType(type)) return usage;
        return { ...usage, type: isNonNullType(usage.type) ? new GraphQLNonNull(type) : type };
      });
    };
    return VariablesInAllowedPositionRule(
      Object.create(context, {
        getRecursiveVariableUsages: { value: getRecursiveVariableUsages },
      }) as ValidationContext,
    );
  };
}

/**
 * Our inputs that take an id of the ledger, as `Type.member`, with the ledger's scalars for such an id. The inputs are of type
 * String, but a variable may also be declared with such a scalar, so that one variable serves the fields of both.
 */
export type IdInputs = ReadonlyMap<string, ReadonlySet<string>>;

/** Variables used where an id is taken, and the scalars that they may be declared with there. */
type IdUses = ReadonlyMap<VariableNode, ReadonlySet<string>>;

function findIdUses(definitions: readonly DefinitionNode[], schema: GraphQLSchema, idInputs: IdInputs): IdUses {
  const uses = new Map<VariableNode, ReadonlySet<string>>();
  const typeInfo = new TypeInfo(schema);
  const look = visitWithTypeInfo(typeInfo, {
    ObjectField({ name, value }) {
      if (value.kind !== Kind.VARIABLE) return;
      const taken = idInputs.get(`${getNamedType(typeInfo.getParentInputType())?.name}.${name.value}`);
      if (taken) uses.set(value, taken);
    },
  });
  for (const each of definitions) visit(each, look);
  return uses;
}

/**
 * The variables of an operation that are declared with one of the ledger's scalars for ids, by name. A variable whose default
 * is not a string is left out: the default could not be read as a String.
 */
function idVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  idInputs: IdInputs,
): ReadonlyMap<string, string> {
  const scalars = new Set([...idInputs.values()].flatMap((taken) => [...taken]));
  const declared = new Map<string, string>();
  for (const { variable, type, defaultValue } of variableDefinitions) {
    const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
    if (named.kind !== Kind.NAMED_TYPE || !scalars.has(named.name.value)) continue;
    if (defaultValue && defaultValue.kind !== Kind.STRING && defaultValue.kind !== Kind.NULL) continue;
    declared.set(variable.name.value, named.name.value);
  }
  return declared;
}

const none: ReadonlySet<string> = new Set();

/** Names of the variables that an operation declares with a scalar of the ledger and uses where we take a String. */
export function findTextVariables(
  operation: OperationDefinitionNode,
  fragments: readonly DefinitionNode[],
  schema: GraphQLSchema,
  idInputs: IdInputs,
): ReadonlySet<string> {
  const declared = idVariables(operation, idInputs);
  if (declared.size === 0) return none;
  const texts = new Set<string>();
  for (const [{ name }, scalars] of findIdUses([operation, ...fragments], schema, idInputs)) {
    if (scalars.has(declared.get(name.value) ?? '')) texts.add(name.value);
  }
  return texts;
}

export interface ValidationOptions {
  readonly schema: GraphQLSchema;
  /** Additional rules beside those of the specification. */
  readonly rules: readonly ValidationRule[];
  /** Messages suggest no names of the schema, which would reveal it while introspection is off. */
  readonly hidesSuggestions: boolean;
  /** Inputs whose variables may be declared with a scalar of the ledger instead of String. Left out: none. */
  readonly idInputs?: IdInputs;
}

/**
 * Errors reported for a document, before a last one that says there are more. Searching the schema for a similar name takes
 * half a millisecond per error.
 */
export const maxErrors = 10;

const noIdInputs: IdInputs = new Map();

/** Our rules that replace the specification's: they find the same and report it better. */
const ownRules: ReadonlyMap<ValidationRule, ValidationRule> = new Map([
  [NoUnusedVariablesRule, UnusedVariablesRule],
  [ValuesOfCorrectTypeRule, LiteralValuesRule],
  [SingleFieldSubscriptionsRule, SubscriptionRootRule],
]);

/** The rules that take time linear in the text: all but one. */
const linearRules = specifiedRules
  .filter((rule) => rule !== OverlappingFieldsCanBeMergedRule)
  .map((rule) => ownRules.get(rule) ?? rule);

const linearRulesFor = (idInputs: IdInputs): readonly ValidationRule[] =>
  linearRules.map((rule) => (rule === VariablesInAllowedPositionRule ? createVariablePositionsRule(idInputs) : rule));

/** Comparing a pair of fields takes up to 0.7 µs, of fields with arguments ten times as long, and pairs grow with the square. */
const maxPairs = 50_000;
const pairsWithArguments = 10;

interface Validity {
  readonly errors: readonly GraphQLError[];
  /** Introspection fields of the response; 0 if the document has other errors. */
  readonly introspectedFields: number;
}

/**
 * Validates a document against the schema. Overlapping fields are compared last, and only in a document without other errors:
 * then every fragment is used, so the limit of nodes bounds the search for them.
 * @param document one that was found within the limits
 */
export function validateDocument(
  document: DocumentNode,
  executable: ExecutableDocument,
  { schema, rules, hidesSuggestions, idInputs = noIdInputs }: ValidationOptions,
): Validity {
  const check = (checked: readonly ValidationRule[]) =>
    withoutText(document, () => validate(schema, document, checked, { maxErrors, hideSuggestions: hidesSuggestions }));
  const errors = check([...linearRulesFor(idInputs), ...rules]);
  if (errors.length > 0) return { errors, introspectedFields: 0 };
  const { fields: introspectedFields, excess } = measureAskedIntrospection(schema, executable);
  if (excess) return { errors: [introspectionRefusal(excess)], introspectedFields };
  const crowded = findCrowded(executable);
  if (!crowded) return { errors: check([OverlappingFieldsCanBeMergedRule]), introspectedFields };
  const message = `Too many fields share a response name, as "${responseKey(crowded)}" does. Use different aliases on the fields.`;
  return { errors: [new GraphQLError(message, { nodes: crowded })], introspectedFields };
}

/**
 * Finds a field of the group with which comparing overlapping fields would take too long; `null` if there is none. It recurses,
 * so no fragment may contain itself.
 */
function findCrowded({ operations, fragments }: ExecutableDocument): FieldNode | null {
  let pairs = 0;
  let crowded: FieldNode | null = null;
  for (const { selectionSet } of operations) count([selectionSet]);
  return crowded;

  /** @param sets those whose fields end up in one object of the response */
  function count(sets: readonly (SelectionSetNode | undefined)[]): void {
    let spreads = 0;
    const isIncluded = ({ kind }: SelectionNode) => {
      if (kind === Kind.FRAGMENT_SPREAD) spreads += 1;
      return true;
    };
    const groups = fieldsByKey(sets, null, fragments, { isIncluded });
    pairs += toPairs(spreads);
    for (const group of groups.values()) {
      const withArguments = group.filter((field) => field.arguments?.length);
      pairs += toPairs(group.length) + toPairs(withArguments.length) * (pairsWithArguments - 1);
      if (pairs > maxPairs) crowded ??= group[0] ?? null;
      const below = group.flatMap(({ selectionSet }) => selectionSet ?? []);
      if (below.length > 0) count(below);
    }
  }
}

function toPairs(fields: number): number {
  return (fields * (fields - 1)) / 2;
}

function introspectionRefusal({ fields, letters, max, field }: IntrospectionExcess): GraphQLError {
  const [unit, bound, actual] =
    fields > max.fields ? (['fields', max.fields, fields] as const) : (['letters', max.letters, letters] as const);
  const message = `Introspection has over ${bound} ${unit}, ${maxTimesStandard} times what answers the standard query`;
  // Counting stopped at the bound, so the number itself means nothing beyond it.
  const limit = { name: 'introspection', max: bound, actual: Math.min(actual, bound + 1) };
  return gatewayError('BAD_USER_INPUT', message, { limit }, { nodes: [field] });
}

/**
 * Hides the text while the rules run; they do not read it. Otherwise each error would locate its lines by reading the text from
 * its start, which takes seconds for hundreds of errors in thousands of lines.
 */
function withoutText<Result>({ loc }: DocumentNode, work: () => Result): Result {
  if (!loc) return work();
  const { body } = loc.source;
  loc.source.body = '';
  try {
    return work();
  } finally {
    loc.source.body = body;
  }
}
