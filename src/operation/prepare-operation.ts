import { type GraphQLObjectType, print, stripIgnoredCharacters } from 'graphql';
import { rootFieldNames, takePart, variablesOf } from '../documents/plan-operation.ts';
import type { PrepareOptions, ValidOperation } from '../documents/prepared-document.ts';
import { collectFields, usedFragments } from '../documents/selections.ts';
import { findTextVariables } from '../documents/validation/validate-document.ts';
import { createCoerceVariables, noTexts } from '../engine/coerce-variables.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Graph } from '../graph/generation.ts';
import { createCheckWaits } from '../graph/joins/join-waits.ts';
import type { ImmutableReads } from '../ledger/immutable/immutable-reads.ts';
import type { OpenLedgerStream } from '../ledger/ledger-streams.ts';
import { createExecuteHere, type ExecuteHere } from './execute-here.ts';
import type { ForwardForm, OpenStream, OperationParts, PreparedOperation } from './prepared-operation.ts';
import { ResultTexts } from './subscriptions/result-stream.ts';
import { createOpenLedgerStream, createOpenStream } from './subscriptions/run-stream.ts';

/** Bytes of printed results kept for subscribers that are sent the same: the newest of all subscriptions on a graph. */
const printedBytes = 8 * 1024 * 1024;

interface Preparing {
  readonly graph: Graph;
  /** `null` = no answers are kept. */
  readonly reads: Pick<ImmutableReads, 'prepare'> | null;
  /** Opens subscriptions of the ledger; `null` if nothing is executed. */
  readonly openLedgerStream: OpenLedgerStream | null;
  readonly printed: ResultTexts;
}

export function createPrepareOperation(
  graph: Graph,
  reads: Preparing['reads'] = null,
  openLedgerStream: Preparing['openLedgerStream'] = null,
): PrepareOptions<PreparedOperation>['prepareOperation'] {
  const preparing = { graph, reads, openLedgerStream, printed: new ResultTexts(printedBytes) };
  return (valid) => prepareOperation(valid, preparing);
}

/**
 * Functions made here must get the syntax tree from `tree()` and not capture it: a forwarded operation is kept without its
 * tree, which is a hundred times as large as the rest.
 */
function prepareOperation(valid: ValidOperation, preparing: Preparing): PreparedOperation {
  const { graph, reads } = preparing;
  const { schema, ownership } = graph;
  const { text, json, plan, readTree: tree } = valid;
  const { operation } = valid.tree;
  const type = operation.operation;
  const { isForwarded } = plan;
  const texts = isForwarded ? noTexts : findTexts(valid, graph);
  const prepared: PreparedOperation = {
    // Members one by one: a spread would give each operation a hidden class of its own.
    plan: plan.plan,
    isWhole: plan.isWhole,
    isConditional: plan.isConditional,
    isForwarded,
    ownMutations: plan.ownMutations,
    text,
    type,
    name: operation.name?.value ?? null,
    tree,
    schema,
    refusal: type === 'subscription' ? refuseSubscription(valid, ownership) : null,
    isLedgers: (field) => ownership.ownerOf(type, field) === 'upstream',
    coerce: isForwarded
      ? createCoerceVariables(schema, operation, () => tree().operation)
      : onDemand(() => createCoerceVariables(schema, tree().operation, () => tree().operation, texts)),
    // Other plans have no joins. Its errors have locations, so it reads the tree with positions.
    checkWaits: plan.plan === 'JOINED' || plan.plan === 'STITCHED' ? createCheckWaits(schema, tree()) : null,
    rootFields: (variables) => {
      const { operation: asked, fragments } = tree();
      const root = schema.getRootType(type) as GraphQLObjectType;
      return collectFields(root, [asked.selectionSet], { schema, fragments, variables });
    },
    parts: once(() => toParts(prepared, preparing, texts)),
    executeHere: once(() => toExecuteHere(prepared, preparing, texts)),
    openStream: type === 'subscription' ? once(() => toOpenStream(prepared, preparing, texts)) : null,
    unread: isForwarded
      ? always({ kind: 'whole', queryJson: json, ledgerVariables: null })
      : once(() => toForwardForm(prepared)),
    immutable: (isForwarded && reads?.prepare(schema, tree, valid.tree)) || null,
  };
  return prepared;
}

/** Variables declared with a scalar of the ledger and used where our schema takes a String. */
function findTexts({ tree: { operation, fragments } }: ValidOperation, { schema, idInputs }: Graph) {
  return findTextVariables(operation, usedFragments(operation.selectionSet, fragments), schema, idInputs);
}

/** Rejects a subscription whose field neither the ledger nor the gateway can answer alone. */
function refuseSubscription({ tree: { operation, fragments } }: ValidOperation, { ownerOf }: Graph['ownership']) {
  const [field] = rootFieldNames(operation, fragments);
  if (field !== undefined && ownerOf(operation.operation, field) !== null) return null;
  return gatewayError('NOT_CONFIGURED', 'This gateway does not offer this subscription.', { upstream: 'ledger' });
}

function toParts(
  { tree, plan, isLedgers }: PreparedOperation,
  { graph: { ownSchema } }: Preparing,
  texts: ReadonlySet<string>,
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

function toExecuteHere(
  { tree, plan, name }: PreparedOperation,
  { graph }: Preparing,
  texts: ReadonlySet<string>,
): ExecuteHere {
  const { document } = tree();
  const { ownSchema } = graph;
  const schema = plan === 'LOCAL' ? ownSchema : graph.schema;
  const joins = plan === 'JOINED' ? graph.operationJoins : null;
  return createExecuteHere({ schema, ownSchema, document, operationName: name, texts, joins });
}

function toOpenStream(
  operation: PreparedOperation,
  { graph, openLedgerStream, printed }: Preparing,
  texts: ReadonlySet<string>,
): OpenStream {
  const { tree, plan, name } = operation;
  if (plan === 'PASS_THROUGH' && openLedgerStream) return createOpenLedgerStream(operation, openLedgerStream);
  const { ownSchema } = graph;
  const schema = plan === 'LOCAL' ? ownSchema : graph.schema;
  return createOpenStream({ schema, ownSchema, document: tree().document, operationName: name, texts, printed });
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

function onDemand<Given, Result>(make: () => (given: Given) => Result): (given: Given) => Result {
  const made = once(make);
  return (given) => made()(given);
}

/** `null` if the operation has one owner, or interleaves root keys of both, which must be merged key by key. */
function toForwardForm(prepared: PreparedOperation): ForwardForm | null {
  if (prepared.isConditional) return null;
  if (prepared.plan === 'PASS_THROUGH') {
    const { ledger } = prepared.parts();
    return {
      kind: 'whole',
      queryJson: JSON.stringify(ledger.text),
      ledgerVariables: (sent) => variablesOf(ledger, sent),
    };
  }
  if (prepared.plan !== 'SPLIT') return null;
  const owners = [...prepared.rootFields({}).values()].map(([node]) => prepared.isLedgers(node?.name.value ?? ''));
  // All keys of one owner must come first: the owner changes exactly once.
  if (owners.filter((owner, index) => index > 0 && owner !== owners[index - 1]).length !== 1) return null;
  const { ledger, own } = prepared.parts();
  return {
    kind: 'split',
    queryJson: JSON.stringify(ledger.text),
    ledgerVariables: (sent) => variablesOf(ledger, sent),
    isLedgerFirst: owners[0] === true,
    executeOwn: (sent, context) => own.execute(variablesOf(own, sent), context),
  };
}
