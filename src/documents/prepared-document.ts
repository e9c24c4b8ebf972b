import { type DocumentNode, GraphQLError, parse } from 'graphql';
import { checkDocument } from '../limits/check-document.ts';
import { checkText } from '../limits/check-text.ts';
import type { ExecutableDocument } from '../limits/executable-document.ts';
import type { Limits } from '../limits/limits.ts';
import { type DocumentSize, type MeasuredDocument, measureDocument, toSize } from '../limits/measure-document.ts';
import { nestingRefusal } from '../limits/nesting-refusal.ts';
import { refusedBytes, treeBytes } from './kept-bytes.ts';
import { type ToldError, toToldError } from './told-error.ts';
import { type ValidationOptions, validateDocument } from './validate-document.ts';

/** Why a document can never be served, whatever its variables. */
export interface DocumentRefusal {
  readonly errors: readonly ToldError[];
  /** It was counted to its end, so usage can be shown. */
  readonly hasUsage: boolean;
}

/**
 * Everything that depends on a document's text alone. Made once per text and generation, used by every request. Of a
 * document that is refused nothing is kept but numbers and what is told of it.
 */
export type PreparedDocument = {
  readonly text: string;
  /** Memory it takes for as long as it is kept, at most. */
  readonly bytes: number;
} & (
  | { readonly kind: 'unreadable'; readonly refusal: DocumentRefusal }
  /** Over a bound that comes before anything that needs variables: nesting, directives, unknown fragments, depth, nodes. */
  | {
      readonly kind: 'refused';
      readonly size: DocumentSize;
      readonly refusal: DocumentRefusal;
    }
  | {
      readonly kind: 'readable';
      readonly size: DocumentSize;
      /** What the schema has to say; reported only after every limit. Worked out when first asked for, then kept. */
      readonly validate: () => Validity;
    }
);

export type Validity =
  | { readonly kind: 'valid'; readonly document: DocumentNode }
  | { readonly kind: 'invalid'; readonly errors: readonly ToldError[] };

export interface PrepareOptions extends ValidationOptions {
  readonly limits: Limits;
}

/** What was read of a document, for those who explain it. */
export interface ReadDocument {
  readonly prepared: PreparedDocument;
  /** `null` when it cannot be read. */
  readonly executable: ExecutableDocument | null;
}

/**
 * Lexical tokens a document may have: more than the text of a query has at three bytes each, and what stands in transaction
 * payload is a few long strings. A list of thousands of short ones would take tens of milliseconds to validate.
 */
export const maxTokens = 4_000;

/** Reads, measures and bounds a document. Never throws. */
export function prepareDocument(text: string, options: PrepareOptions): PreparedDocument {
  return readDocument(text, options).prepared;
}

/** The same, with what else was read. */
export function readDocument(text: string, options: PrepareOptions): ReadDocument {
  const { limits } = options;
  const bytes = refusedBytes(text);
  const unreadable = (refusal: DocumentRefusal): ReadDocument => ({
    prepared: { kind: 'unreadable', text, bytes, refusal },
    executable: null,
  });
  const tooLong = checkText(text, limits);
  if (tooLong) return unreadable(toRefusal(tooLong));
  let document: DocumentNode;
  try {
    document = parse(text, { maxTokens });
  } catch (error) {
    return unreadable(toParseRefusal(error));
  }
  const measured = measureDocument(document, Buffer.byteLength(text));
  const { executable } = measured;
  const size = toSize(measured);
  const refusal = checkDocument(measured, limits);
  if (refusal) return { prepared: { kind: 'refused', text, bytes, size, refusal: toRefusal(refusal) }, executable };
  const validate = createValidate(measured, options);
  return { prepared: { kind: 'readable', text, bytes: bytes + treeBytes(document, size), size, validate }, executable };
}

function createValidate(measured: MeasuredDocument, options: PrepareOptions): () => Validity {
  let known: Validity | undefined;
  // Let go of as soon as it has been asked: an invalid document is not kept.
  let unasked: MeasuredDocument | null = measured;
  return () => {
    if (unasked) {
      const { document, executable } = unasked;
      const errors = validateDocument(document, executable, options);
      known =
        errors.length > 0 ? { kind: 'invalid', errors: errors.map(toValidationError) } : { kind: 'valid', document };
      unasked = null;
    }
    return known as Validity;
  };
}

function toRefusal({ error, hasUsage }: { readonly error: GraphQLError; readonly hasUsage: boolean }): DocumentRefusal {
  return { errors: [toToldError(error)], hasUsage };
}

function toParseRefusal(error: unknown): DocumentRefusal {
  // Nesting deep enough to exhaust the parser's stack is over the bound on nesting, not a fault of ours.
  if (!(error instanceof GraphQLError)) return toRefusal(nestingRefusal());
  return { errors: [toToldError(error, 'GRAPHQL_PARSE_FAILED')], hasUsage: false };
}

function toValidationError(error: GraphQLError): ToldError {
  return toToldError(error, 'GRAPHQL_VALIDATION_FAILED');
}
