import { type DocumentNode, GraphQLError, type OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { checkDocument, checkText, maxNesting, nestingRefusal } from './cost/limits.ts';
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
import { planOperation } from './plan-operation.ts';
import {
  createLocate,
  type DocumentRefusal,
  forwardedBytes,
  isQueryPartTooLong,
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

export interface DocumentStore<Operation = unknown> {
  /** Returns the prepared document of a text. Prepares it at first sight, and keeps it then or at its second sight. */
  prepare(text: string): PreparedDocument<Operation>;
  /** Returns the prepared document of a text if it is kept. Counts as a use. */
  find(text: string): PreparedDocument<Operation> | undefined;
  /** Reads a text that is only explained. Neither looks it up nor keeps it. */
  read(text: string): ReadDocument<Operation>;
}

/**
 * Memory for the prepared documents of one generation, by `PreparedDocument.bytes`. A document that is used again after it was
 * kept is proven. Proven documents have at least a quarter that others cannot evict. New documents are kept at first sight
 * until half of the memory is in use, and from then on at second sight. So a flood of texts that never repeat evicts nothing
 * and becomes garbage immediately; kept for a while, it would be collected with old objects, which pauses every request.
 */
const maxBytes = 60 * 1024 * 1024;
const maxProvenBytes = 45 * 1024 * 1024;
/** Longer texts are not kept: they hold transactions as literals, so they never repeat. */
const maxStoredCharacters = 20_000;

interface DocumentStoreBounds {
  /** All documents together. */
  readonly maxBytes: number;
  /** Documents that were used more than once; less than `maxBytes`. */
  readonly maxProvenBytes: number;
}

/** Keeps prepared documents, up to a bound in bytes. */
export function createDocumentStore<Operation>(
  options: PrepareOptions<Operation>,
  bounds: DocumentStoreBounds = { maxBytes, maxProvenBytes },
): DocumentStore<Operation> {
  const reader = createDocumentReader(options);
  const sizeCalculation = ({ bytes }: PreparedDocument<Operation>) => bytes;
  const newcomers = new LRUCache<string, PreparedDocument<Operation>>({ maxSize: bounds.maxBytes, sizeCalculation });
  const proven = new LRUCache<string, PreparedDocument<Operation>>({
    maxSize: bounds.maxProvenBytes,
    sizeCalculation,
    // The proven document that was not used for longest becomes a newcomer again.
    disposeAfter: (prepared, text, reason) => {
      if (reason === 'evict') newcomers.set(text, prepared);
    },
  });
  const sightings = createSightings();
  const atFirstSight = bounds.maxBytes / 2;
  const isKept = (text: string, { bytes }: PreparedDocument<Operation>): boolean =>
    newcomers.calculatedSize + bytes <= atFirstSight || sightings.note(text);
  const makeRoom = (): void => {
    while (newcomers.calculatedSize + proven.calculatedSize > bounds.maxBytes) newcomers.pop();
  };

  const find = (text: string): PreparedDocument<Operation> | undefined => {
    const known = proven.get(text);
    if (known) return known;
    const newcomer = newcomers.get(text);
    if (!newcomer) return undefined;
    newcomers.delete(text);
    proven.set(text, newcomer);
    return newcomer;
  };

  return {
    find,
    prepare(text) {
      const known = find(text);
      if (known) return known;
      const made = reader.prepare(text);
      if (text.length > maxStoredCharacters || !isKept(text, made)) return made;
      newcomers.set(text, made);
      makeRoom();
      return made;
    },
    read: reader.read,
  };
}

/** Remembers which texts came lately by four bytes each, so that texts that come once need no other memory. */
interface Sightings {
  /** Notes a text. @returns whether it was noted before; rarely true for a different text with the same hash */
  note(text: string): boolean;
}

/** A power of two. A text is forgotten when another one takes its slot: on average after so many others. */
const slots = 65_536;

function createSightings(): Sightings {
  const marks = new Uint32Array(slots);
  return {
    note(text) {
      const mark = toMark(text);
      const slot = mark & (slots - 1);
      if (marks[slot] === mark) return true;
      marks[slot] = mark;
      return false;
    },
  };
}

/**
 * FNV-1a, mixed once more so that any of its bits can choose the slot. A client that makes texts with equal hashes gets them
 * kept at first sight, which costs no more than sending each of them twice.
 */
function toMark(text: string): number {
  let mark = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) mark = Math.imul(mark ^ text.charCodeAt(index), 0x01000193);
  mark ^= mark >>> 16;
  mark = Math.imul(mark, 0x85ebca6b);
  mark ^= mark >>> 13;
  // 0 marks an empty slot.
  return mark >>> 0 || 1;
}

/** Reads the documents of one schema: parses, measures, validates and plans them. Never throws. */
interface DocumentReader<Operation = unknown> {
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
