import { type DocumentNode, GraphQLError, Kind, type OperationDefinitionNode, parse } from 'graphql';
import { checkDocument } from '../limits/check-document.ts';
import { checkText } from '../limits/check-text.ts';
import type { ExecutableDocument } from '../limits/executable-document.ts';
import type { Limits } from '../limits/limits.ts';
import { type DocumentSize, type MeasuredDocument, measureDocument, toSize } from '../limits/measure-document.ts';
import { nestingRefusal } from '../limits/refusal.ts';
import { acceptDocument } from '../validation/accept-document.ts';
import { type ValidationOptions, validateDocument } from '../validation/validate-document.ts';
import { refusedBytes, treeBytes } from './kept-bytes.ts';
import { type ToldError, toToldError } from './told-error.ts';

/** Why a document is refused, whatever its variables. */
export interface DocumentRefusal {
  readonly errors: readonly ToldError[];
  /** The document was counted to its end, so usage can be shown. */
  readonly hasUsage: boolean;
}

/**
 * Everything that depends on a document's text alone. Made once per text and generation, used by every request. A refused
 * document keeps only its numbers and its errors, not its tree.
 * @typeParam Operation what is worked out of one operation
 */
export type PreparedDocument<Operation = unknown> = {
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
      /**
       * What the text decides about one of its operations, worked out when that is first asked for, then kept. `null` where
       * there is none of that name, or the document is not valid.
       * @param name `null` means the only one
       */
      readonly operation: (name: string | null) => Operation | null;
    }
);

export type Validity =
  | { readonly kind: 'valid'; readonly document: DocumentNode }
  | { readonly kind: 'invalid'; readonly errors: readonly ToldError[] };

/** An operation of a valid document, to be prepared. */
export interface ValidOperation {
  readonly text: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

export interface PrepareOptions<Operation = unknown> extends ValidationOptions {
  readonly limits: Limits;
  /** Works out what the text of an operation decides; what it gives is kept as long as the document. */
  readonly prepareOperation: (operation: ValidOperation) => Operation;
}

/** A prepared document with the tree it was made from, for explaining it. */
export interface ReadDocument<Operation = unknown> {
  readonly prepared: PreparedDocument<Operation>;
  /** `null` when the text cannot be parsed. */
  readonly executable: ExecutableDocument | null;
}

/**
 * Lexical tokens that a document may have. More than fit in the query text at three bytes each; transaction payload adds
 * few, since it is a few long strings. A list of thousands of short strings would take tens of milliseconds to validate.
 */
export const maxTokens = 4_000;

/** Parses and measures a document, and checks the limits that its text decides. Never throws. */
export function prepareDocument<Operation>(
  text: string,
  options: PrepareOptions<Operation>,
): PreparedDocument<Operation> {
  return readDocument(text, options).prepared;
}

/** Prepares a document and returns its tree as well. Never throws. */
export function readDocument<Operation>(text: string, options: PrepareOptions<Operation>): ReadDocument<Operation> {
  const { limits } = options;
  const bytes = refusedBytes(text);
  const unreadable = (refusal: DocumentRefusal): ReadDocument<Operation> => ({
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
  const measured = measureDocument(document, Buffer.byteLength(text), limits.calledPages?.fields);
  const { executable } = measured;
  const size = toSize(measured);
  const refusal = checkDocument(measured, limits);
  if (refusal) return { prepared: { kind: 'refused', text, bytes, size, refusal: toRefusal(refusal) }, executable };
  const validate = createValidate(measured, options);
  const operation = createOperations(text, validate, options.prepareOperation);
  const kept = bytes + treeBytes(document, size);
  return { prepared: { kind: 'readable', text, bytes: kept, size, validate, operation }, executable };
}

function createValidate(measured: MeasuredDocument, options: ValidationOptions): () => Validity {
  let known: Validity | undefined;
  // Dropped after the first validation, so that an invalid document does not hold its tree in memory.
  let unasked: MeasuredDocument | null = measured;
  return () => {
    if (unasked) {
      const { document, executable } = unasked;
      const errors = acceptDocument(document, executable, options)
        ? []
        : validateDocument(document, executable, options);
      known =
        errors.length > 0 ? { kind: 'invalid', errors: errors.map(toValidationError) } : { kind: 'valid', document };
      unasked = null;
    }
    return known as Validity;
  };
}

/** Names that the document does not have are not remembered: a caller can invent any number of them. */
function createOperations<Operation>(
  text: string,
  validate: () => Validity,
  prepare: (operation: ValidOperation) => Operation,
): (name: string | null) => Operation | null {
  let named: ReadonlyMap<string | null, OperationDefinitionNode> | null = null;
  const prepared = new Map<OperationDefinitionNode, Operation>();
  return (name) => {
    const validity = validate();
    if (validity.kind === 'invalid') return null;
    const { document } = validity;
    named ??= nameOperations(document);
    const operation = named.get(name);
    if (!operation) return null;
    const known = prepared.get(operation);
    if (known !== undefined) return known;
    const made = prepare({ text, document, operation });
    prepared.set(operation, made);
    return made;
  };
}

/** The operations of a document by what requests call them: the only one may go without a name. */
function nameOperations({ definitions }: DocumentNode): ReadonlyMap<string | null, OperationDefinitionNode> {
  const operations = definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  const named = new Map<string | null, OperationDefinitionNode>();
  for (const operation of operations) if (operation.name) named.set(operation.name.value, operation);
  const [only] = operations;
  if (only && operations.length === 1) named.set(null, only);
  return named;
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
