import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  parse,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import { checkDocument } from '../limits/check-document.ts';
import { checkText } from '../limits/check-text.ts';
import type { Limits } from '../limits/limits.ts';
import { type MeasuredDocument, measureDocument } from '../limits/measure-document.ts';
import { nestingRefusal } from '../limits/nesting-refusal.ts';

/** Why a document can never be served, whatever its variables. */
export interface DocumentRefusal {
  readonly errors: readonly GraphQLError[];
  /** It was counted to its end, so usage can be shown. */
  readonly hasUsage: boolean;
}

/** Everything that depends on a document's text alone. Made once per text and generation, used by every request. */
export type PreparedDocument =
  | { readonly kind: 'unreadable'; readonly refusal: DocumentRefusal }
  | {
      readonly kind: 'readable';
      readonly document: DocumentNode;
      readonly measured: MeasuredDocument;
      /** Of nesting, directives, unknown fragments, depth and nodes; comes before anything that needs variables. */
      readonly refusal: DocumentRefusal | null;
      /** What the schema has against it; reported only after every limit. Worked out when first asked for, then kept. */
      readonly validate: () => readonly GraphQLError[];
    };

export interface PrepareOptions {
  readonly schema: GraphQLSchema;
  readonly limits: Limits;
  /** Beside the rules of the specification. */
  readonly rules: readonly ValidationRule[];
}

/**
 * Lexical tokens a document may have: more than the text of a query has at three bytes each, and what stands in transaction
 * payload is a few long strings. A list of thousands of short ones would take tens of milliseconds to validate.
 */
export const maxTokens = 4_000;

/** Reads, measures and bounds a document. Never throws. */
export function prepareDocument(text: string, { schema, limits, rules }: PrepareOptions): PreparedDocument {
  const tooLong = checkText(text, limits);
  if (tooLong) return { kind: 'unreadable', refusal: { errors: [tooLong.error], hasUsage: tooLong.hasUsage } };
  let document: DocumentNode;
  try {
    document = parse(text, { maxTokens });
  } catch (error) {
    return { kind: 'unreadable', refusal: { errors: [toParseError(error)], hasUsage: false } };
  }
  const measured = measureDocument(document, Buffer.byteLength(text));
  const refusal = checkDocument(measured, limits);
  let errors: readonly GraphQLError[] | undefined;
  return {
    kind: 'readable',
    document,
    measured,
    refusal: refusal && { errors: [refusal.error], hasUsage: refusal.hasUsage },
    validate: () => {
      errors ??= validate(schema, document, [...specifiedRules, ...rules]).map(toValidationError);
      return errors;
    },
  };
}

function toParseError(error: unknown): GraphQLError {
  // Nesting deep enough to exhaust the parser's stack is over the bound on nesting, not a fault of ours.
  if (!(error instanceof GraphQLError)) return nestingRefusal().error;
  return withCode(error, 'GRAPHQL_PARSE_FAILED');
}

function toValidationError(error: GraphQLError): GraphQLError {
  return withCode(error, 'GRAPHQL_VALIDATION_FAILED');
}

function withCode(
  { message, nodes, source, positions }: GraphQLError,
  code: 'GRAPHQL_PARSE_FAILED' | 'GRAPHQL_VALIDATION_FAILED',
): GraphQLError {
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    extensions: { code },
  });
}
