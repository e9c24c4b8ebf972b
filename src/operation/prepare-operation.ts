import { type GraphQLObjectType, type GraphQLSchema, print, stripIgnoredCharacters } from 'graphql';
import type { PrepareOptions, ValidOperation } from '../documents/prepared-document.ts';
import { coerceVariables } from '../execution/coerce-variables.ts';
import { createFitsVariables } from '../execution/fits-variables.ts';
import type { Graph } from '../graph/generation.ts';
import { collectFields } from '../planning/collect-fields.ts';
import { fragmentsOf } from '../planning/fragments-of.ts';
import { findIdUses } from '../planning/id-variables.ts';
import { hasDirectivesAtRoot, planOperation, usedFragments } from '../planning/plan-operation.ts';
import { takePart } from '../planning/split-document.ts';
import { createCheckWaits } from './check-waits.ts';
import { createExecuteHere } from './execute-here.ts';
import { createKeepSchemaAnswer } from './keep-schema-answer.ts';
import type { OperationParts, PreparedOperation } from './prepared-operation.ts';
import { refusedSubscription } from './refused-subscription.ts';
import { toUnreadForm } from './to-unread-form.ts';

/** @returns prepares the operations of documents that are valid on this graph */
export function createPrepareOperation(graph: Graph): PrepareOptions<PreparedOperation>['prepareOperation'] {
  const keepSchemaAnswer = createKeepSchemaAnswer();
  return (valid) => prepareOperation(valid, graph, keepSchemaAnswer);
}

function prepareOperation(
  { text, document, operation }: ValidOperation,
  graph: Graph,
  keepSchemaAnswer: ReturnType<typeof createKeepSchemaAnswer>,
): PreparedOperation {
  const { schema, ownSchema, ownership, idInputs } = graph;
  const fragments = fragmentsOf(document);
  const plan = planOperation(operation, fragments, ownership);
  const isWhole = document.definitions.length === 1 + usedFragments(operation.selectionSet, fragments).length;
  const isConditional = hasDirectivesAtRoot(operation, fragments);
  const isLedgers = (field: string) => ownership.ownerOf(operation.operation, field) === 'upstream';
  const idUses = findIdUses(operation, fragments, schema, idInputs);
  const texts = new Set([...idUses].map(({ name }) => name.value));
  const prepared: PreparedOperation = {
    text,
    document,
    operation,
    fragments,
    schema,
    plan,
    refusal: operation.operation === 'subscription' ? refusedSubscription() : null,
    isWhole,
    isConditional,
    isForwarded: plan === 'PASS_THROUGH' && isWhole && !isConditional,
    // No other plan has joins.
    checkWaits: plan === 'JOINED' || plan === 'STITCHED' ? createCheckWaits(schema, operation, fragments) : null,
    isLedgers,
    fits: onDemand(() => createFitsVariables(schema, operation, texts)),
    coerce: (variables, maxErrors) => coerceVariables(schema, operation, variables, { maxErrors, texts }),
    rootFields: (variables) => {
      const type = schema.getRootType(operation.operation) as GraphQLObjectType;
      return collectFields(type, [operation.selectionSet], { schema, fragments, variables });
    },
    parts: once(() => toParts(prepared, { ownSchema, texts })),
    executeHere: once(() => {
      const { name } = operation;
      const options = { document, operationName: name?.value ?? null, ownSchema, texts };
      const execute =
        plan === 'LOCAL'
          ? createExecuteHere({ ...options, schema: ownSchema, joins: null })
          : createExecuteHere({ ...options, schema, joins: plan === 'JOINED' ? graph.operationJoins : null });
      return keepSchemaAnswer(document, operation, execute);
    }),
    unread: once(() => toUnreadForm(prepared)),
  };
  return prepared;
}

function toParts(
  { operation, fragments, plan, isLedgers }: PreparedOperation,
  { ownSchema, texts }: { readonly ownSchema: GraphQLSchema; readonly texts: ReadonlySet<string> },
): OperationParts {
  // Where everything is the ledger's, its `__typename` is too.
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
