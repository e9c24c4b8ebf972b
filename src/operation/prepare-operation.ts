import {
  type FieldNode,
  type GraphQLObjectType,
  type OperationDefinitionNode,
  print,
  stripIgnoredCharacters,
} from 'graphql';
import type { OperationTree } from '../documents/document-tree.ts';
import { type OperationPlan, rootFieldNames, takePart, variablesOf } from '../documents/plan-operation.ts';
import type { PrepareOptions, ValidOperation } from '../documents/prepared-document.ts';
import { collectFields, responseKey, usedFragments } from '../documents/selections.ts';
import { findTextVariables } from '../documents/validation/validate-document.ts';
import { createCoerceVariables, noTexts } from '../engine/coerce-variables.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Graph } from '../graph/generation.ts';
import { createCheckWaits } from '../graph/joins/join-waits.ts';
import { serviceConfigField, showInForce } from '../graph/show-in-force.ts';
import type { ImmutableReads } from '../ledger/immutable/immutable-reads.ts';
import type { OpenLedgerStream } from '../ledger/ledger-streams.ts';
import { createExecuteOwn, type ExecuteOwn } from './execute-own.ts';
import type {
  ForwardForm,
  LedgerPart,
  OpenStream,
  OperationParts,
  OperationStep,
  PreparedOperation,
  RootOrder,
} from './prepared-operation.ts';
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
    partsKind: plan.partsKind,
    hasJoins: plan.hasJoins,
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
    isLedgers: (field) => isLedgers(ownership.ownerOf(type, field)),
    coerce: operation.variableDefinitions?.length
      ? createCoerceVariables(schema, operation, () => tree().operation, texts)
      : null,
    // Its errors have locations, so it reads the tree with positions.
    checkWaits: plan.hasJoins ? createCheckWaits(schema, tree()) : null,
    rootFields: (variables) => {
      const { operation: asked, fragments } = tree();
      const root = schema.getRootType(type) as GraphQLObjectType;
      return collectFields(root, [asked.selectionSet], { schema, fragments, variables });
    },
    parts: once(() => toParts(prepared, preparing)),
    unread: isForwarded ? { queryJson: json, ledgerVariables: null } : toPartForm(plan, tree),
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

function isLedgers(owner: ReturnType<Graph['ownership']['ownerOf']>): boolean {
  return owner === 'upstream' || owner === 'amended';
}

function toParts(prepared: PreparedOperation, preparing: Preparing): OperationParts {
  const { partsKind: kind, isLedgers, tree } = prepared;
  const { graph } = preparing;
  if (kind === 'upstream') return { kind, ledger: toLedgerPart(prepared, graph, isEverything) };
  if (kind === 'stream') return { kind, open: toOpenStream(prepared, preparing) };
  const { operation, fragments } = tree();
  if (kind === 'own') return { kind, execute: toExecuteOwn(prepared, graph, operation) };
  const isLedgersField = ({ name }: FieldNode) => isLedgers(name.value);
  if (kind === 'both') {
    const own = takePart(operation, fragments, (field) => !isLedgersField(field));
    const execute = toExecuteOwn(prepared, graph, own.operation);
    return { kind, ledger: toLedgerPart(prepared, graph, isLedgersField), execute, order: toRootOrder(prepared) };
  }
  const steps = new Map<string, OperationStep>();
  const toStep = (key: string): OperationStep => {
    const hasKey = (field: FieldNode) => responseKey(field) === key;
    const part = takePart(operation, fragments, hasKey);
    return [...rootFieldNames(part.operation, fragments)].some(isLedgers)
      ? { kind: 'upstream', ledger: toLedgerPart(prepared, graph, hasKey) }
      : { kind: 'own', execute: toExecuteOwn(prepared, graph, part.operation) };
  };
  const stepOf = (key: string): OperationStep => {
    const step = steps.get(key) ?? toStep(key);
    steps.set(key, step);
    return step;
  };
  return { kind, stepOf };
}

const isEverything = () => true;

function toLedgerPart(
  { isWhole, plan, text, tree, rootFields }: PreparedOperation,
  { inForce, schema }: Graph,
  isKept: (field: FieldNode) => boolean,
): LedgerPart {
  const amend: LedgerPart['amend'] =
    plan === 'STITCHED'
      ? (answer, variables) => {
          const { fragments } = tree();
          return showInForce(answer, rootFields(variables), inForce, { schema, fragments, variables });
        }
      : (answer) => answer;
  // If everything is the ledger's, `__typename` at the root is too.
  if (isKept === isEverything && isWhole) return { text, variables: null, amend };
  return { ...toLedgersText(tree(), isKept), amend };
}

function toExecuteOwn(
  { tree, hasJoins }: PreparedOperation,
  { schema, ownSchema, operationJoins }: Graph,
  operation: OperationDefinitionNode,
): ExecuteOwn {
  const { fragments } = tree();
  return createExecuteOwn({ schema, ownSchema, operation, fragments, joins: hasJoins ? operationJoins : null });
}

function toOpenStream(prepared: PreparedOperation, preparing: Preparing): OpenStream {
  const { graph, openLedgerStream, printed } = preparing;
  const { tree, plan } = prepared;
  if (plan === 'PASS_THROUGH' && openLedgerStream) {
    return createOpenLedgerStream(prepared, toLedgerPart(prepared, graph, isEverything), openLedgerStream);
  }
  const { operation, fragments } = tree();
  const execute = toExecuteOwn(prepared, graph, operation);
  return createOpenStream({ schema: graph.ownSchema, operation, fragments, execute, printed });
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** For one of several operations of a document; `null` if the gateway executes or changes a part of it. */
function toPartForm(plan: OperationPlan, tree: PreparedOperation['tree']): ForwardForm | null {
  if (plan.isConditional || plan.plan !== 'PASS_THROUGH' || plan.partsKind !== 'upstream') return null;
  const { text, variables } = toLedgersText(tree(), isEverything);
  return { queryJson: JSON.stringify(text), ledgerVariables: (sent) => variablesOf({ variables }, sent) };
}

/** The ledger's fields of an operation as a document of their own. */
function toLedgersText({ operation, fragments }: OperationTree, isKept: (field: FieldNode) => boolean) {
  const { document, variables } = takePart(operation, fragments, isKept);
  return { text: stripIgnoredCharacters(print(document)), variables };
}

function toRootOrder({ isConditional, rootFields, isLedgers }: PreparedOperation): RootOrder {
  if (isConditional) return 'mixed';
  const names = [...rootFields({}).values()].map(([node]) => node?.name.value ?? '');
  const owners = names.map(isLedgers);
  const changes = owners.filter((owner, index) => index > 0 && owner !== owners[index - 1]).length;
  // The gateway changes the ledger's service config.
  if (changes !== 1 || names.includes(serviceConfigField)) return 'mixed';
  return owners[0] ? 'ledger first' : 'ours first';
}
