import { hash } from 'node:crypto';
import { type DocumentNode, GraphQLError, type OperationDefinitionNode } from 'graphql';
import { bytesOf, checkDocument, checkText, maxNesting, refuseNesting } from './cost/limits.ts';
import { type MeasuredDocument, measureDocument, toSize } from './cost/measure-document.ts';
import { contractRules } from './cost/usage.ts';
import {
  createTreeReader,
  dropTokens,
  maxTokens,
  nestingBeforeFault,
  type OperationTree,
  parseDocument,
  toOperationTree,
} from './document-tree.ts';
import { type OperationPlan, planOperation } from './plan-operation.ts';
import {
  createLocate,
  forwardedBytes,
  type Locate,
  type PlainError,
  type PreparedDocument,
  type PrepareOptions,
  queryPart,
  type ReadDocument,
  refusedBytes,
  toPlainError,
  treeBytes,
} from './prepared-document.ts';
import type { ExecutableDocument } from './selections.ts';
import { TrialCache } from './trial-cache.ts';
import { canForward } from './validation/check-forwarded.ts';
import { validateDocument } from './validation/validate-document.ts';

/**
 * Memory for the prepared documents of one generation, by `PreparedDocument.bytes`. New documents are kept at first sight until
 * those on trial use half of it, and from then on at second sight. So a flood of texts that never repeat evicts nothing and
 * becomes garbage immediately; kept for a while, it would be collected with old objects, which pauses every request.
 */
const defaultBounds = {
  maxBytes: 60 * 1024 * 1024,
  maxProvenBytes: 45 * 1024 * 1024,
  maxPinnedBytes: 60 * 1024 * 1024,
};
/** Longer texts are not kept: they hold transactions as literals, so they never repeat. */
const maxStoredCharacters = 20_000;

export type DocumentStore<Operation = unknown> = ReturnType<typeof createDocumentStore<Operation>>;

export function createDocumentStore<Operation>(
  options: PrepareOptions<Operation>,
  given: Partial<typeof defaultBounds> = {},
) {
  const bounds = { ...defaultBounds, ...given };
  type Prepared = PreparedDocument<Operation>;
  const reader = createDocumentReader(options);
  const cache = new TrialCache<Prepared>(bounds);
  const wasSeen = createWasSeen();
  const isKept = (text: string, { bytes }: Prepared) =>
    text.length <= maxStoredCharacters && (cache.bytes.onTrial + bytes <= bounds.maxBytes / 2 || wasSeen(text));

  let pinned: ReadonlyMap<string, Prepared> = new Map();

  /** Returns the prepared document of a text if it is kept. Counts as a use. */
  const find = (text: string): Prepared | undefined =>
    (pinned.size > 0 ? pinned.get(text) : undefined) ?? cache.find(text);

  return {
    find,
    /** Numbers of kept documents. A pinned document may also be counted as new or used. */
    get sizes() {
      const { onTrial, proven } = cache.sizes;
      return { new: onTrial, used: proven, trusted: pinned.size };
    },
    /** Returns the prepared document of a text. Prepares it at first sight, and keeps it then or at its second sight. */
    prepare(text: string): Prepared {
      const known = find(text);
      if (known) return known;
      const made = reader.prepare(text);
      if (isKept(text, made)) cache.set(text, made);
      return made;
    },
    /**
     * Prepares documents that stay whatever else is requested, one at each step; those that were pinned before are released
     * at the end. Documents beyond the memory for them are kept like any other.
     */
    *pin(texts: readonly string[]): Generator<Prepared, void> {
      const kept = new Map<string, Prepared>();
      let bytes = 0;
      for (const text of texts) {
        const known = kept.get(text) ?? find(text);
        const made = known ?? reader.read(text).prepared;
        if (!kept.has(text) && bytes + made.bytes <= bounds.maxPinnedBytes) {
          bytes += made.bytes;
          kept.set(text, made);
        }
        yield made;
      }
      pinned = kept;
    },
    /** Reads a text that is only explained, without looking it up or storing it. */
    read: reader.read,
  };
}

/** A text is forgotten when another one takes its slot: on average after this many others. */
const slots = 65_536;

/**
 * Returns a function that records a text, and reports whether the text was recorded before. Takes four bytes per text, and
 * rarely mistakes a text for another one with the same hash, which is then kept at first sight.
 */
function createWasSeen(): (text: string) => boolean {
  const marks = new Uint32Array(slots);
  return (text) => {
    const mark = hash('sha256', text, 'buffer').readUInt32LE();
    const slot = mark % slots;
    if (marks[slot] === mark) return true;
    marks[slot] = mark;
    return false;
  };
}

/** Reads the documents of one schema: parses, measures, validates and plans them. Never throws. */
export function createDocumentReader<Operation>(options: PrepareOptions<Operation>) {
  const reading = { options, readTree: createTreeReader() };
  /** Validates all of it, and returns the syntax tree as well, with its positions in the text. */
  const read = (text: string) => readDocument(text, true, true, reading) as ReadDocument<Operation>;
  const prepare = (text: string) =>
    (readDocument(text, false, false, reading) ?? (readDocument(text, true, false, reading) as ReadDocument<Operation>))
      .prepared;
  return { prepare, read };
}

interface Reading<Operation> {
  readonly options: PrepareOptions<Operation>;
  readonly readTree: (text: string) => OperationTree;
}

/**
 * Checks a text in the ledger's order and prepares its operations: length, syntax, size, validity.
 * @param hasPositions keeps positions in the text, which errors need. Parsing without them is up to three times as fast
 * @param isExplained validates also a document of the ledger's fields alone, which the ledger will validate
 * @returns `null` if positions turn out to be needed and `hasPositions` is false
 */
function readDocument<Operation>(
  text: string,
  hasPositions: boolean,
  isExplained: boolean,
  reading: Reading<Operation>,
): ReadDocument<Operation> | null {
  const { options } = reading;
  const { limits, schema, ownership } = options;
  const { rules = contractRules } = limits;
  const locate = createLocate(text);
  const refused = (errors: readonly PlainError[], measured: MeasuredDocument | null = null) => {
    const size = measured && toSize(measured);
    const bytes = refusedBytes(text, errors, size?.numbers);
    return {
      prepared: { kind: 'refused', text, bytes, size, errors },
      executable: measured?.executable ?? null,
    } as const;
  };

  const tooLong = checkText(text, limits);
  if (tooLong) return refused([toPlainError(tooLong.error, locate)]);
  let document: DocumentNode;
  try {
    document = parseDocument(text, hasPositions);
  } catch (error) {
    return refused([toSyntaxError(text, error, locate)]);
  }

  const measured = measureDocument(document, Buffer.byteLength(text), {
    rules,
    schema,
    calledFields: limits.calledPages?.fields,
    bodyBytes: rules.payload === 'body' ? bytesOf(text, rules) : 0,
    maxNodes: limits.maxQueryNodes,
    isOwn: (type, name) => ownership.ownerOf(type, name) === 'own',
  });
  const { executable } = measured;
  const excess = checkDocument(measured, limits);
  if (excess) return hasPositions ? refused([toPlainError(excess.error, locate)], measured) : null;

  const size = toSize(measured);
  const readable = (
    bytes: number,
    introspectedFields: number,
    errors: readonly PlainError[],
    operation: (name: string | null) => Operation | null,
  ): ReadDocument<Operation> => {
    // One literal with all members: an object spread would give each document a hidden class of its own, and slow each request.
    return { prepared: { kind: 'readable', text, bytes, size, introspectedFields, errors, operation }, executable };
  };
  // `admitDocument` rejects it for its length, whatever its variables, so its validity does not matter.
  if (queryPart(size, {}, null, rules) > limits.maxQueryPayloadSize)
    return readable(refusedBytes(text, [], size.numbers), 0, [], findNothing);
  // Of several operations any may be executed here later, and its errors then need positions.
  if (!hasPositions && executable.operations.length !== 1) return null;
  let introspectedFields = 0;
  const { operations, fragments } = executable;
  const plans = operations.map((operation) => planOperation({ document, operation, fragments }, ownership));
  const isLedgers = plans.every(({ plan, partsKind }) => plan === 'PASS_THROUGH' && partsKind === 'upstream');
  // The ledger's words may suggest names of the schema.
  if (isExplained || options.hidesSuggestions || !isLedgers || !canForward(measured, schema)) {
    if (!hasPositions) return null;
    const validity = validateDocument(document, executable, options);
    introspectedFields = validity.introspectedFields;
    const errors = validity.errors.map((error) => toPlainError(error, locate, 'GRAPHQL_VALIDATION_FAILED'));
    const bytes = refusedBytes(text, errors, size.numbers);
    if (errors.length > 0) return readable(bytes, introspectedFields, errors, findNothing);
  }

  const json = JSON.stringify(text);
  const [only, ...others] = operations;
  const [plan] = plans;
  if (!only || !plan || others.length > 0) {
    dropTokens(document);
    const prepare = prepareEach(text, json, document, executable, plans, reading);
    return readable(treeBytes(text, document, size), introspectedFields, [], prepare);
  }
  const operation = prepareOperation(text, json, toOperationTree(document, only, fragments), plan, reading);
  const bytes = plan.isForwarded ? forwardedBytes(text, json, size, only) : treeBytes(text, document, size);
  return readable(bytes, introspectedFields, [], findOnly(only.name?.value ?? null, operation));
}

/** A forwarded operation is kept without its tree, which is a hundred times as large as the rest. */
function prepareOperation<Operation>(
  text: string,
  json: string,
  tree: OperationTree,
  plan: OperationPlan,
  { options, readTree }: Reading<Operation>,
): Operation {
  const again = plan.isForwarded ? readAgain(text, readTree) : keep(tree.document.loc ? tree : readTree(text));
  return options.prepareOperation({ text, json, plan, tree, readTree: again });
}

// Separate functions, so that the closures they return do not keep the syntax tree in memory: closures of one scope keep every
// variable that any of them uses.

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
  plans: readonly OperationPlan[],
  reading: Reading<Operation>,
): (name: string | null) => Operation | null {
  const named = new Map(operations.map((each, index) => [each.name?.value ?? null, [each, plans[index]] as const]));
  const known = new Map<OperationDefinitionNode, Operation>();
  return (name) => {
    const [operation, plan] = (name === null ? undefined : named.get(name)) ?? [];
    if (!operation || !plan) return null;
    if (!known.has(operation)) {
      const tree = toOperationTree(document, operation, fragments);
      known.set(operation, prepareOperation(text, json, tree, plan, reading));
    }
    return known.get(operation) ?? null;
  };
}

function toSyntaxError(text: string, error: unknown, locate: Locate): PlainError {
  // Any other error is a stack overflow of the parser: the document nests too deep.
  const fault = error instanceof GraphQLError ? error : null;
  const nesting = nestingBeforeFault(text, fault, maxTokens);
  if (!fault || nesting > maxNesting) return toPlainError(refuseNesting(nesting).error, locate);
  return toPlainError(fault, locate, 'GRAPHQL_PARSE_FAILED');
}
