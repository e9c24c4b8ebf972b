import { type GraphQLObjectType, type GraphQLSchema, print, stripIgnoredCharacters } from 'graphql';
import { type OperationTree, toOutline } from '../documents/document-tree.ts';
import { findTextVariables } from '../documents/plan/id-variables.ts';
import {
  countOwnRootFields,
  hasDirectivesAtRoot,
  planOperation,
  rootFieldNames,
} from '../documents/plan/plan-operation.ts';
import { takePart } from '../documents/plan/split-document.ts';
import type { PrepareOptions, ValidOperation } from '../documents/prepared-document.ts';
import { collectFields, usedFragments } from '../documents/selections.ts';
import { coerceVariables, noTexts } from '../engine/coerce-variables.ts';
import { createFitsVariables } from '../engine/fits-variables.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Graph } from '../graph/generation.ts';
import { type CheckWaits, createCheckWaits } from '../graph/joins/join-waits.ts';
import type { ImmutableReads } from '../ledger/immutable/immutable-reads.ts';
import type { OpenLedgerStream } from '../ledger/ledger-streams.ts';
import { createExecuteHere, createKeepSchemaAnswer } from './execute-here.ts';
import { createOpenLedgerStream } from './open-ledger-stream.ts';
import type { OperationParts, PreparedOperation } from './prepared-operation.ts';
import { toUnreadSplit } from './run-unread-split.ts';
import { createOpenStream, type OpenStream, type OpenStreamOptions } from './subscriptions/open-stream.ts';
import { ResultTexts } from './subscriptions/shared-results.ts';

/**
 * @returns prepares the operations of documents that are valid on this graph
 * @param reads `null` = no answers are kept
 * @param openLedgerStream `null` = nothing is run
 */
export function createPrepareOperation(
  graph: Graph,
  reads: Pick<ImmutableReads, 'prepare'> | null = null,
  openLedgerStream: OpenLedgerStream | null = null,
): PrepareOptions<PreparedOperation>['prepareOperation'] {
  const [keepSchemaAnswer, printed] = [createKeepSchemaAnswer(), new ResultTexts(printedBytes)];
  const building = { graph, reads, openLedgerStream, keepSchemaAnswer, printed };
  return (valid) => prepareOperation(valid, building);
}

interface Building {
  readonly graph: Graph;
  readonly reads: Pick<ImmutableReads, 'prepare'> | null;
  readonly openLedgerStream: OpenLedgerStream | null;
  readonly keepSchemaAnswer: ReturnType<typeof createKeepSchemaAnswer>;
  /** Of all its subscriptions. */
  readonly printed: ResultTexts;
}

/** What is kept of the results of streams while others may be told the same: the newest of them, in bytes. */
const printedBytes = 8 * 1024 * 1024;

/**
 * Functions made here must get the syntax tree from `tree()` and not capture it. An operation whose text is forwarded is kept
 * without its tree, which is a hundred times as large as the rest.
 */
function prepareOperation(valid: ValidOperation, building: Building): PreparedOperation {
  const { graph, reads, openLedgerStream, keepSchemaAnswer, printed } = building;
  const { schema, ownSchema, ownership, idInputs } = graph;
  const { document, operation, fragments } = valid.tree;
  const type = operation.operation;
  const name = operation.name?.value ?? null;
  const plan = planOperation(operation, fragments, ownership);
  const used = usedFragments(operation.selectionSet, fragments);
  const isWhole = document.definitions.length === 1 + used.length;
  const isConditional = hasDirectivesAtRoot(operation, fragments);
  const isForwarded = plan === 'PASS_THROUGH' && isWhole && !isConditional;
  const tree = isForwarded ? valid.readTree : valid.keepTree();
  // A forwarded operation has no field of ours, and so none of our inputs.
  const texts = isForwarded ? noTexts : findTextVariables(operation, used, schema, idInputs);
  const prepared: PreparedOperation = {
    type,
    name,
    plan,
    isWhole,
    isConditional,
    isForwarded,
    ownMutations: operation.operation === 'mutation' ? countOwnRootFields(operation, fragments, ownership) : 0,
    // No other plan has joins.
    checkWaits: plan === 'JOINED' || plan === 'STITCHED' ? toCheckWaits(schema, tree()) : null,
    fits: isForwarded
      ? createFitsVariables(schema, operation)
      : onDemand(() => createFitsVariables(schema, tree().operation, texts)),
    text: valid.text,
    tree,
    outline: () => toOutline(type, name),
    schema,
    refusal: type === 'subscription' && isOfNobody(tree(), ownership) ? refusedSubscription() : null,
    isLedgers: (field) => ownership.ownerOf(type, field) === 'upstream',
    coerce: (variables, maxErrors) => coerceVariables(schema, tree().operation, variables, { maxErrors, texts }),
    rootFields: (variables) => {
      const asked = tree();
      const root = schema.getRootType(type) as GraphQLObjectType;
      return collectFields(root, [asked.operation.selectionSet], { schema, fragments: asked.fragments, variables });
    },
    parts: once(() => toParts(prepared, { ownSchema, texts })),
    executeHere: once(() => {
      const asked = tree();
      const options = { document: asked.document, operationName: name, ownSchema, texts };
      const execute =
        plan === 'LOCAL'
          ? createExecuteHere({ ...options, schema: ownSchema, joins: null })
          : createExecuteHere({ ...options, schema, joins: plan === 'JOINED' ? graph.operationJoins : null });
      return keepSchemaAnswer(asked.document, asked.operation, execute);
    }),
    openStream:
      type === 'subscription'
        ? once(() => toOpenStream(prepared, openLedgerStream, { ownSchema, texts, printed }))
        : null,
    unread: isForwarded ? always({ kind: 'whole', queryJson: valid.json }) : once(() => toUnreadSplit(prepared)),
    immutable: (isForwarded && reads?.prepare(schema, valid.readTree, valid.tree)) || null,
  };
  return prepared;
}

function toCheckWaits(schema: GraphQLSchema, { operation, fragments }: OperationTree): CheckWaits | null {
  return createCheckWaits(schema, operation, fragments);
}

function toOpenStream(
  operation: PreparedOperation,
  openLedgerStream: OpenLedgerStream | null,
  options: Pick<OpenStreamOptions, 'ownSchema' | 'texts' | 'printed'>,
): OpenStream {
  const { tree, plan, schema, name } = operation;
  if (plan === 'PASS_THROUGH' && openLedgerStream) return createOpenLedgerStream(operation, openLedgerStream);
  const { document } = tree();
  const isJoined = plan !== 'LOCAL';
  const executed = isJoined ? schema : options.ownSchema;
  return createOpenStream({ ...options, schema: executed, document, operationName: name });
}

function toParts(
  { tree, plan, isLedgers }: PreparedOperation,
  { ownSchema, texts }: { readonly ownSchema: GraphQLSchema; readonly texts: ReadonlySet<string> },
): OperationParts {
  const { operation, fragments } = tree();
  // If everything is the ledger's, `__typename` at the root is too.
  const ledger = takePart(operation, fragments, plan === 'PASS_THROUGH' ? () => true : isLedgers);
  const own = takePart(operation, fragments, (field) => !isLedgers(field));
  const { document } = own;
  return {
    ledger: { ...ledger, text: stripIgnoredCharacters(print(ledger.document)) },
    own: {
      ...own,
      execute: createExecuteHere({ schema: ownSchema, ownSchema, document, operationName: null, texts, joins: null }),
    },
  };
}

/** Has a subscription a field that neither the ledger nor we can answer alone? */
function isOfNobody({ operation, fragments }: OperationTree, { ownerOf }: Graph['ownership']): boolean {
  const [field] = rootFieldNames(operation, fragments);
  return field === undefined || ownerOf(operation.operation, field) === null;
}

function refusedSubscription() {
  return gatewayError('NOT_CONFIGURED', 'This gateway cannot carry this subscription.', { upstream: 'ledger' });
}

function always<Value>(value: Value): () => Value {
  return () => value;
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A function that is made when it is first called. */
function onDemand<Given, Result>(make: () => (given: Given) => Result): (given: Given) => Result {
  const made = once(make);
  return (given) => made()(given);
}
