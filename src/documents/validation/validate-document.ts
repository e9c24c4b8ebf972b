import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  NoUnusedVariablesRule,
  OverlappingFieldsCanBeMergedRule,
  specifiedRules,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  VariablesInAllowedPositionRule,
  validate,
} from 'graphql';
import { gatewayError } from '../../errors/gateway-error.ts';
import type { IdInputs } from '../plan/id-variables.ts';
import type { ExecutableDocument } from '../selections.ts';
import { type IntrospectionExcess, maxTimesStandard, measureAskedIntrospection } from './introspection-size.ts';
import { findOverlaps, maxPairs } from './overlapping-fields.ts';
import { createVariablePositionsRule, LiteralValuesRule, UnusedVariablesRule } from './own-rules.ts';

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
]);

/** The rules that take time linear in the text: all but one. */
const linearRules = specifiedRules
  .filter((rule) => rule !== OverlappingFieldsCanBeMergedRule)
  .map((rule) => ownRules.get(rule) ?? rule);

const linearRulesFor = (idInputs: IdInputs): readonly ValidationRule[] =>
  linearRules.map((rule) => (rule === VariablesInAllowedPositionRule ? createVariablePositionsRule(idInputs) : rule));

export interface Validity {
  /** Empty for a valid document. */
  readonly errors: readonly GraphQLError[];
  /** Introspection fields of the response; 0 if the document has other errors. */
  readonly introspectedFields: number;
}

/**
 * Validates a document against the schema. Overlapping fields are compared last, and only in a document without other errors:
 * then every fragment is used, so the limit of nodes bounds the comparison.
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
  const { areAlike, crowded } = findOverlaps(schema, executable);
  if (areAlike) return { errors: [], introspectedFields };
  if (!crowded) return { errors: check([OverlappingFieldsCanBeMergedRule]), introspectedFields };
  const name = crowded.alias?.value ?? crowded.name.value;
  const message = `More than ${maxPairs} pairs of fields share a response name, as "${name}" does. Use different aliases on the fields.`;
  return { errors: [new GraphQLError(message, { nodes: crowded })], introspectedFields };
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
