import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  NoUnusedVariablesRule,
  OverlappingFieldsCanBeMergedRule,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';
import type { ExecutableDocument } from '../limits/executable-document.ts';
import { findIntrospectionExcess, type IntrospectionExcess, maxTimesStandard } from './introspection-size.ts';
import { findOverlaps, maxPairs } from './overlapping-fields.ts';
import { UnusedVariablesRule } from './unused-variables-rule.ts';

export interface ValidationOptions {
  readonly schema: GraphQLSchema;
  /** Beside the rules of the specification. */
  readonly rules: readonly ValidationRule[];
  /** No names of the schema are told beside those that the document has. */
  readonly hidesSuggestions: boolean;
}

/**
 * As many errors as are told of a document, and one that says that there are more. Looking for names that could have been
 * meant takes half a millisecond each.
 */
export const maxErrors = 10;

/** Rules whose time grows with the text. */
const linearRules = specifiedRules
  .filter((rule) => rule !== OverlappingFieldsCanBeMergedRule)
  .map((rule) => (rule === NoUnusedVariablesRule ? UnusedVariablesRule : rule));

/**
 * What the schema has against a document. Fields that overlap are compared last, and only in a document with no other
 * fault: then no fragment is without use, so all there is to compare has been counted.
 * @param document within its limits
 */
export function validateDocument(
  document: DocumentNode,
  executable: ExecutableDocument,
  { schema, rules, hidesSuggestions }: ValidationOptions,
): readonly GraphQLError[] {
  const check = (checked: readonly ValidationRule[]) =>
    withoutText(document, () => validate(schema, document, checked, { maxErrors, hideSuggestions: hidesSuggestions }));
  const errors = check([...linearRules, ...rules]);
  if (errors.length > 0) return errors;
  const excess = findIntrospectionExcess(schema, executable);
  if (excess) return [introspectionRefusal(excess)];
  const { areAlike, crowded } = findOverlaps(schema, executable);
  if (areAlike) return [];
  if (!crowded) return check([OverlappingFieldsCanBeMergedRule]);
  const name = crowded.alias?.value ?? crowded.name.value;
  const message = `More than ${maxPairs} pairs of fields share a response name, as "${name}" does. Use different aliases on the fields.`;
  return [new GraphQLError(message, { nodes: crowded })];
}

function introspectionRefusal({ fields, letters, max, field }: IntrospectionExcess): GraphQLError {
  const [unit, bound, actual] =
    fields > max.fields ? (['fields', max.fields, fields] as const) : (['letters', max.letters, letters] as const);
  const message = `Introspection has over ${bound} ${unit}, ${maxTimesStandard} times what answers the standard query`;
  // What is far beyond the bound is not counted to its end.
  const limit = { name: 'introspection', max: bound, actual: Math.min(actual, bound + 1) };
  return gatewayError('BAD_USER_INPUT', message, { limit }, { nodes: [field] });
}

/**
 * Hides the text from the rules, which read none of it. Each error looks up the line of each of its places by reading
 * the text from its start, and hundreds of places in thousands of lines take seconds.
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
