import { type DocumentNode, GraphQLError, type OperationDefinitionNode } from 'graphql';
import { checkDocument } from '../limits/check-document.ts';
import { checkText } from '../limits/check-text.ts';
import type { ExecutableDocument } from '../limits/executable-document.ts';
import type { Limits } from '../limits/limits.ts';
import { type DocumentSize, measureDocument, toSize } from '../limits/measure-document.ts';
import { nestingRefusal } from '../limits/refusal.ts';
import { acceptDocument } from '../validation/accept-document.ts';
import { type ValidationOptions, validateDocument } from '../validation/validate-document.ts';
import { createTreeReader, dropTokens, type OperationTree, parseDocument, type TreeReader } from './document-tree.ts';
import { forwardedBytes, refusedBytes, treeBytes } from './kept-bytes.ts';
import { type ToldError, toToldError } from './told-error.ts';

/** Why a document is refused, whatever its variables. */
export interface DocumentRefusal {
  readonly errors: readonly ToldError[];
  /** The document was counted to its end, so usage can be shown. */
  readonly hasUsage: boolean;
}

/**
 * Everything that depends on a document's text alone. Made once per text and generation, used by every request. It holds
 * what requests need, not its tree: that of a refused document goes with the refusal, that of a valid one where nothing of
 * it is executed here.
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
      /** What is wrong with it by the schema, to be told once every limit is kept; empty where it is valid. */
      readonly errors: readonly ToldError[];
      /**
       * What the text decides about one of its operations. `null` where there is none of that name, or the document is not
       * valid. That of the only one is there already; of several each is worked out when it is first asked for, and kept.
       * @param name `null` means the only one
       */
      readonly operation: (name: string | null) => Operation | null;
    }
);

/** An operation of a valid document, to be prepared. */
export interface ValidOperation {
  readonly text: string;
  /** The text as JSON has it, quotes included. */
  readonly json: string;
  /** To be looked at while the operation is prepared, and not to be held. */
  readonly tree: OperationTree;
  /** Reads the same tree from the text again, for what seldom needs it. */
  readonly readTree: () => OperationTree;
  /** Keeps the tree with the document, which counts for so much more memory. */
  readonly keepTree: () => () => OperationTree;
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

/** Prepares documents of one schema, and returns the tree of each as well. Never throws. */
export function createReadDocument<Operation>(
  options: PrepareOptions<Operation>,
): (text: string) => ReadDocument<Operation> {
  const trees = createTreeReader();
  return (text) => readDocument(text, options, trees);
}

function readDocument<Operation>(
  text: string,
  options: PrepareOptions<Operation>,
  trees: TreeReader,
): ReadDocument<Operation> {
  const { limits } = options;
  const unreadable = (refusal: DocumentRefusal): ReadDocument<Operation> => ({
    prepared: { kind: 'unreadable', text, bytes: refusedBytes(text, refusal.errors), refusal },
    executable: null,
  });
  const tooLong = checkText(text, limits);
  if (tooLong) return unreadable(toRefusal(tooLong));
  let document: DocumentNode;
  try {
    document = parseDocument(text);
  } catch (error) {
    return unreadable(toParseRefusal(error));
  }
  const measured = measureDocument(document, Buffer.byteLength(text), limits.calledPages?.fields);
  const { executable } = measured;
  const size = toSize(measured);
  const excess = checkDocument(measured, limits);
  if (excess) {
    const refusal = toRefusal(excess);
    const bytes = refusedBytes(text, refusal.errors, size.numbers);
    return { prepared: { kind: 'refused', text, bytes, size, refusal }, executable };
  }
  const isAccepted = acceptDocument(document, executable, options);
  const errors = isAccepted ? [] : validateDocument(document, executable, options).map(toValidationError);
  const prepared =
    errors.length > 0 ? toInvalid(text, size, errors) : toReadable(text, document, executable, size, options, trees);
  return { prepared, executable };
}

function toReadable<Operation>(
  text: string,
  document: DocumentNode,
  { operations, fragments }: ExecutableDocument,
  size: DocumentSize,
  options: PrepareOptions<Operation>,
  trees: TreeReader,
): PreparedDocument<Operation> {
  const readable = { kind: 'readable', text, size, errors: [] } as const;
  const readTree = toReadTree(text, trees);
  const json = JSON.stringify(text);
  const [only, ...others] = operations;
  if (only && others.length === 0) {
    let isKept = false;
    const tree = { document, operation: only, fragments };
    const keepTree = () => {
      isKept = true;
      return toKept(tree);
    };
    const prepared = options.prepareOperation({ text, json, tree, readTree, keepTree });
    const operation = toFind(only.name?.value ?? null, prepared);
    if (isKept) dropTokens(document);
    return {
      ...readable,
      bytes: isKept ? treeBytes(document, size) : forwardedBytes(text, json, size, only),
      operation,
    };
  }
  dropTokens(document);
  const operation = createOperations(operations, (each) => {
    const tree = { document, operation: each, fragments };
    return options.prepareOperation({ text, json, tree, readTree, keepTree: () => toKept(tree) });
  });
  return { ...readable, bytes: treeBytes(document, size), operation };
}

function toInvalid(text: string, size: DocumentSize, errors: readonly ToldError[]): PreparedDocument<never> {
  return {
    kind: 'readable',
    text,
    bytes: refusedBytes(text, errors, size.numbers),
    size,
    errors,
    operation: () => null,
  };
}

function toKept(tree: OperationTree): () => OperationTree {
  return () => tree;
}

/** Apart from where the tree is at hand: a function holds everything that any function made beside it holds. */
function toReadTree(text: string, trees: TreeReader): () => OperationTree {
  return () => trees.read(text);
}

function toFind<Operation>(own: string | null, prepared: Operation): (name: string | null) => Operation | null {
  return (name) => (name === null || name === own ? prepared : null);
}

/**
 * The operations of a document that has several. Names that it does not have are not remembered: a caller can invent any
 * number of them.
 */
function createOperations<Operation>(
  operations: readonly OperationDefinitionNode[],
  prepare: (operation: OperationDefinitionNode) => Operation,
): (name: string | null) => Operation | null {
  const named = new Map(operations.map((each) => [each.name?.value ?? null, each]));
  const known = new Map<OperationDefinitionNode, Operation>();
  return (name) => {
    const operation = name === null ? undefined : named.get(name);
    if (!operation) return null;
    const prepared = known.get(operation) ?? prepare(operation);
    known.set(operation, prepared);
    return prepared;
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
