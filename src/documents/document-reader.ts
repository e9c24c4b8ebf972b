import { type DocumentNode, GraphQLError, type OperationDefinitionNode } from 'graphql';
import { isQueryPartTooLong } from './admit-document.ts';
import { checkDocument, checkText } from './cost/check-document.ts';
import { maxNesting, nestingRefusal } from './cost/limits.ts';
import { measureDocument, toSize } from './cost/measure-document.ts';
import {
  createTreeReader,
  dropTokens,
  maxTokens,
  nestingBeforeFault,
  type OperationTree,
  parseDocument,
  toOperationTree,
} from './document-tree.ts';
import { planOperation } from './plan/plan-operation.ts';
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
  toPlainError,
  treeBytes,
} from './prepared-document.ts';
import type { ExecutableDocument } from './selections.ts';
import { acceptDocument } from './validation/accept-document.ts';
import { validateDocument } from './validation/validate-document.ts';

/** Reads the documents of one schema: parses, measures, validates and plans them. Never throws. */
export interface DocumentReader<Operation = unknown> {
  readonly prepare: (text: string) => PreparedDocument<Operation>;
  /** Returns the syntax tree as well, with its positions in the text. */
  readonly read: (text: string) => ReadDocument<Operation>;
}

export function createDocumentReader<Operation>(options: PrepareOptions<Operation>): DocumentReader<Operation> {
  const reading = { options, readTree: createTreeReader() };
  const read = (text: string) => readDocument(text, true, reading) as ReadDocument<Operation>;
  return { prepare: (text) => (readDocument(text, false, reading) ?? read(text)).prepared, read };
}

interface Reading<Operation> {
  readonly options: PrepareOptions<Operation>;
  readonly readTree: (text: string) => OperationTree;
}

/**
 * Checks a text in the ledger's order and prepares its operations: length, syntax, size, validity.
 * @param hasPositions keeps positions in the text, which errors need. Parsing without them is up to three times as fast
 * @returns `null` if positions turn out to be needed and `hasPositions` is false
 */
function readDocument<Operation>(
  text: string,
  hasPositions: boolean,
  reading: Reading<Operation>,
): ReadDocument<Operation> | null {
  const { options } = reading;
  const { limits } = options;
  const locate = createLocate(text);
  const unreadable = (refusal: DocumentRefusal): ReadDocument<Operation> => ({
    prepared: { kind: 'unreadable', text, bytes: refusedBytes(text, refusal.errors), refusal },
    executable: null,
  });

  const tooLong = checkText(text, limits);
  if (tooLong) return unreadable(toRefusal(tooLong, locate));
  let document: DocumentNode;
  try {
    document = parseDocument(text, hasPositions);
  } catch (error) {
    return unreadable(toSyntaxRefusal(text, error, locate));
  }

  const measured = measureDocument(document, Buffer.byteLength(text), limits.calledPages?.fields);
  const { executable } = measured;
  const size = toSize(measured);
  const excess = checkDocument(measured, limits);
  if (excess) {
    if (!hasPositions) return null;
    const refusal = toRefusal(excess, locate);
    const bytes = refusedBytes(text, refusal.errors, size.numbers);
    return { prepared: { kind: 'refused', text, bytes, size, refusal }, executable };
  }

  const readable = (
    bytes: number,
    introspectedFields: number,
    errors: ReadableDocument<Operation>['errors'],
    operation: ReadableDocument<Operation>['operation'],
  ): ReadDocument<Operation> => {
    // One literal with all members: an object spread would give each document a hidden class of its own, and slow each request.
    return { prepared: { kind: 'readable', text, bytes, size, introspectedFields, errors, operation }, executable };
  };
  // `admitDocument` refuses it for its length, whatever its variables, so its validity does not matter.
  if (isQueryPartTooLong(size, limits)) return readable(refusedBytes(text, [], size.numbers), 0, [], findNothing);
  // Of several operations any may be executed here later, and its errors then need positions.
  if (!hasPositions && executable.operations.length !== 1) return null;
  let introspectedFields = 0;
  if (!acceptDocument(document, executable, options)) {
    if (!hasPositions) return null;
    const validity = validateDocument(document, executable, options);
    introspectedFields = validity.introspectedFields;
    const errors = validity.errors.map((error) => toPlainError(error, locate, 'GRAPHQL_VALIDATION_FAILED'));
    const bytes = refusedBytes(text, errors, size.numbers);
    if (errors.length > 0) return readable(bytes, introspectedFields, errors, findNothing);
  }

  const json = JSON.stringify(text);
  const [only, ...others] = executable.operations;
  if (!only || others.length > 0) {
    dropTokens(document);
    const operations = prepareEach(text, json, document, executable, reading);
    return readable(treeBytes(document, size), introspectedFields, [], operations);
  }
  const tree = toOperationTree(document, only, executable.fragments);
  const prepared = prepareOperation(text, json, tree, reading);
  const bytes = prepared.keepsTree ? treeBytes(document, size) : forwardedBytes(text, json, size, only);
  return readable(bytes, introspectedFields, [], findOnly(only.name?.value ?? null, prepared.operation));
}

/** A forwarded operation is kept without its tree, which is a hundred times as large as the rest. */
function prepareOperation<Operation>(
  text: string,
  json: string,
  tree: OperationTree,
  { options, readTree }: Reading<Operation>,
): { readonly operation: Operation; readonly keepsTree: boolean } {
  const plan = planOperation(tree, options.ownership);
  const keepsTree = !plan.isForwarded;
  const kept = keepsTree ? keep(tree.document.loc ? tree : readTree(text)) : readAgain(text, readTree);
  return { operation: options.prepareOperation({ text, json, plan, tree, readTree: kept }), keepsTree };
}

// Functions of their own, so that what they return does not hold the tree: closures of one scope hold all that any of them uses.

function keep(tree: OperationTree): () => OperationTree {
  if (tree.document.loc?.startToken) dropTokens(tree.document);
  return () => tree;
}

function readAgain(text: string, readTree: (text: string) => OperationTree): () => OperationTree {
  return () => readTree(text);
}

function findOnly<Operation>(own: string | null, prepared: Operation): (name: string | null) => Operation | null {
  return (name) => (name === null || name === own ? prepared : null);
}

function findNothing(): null {
  return null;
}

/**
 * The operations of a document that has several, each prepared at its first use. Unknown names are not remembered: a client can
 * invent any number of them.
 */
function prepareEach<Operation>(
  text: string,
  json: string,
  document: DocumentNode,
  { operations, fragments }: ExecutableDocument,
  reading: Reading<Operation>,
): (name: string | null) => Operation | null {
  const named = new Map(operations.map((each) => [each.name?.value ?? null, each]));
  const known = new Map<OperationDefinitionNode, Operation>();
  return (name) => {
    const operation = name === null ? undefined : named.get(name);
    if (!operation) return null;
    if (!known.has(operation)) {
      const tree = toOperationTree(document, operation, fragments);
      known.set(operation, prepareOperation(text, json, tree, reading).operation);
    }
    return known.get(operation) ?? null;
  };
}

function toRefusal(
  { error, hasUsage }: { readonly error: GraphQLError; readonly hasUsage: boolean },
  locate: Locate,
): DocumentRefusal {
  return { errors: [toPlainError(error, locate)], hasUsage };
}

function toSyntaxRefusal(text: string, error: unknown, locate: Locate): DocumentRefusal {
  // Any other error is a stack overflow of the parser: the document nests too deep.
  const fault = error instanceof GraphQLError ? error : null;
  const nesting = nestingBeforeFault(text, fault, maxTokens);
  if (!fault || nesting > maxNesting) return toRefusal(nestingRefusal(nesting), locate);
  return { errors: [toPlainError(fault, locate, 'GRAPHQL_PARSE_FAILED')], hasUsage: false };
}
