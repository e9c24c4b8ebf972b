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

/** Why a document is refused, whatever its variables. */
export interface DocumentRefusal {
  readonly errors: readonly ToldError[];
  /** The document was counted to its end, so usage can be shown. */
  readonly hasUsage: boolean;
}

/**
 * Everything that depends on a document's text alone. Made once per text and generation, used by every request. A refused
 * document keeps only its numbers and its errors, not its tree.
 */
export type PreparedDocument = {
  readonly text: string;
  /** Memory that it takes at most while it is kept. */
  readonly bytes: number;
} & (
  | { readonly kind: 'unreadable'; readonly refusal: DocumentRefusal }
  /** The text alone breaks a bound: nesting, directives, unknown fragments, depth or nodes. */
  | {
      readonly kind: 'refused';
      readonly size: DocumentSize;
      readonly refusal: DocumentRefusal;
    }
  | {
      readonly kind: 'readable';
      readonly size: DocumentSize;
      /** Validates against the schema. Called after every limit was checked; validates once and keeps the result. */
      readonly validate: () => Validity;
    }
);

export type Validity =
  | { readonly kind: 'valid'; readonly document: DocumentNode }
  | { readonly kind: 'invalid'; readonly errors: readonly ToldError[] };

export interface PrepareOptions extends ValidationOptions {
  readonly limits: Limits;
}

/** A prepared document with the tree it was made from, for explaining it. */
export interface ReadDocument {
  readonly prepared: PreparedDocument;
  /** `null` when the text cannot be parsed. */
  readonly executable: ExecutableDocument | null;
}

/**
 * Lexical tokens that a document may have. More than fit in the query text at three bytes each; transaction payload adds
 * few, since it is a few long strings. A list of thousands of short strings would take tens of milliseconds to validate.
 */
export const maxTokens = 4_000;

/** Parses and measures a document, and checks the limits that its text decides. Never throws. */
export function prepareDocument(text: string, options: PrepareOptions): PreparedDocument {
  return readDocument(text, options).prepared;
}

/** Prepares a document and returns its tree as well. Never throws. */
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
  // Dropped after the first validation, so that an invalid document does not hold its tree in memory.
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
  // Any other error is a stack overflow of the parser: the document nests too deep.
  if (!(error instanceof GraphQLError)) return toRefusal(nestingRefusal());
  return { errors: [toToldError(error, 'GRAPHQL_PARSE_FAILED')], hasUsage: false };
}

function toValidationError(error: GraphQLError): ToldError {
  return toToldError(error, 'GRAPHQL_VALIDATION_FAILED');
}
