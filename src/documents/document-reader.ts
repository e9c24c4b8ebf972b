import { type DocumentNode, GraphQLError, type OperationDefinitionNode } from 'graphql';
import { isQueryPartTooLong } from './admit-document.ts';
import { checkDocument, checkText } from './cost/check-document.ts';
import { maxNesting, nestingRefusal } from './cost/limits.ts';
import { type DocumentSize, measureDocument, toSize } from './cost/measure-document.ts';
import {
  createTreeReader,
  dropTokens,
  maxTokens,
  nestingBeforeFault,
  type OperationTree,
  parseDocument,
  type TreeReader,
  toOperationTree,
} from './document-tree.ts';
import {
  createLocate,
  type DocumentRefusal,
  forwardedBytes,
  type Locate,
  type PreparedDocument,
  type PrepareOptions,
  type ReadableDocument,
  type ReadDocument,
  refusedBytes,
  type ToldError,
  toToldError,
  treeBytes,
} from './prepared-document.ts';
import type { ExecutableDocument } from './selections.ts';
import { acceptDocument } from './validation/accept-document.ts';
import { validateDocument } from './validation/validate-document.ts';

export interface DocumentReader<Operation = unknown> {
  /** Prepares a document. Never throws. */
  readonly prepare: (text: string) => PreparedDocument<Operation>;
  /** Prepares a document, and returns its tree as well, which knows its places in the text. Never throws. */
  readonly read: (text: string) => ReadDocument<Operation>;
}

/** Reads documents of one schema. */
export function createDocumentReader<Operation>(options: PrepareOptions<Operation>): DocumentReader<Operation> {
  const reading = { options, trees: createTreeReader() };
  const read = (text: string) => readDocument(text, true, reading) as ReadDocument<Operation>;
  return { prepare: (text) => (readDocument(text, false, reading) ?? read(text)).prepared, read };
}

interface Reading<Operation> {
  readonly options: PrepareOptions<Operation>;
  readonly trees: TreeReader;
}

/**
 * @param hasPlaces parses positions in the text, which errors need; parsing without them is faster
 * @returns `null` if positions are needed and `hasPlaces` is false: read it again with them
 */
function readDocument<Operation>(
  text: string,
  hasPlaces: boolean,
  reading: Reading<Operation>,
): ReadDocument<Operation> | null {
  const { options } = reading;
  const { limits } = options;
  const unreadable = (refusal: DocumentRefusal): ReadDocument<Operation> => ({
    prepared: { kind: 'unreadable', text, bytes: refusedBytes(text, refusal.errors), refusal },
    executable: null,
  });
  const locate = createLocate(text);
  const tooLong = checkText(text, limits);
  if (tooLong) return unreadable(toRefusal(tooLong, locate));
  let document: DocumentNode;
  try {
    document = parseDocument(text, hasPlaces);
  } catch (error) {
    return unreadable(toParseRefusal(text, error, locate));
  }
  const measured = measureDocument(document, Buffer.byteLength(text), limits.calledPages?.fields);
  const { executable } = measured;
  const size = toSize(measured);
  const excess = checkDocument(measured, limits);
  if (excess) {
    if (!hasPlaces) return null;
    const refusal = toRefusal(excess, locate);
    const bytes = refusedBytes(text, refusal.errors, size.numbers);
    return { prepared: { kind: 'refused', text, bytes, size, refusal }, executable };
  }
  // No variables change that `admitDocument` refuses it for its length: its validity is never told.
  if (isQueryPartTooLong(size, limits)) return { prepared: toInvalid(text, size, [], 0), executable };
  // Of several operations any may be executed here later, and its errors then need positions.
  if (!hasPlaces && executable.operations.length !== 1) return null;
  let introspectedFields = 0;
  if (!acceptDocument(document, executable, options)) {
    if (!hasPlaces) return null;
    const validity = validateDocument(document, executable, options);
    introspectedFields = validity.introspectedFields;
    const errors = validity.errors.map((error) => toToldError(error, locate, 'GRAPHQL_VALIDATION_FAILED'));
    if (errors.length > 0) return { prepared: toInvalid(text, size, errors, introspectedFields), executable };
  }
  return { prepared: toReadable(text, document, executable, { size, introspectedFields }, reading), executable };
}

function toReadable<Operation>(
  text: string,
  document: DocumentNode,
  { operations, fragments }: ExecutableDocument,
  { size, introspectedFields }: Pick<ReadableDocument<Operation>, 'size' | 'introspectedFields'>,
  { options, trees }: Reading<Operation>,
): ReadableDocument<Operation> {
  // Named one by one, in one place: an object spread would give each document a hidden class of its own, and each request
  // that reads one would have to look its members up.
  const readable = (
    bytes: number,
    operation: ReadableDocument<Operation>['operation'],
  ): ReadableDocument<Operation> => {
    return { kind: 'readable', text, bytes, size, introspectedFields, errors: [], operation };
  };
  const json = JSON.stringify(text);
  const readTree = toReadTree(text, trees);
  const [only, ...others] = operations;
  if (!only || others.length > 0) {
    dropTokens(document);
    const operation = createOperations(operations, (each) => {
      const tree = toOperationTree(document, each, fragments);
      return options.prepareOperation({ text, json, readTree, tree, keepTree: () => toKept(tree) });
    });
    return readable(treeBytes(document, size), operation);
  }
  const name = only.name?.value ?? null;
  const tree = toOperationTree(document, only, fragments);
  let kept: OperationTree | null = null;
  const keepTree = () => {
    kept = document.loc ? tree : readTree();
    dropTokens(kept.document);
    return toKept(kept);
  };
  const operation = toFind(name, options.prepareOperation({ text, json, readTree, tree, keepTree }));
  const bytes = kept ? treeBytes(document, size) : forwardedBytes(text, json, size, only);
  return readable(bytes, operation);
}

function toInvalid(
  text: string,
  size: DocumentSize,
  errors: readonly ToldError[],
  introspectedFields: number,
): PreparedDocument<never> {
  return {
    kind: 'readable',
    text,
    bytes: refusedBytes(text, errors, size.numbers),
    size,
    introspectedFields,
    errors,
    operation: () => null,
  };
}

function toKept(tree: OperationTree): () => OperationTree {
  return () => tree;
}

/** A function of its own, so that the result does not hold the tree: functions of one scope hold all that any of them uses. */
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

function toRefusal(
  { error, hasUsage }: { readonly error: GraphQLError; readonly hasUsage: boolean },
  locate: Locate,
): DocumentRefusal {
  return { errors: [toToldError(error, locate)], hasUsage };
}

function toParseRefusal(text: string, error: unknown, locate: Locate): DocumentRefusal {
  // Any other error is a stack overflow of the parser: the document nests too deep.
  const fault = error instanceof GraphQLError ? error : null;
  const nesting = nestingBeforeFault(text, fault, maxTokens);
  if (!fault || nesting > maxNesting) return toRefusal(nestingRefusal(nesting), locate);
  return { errors: [toToldError(fault, locate, 'GRAPHQL_PARSE_FAILED')], hasUsage: false };
}
