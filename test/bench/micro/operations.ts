import { readFileSync } from 'node:fs';
import { buildSchema, type FieldNode, type GraphQLCompositeType, getOperationAST, parse } from 'graphql';
import { shippedLimits } from '../../../src/documents/cost/limits.ts';
import { measureDocument } from '../../../src/documents/cost/measure-document.ts';
import { createDocumentReader, createDocumentStore } from '../../../src/documents/document-store.ts';
import { type Ownership, planOperation } from '../../../src/documents/plan-operation.ts';
import { admitDocument, type PreparedDocument, priceDocument } from '../../../src/documents/prepared-document.ts';
import { toExecutableDocument } from '../../../src/documents/selections.ts';
import {
  createToJoinLookup,
  groupJoinLookups,
  toJoinDocument,
  toJoinSelection,
} from '../../../src/graph/joins/join-document.ts';
import { findPlainEnd, spliceUsage } from '../../../src/ledger/answers/plain-answer.ts';
import { ledgersOnly } from '../../support/documents.ts';
import { createLedgerAnswers } from '../load/ledger-answers.ts';
import { coinsOf, manyCoinsBudget } from '../load/sponsor-answers.ts';

export interface MicroOperation {
  readonly name: string;
  readonly run: () => unknown;
}

const smallText = '{ chainIdentifier }';

const eventsText = `query Events($first: Int, $after: String, $filter: EventFilter) {
  events(first: $first, after: $after, filter: $filter) { nodes { ...EventFields } pageInfo { hasNextPage endCursor } }
}
fragment EventFields on Event { ...Origin type { ...TypeName } sender { address } timestamp json bcs }
fragment Origin on Event { sendingModule { name package { digest } } }
fragment TypeName on MoveType { repr }`;
const eventsVariables = { first: 50, after: 'cursor', filter: { eventType: '0x2::battle' } };

/** As many selections as ledgers allow, page sizes by variable. */
const largeText = `query Large($first: Int) {
${Array.from(
  { length: 25 },
  (_, index) =>
    `a${index}: events(first: $first) { nodes { timestamp json bcs sender { address } type { repr } } pageInfo { hasNextPage endCursor } }`,
).join('\n')}
}`;
const largeVariables = { first: 10 };

/** The pure steps that every request goes through, or that a document goes through once. */
export function createMicroOperations(projectRoot: string): readonly MicroOperation[] {
  const schema = buildSchema(readFileSync(`${projectRoot}/schema/public.graphql`, 'utf8'));
  const limits = shippedLimits;
  const options = {
    schema,
    limits,
    rules: [],
    hidesSuggestions: false,
    ownership: ledgersOnly,
    prepareOperation: () => null,
  };
  const store = createDocumentStore(options);
  const { prepare } = createDocumentReader(options);
  const small = toReadable(prepare(smallText));
  const events = toReadable(prepare(eventsText));
  const large = toReadable(prepare(largeText));
  const largeDocument = parse(largeText);
  const largeName = `${large.size.inputNodes} nodes`;
  const joins = toJoins(projectRoot);
  const page = toPage(createLedgerAnswers(projectRoot)(eventsText, eventsVariables));
  const usage = priceDocument(events.size, eventsVariables, limits);
  const splice = () => {
    const end = findPlainEnd(page);
    if (end === null) throw new Error('the answer of the bench is no plain one');
    return spliceUsage(page, end, usage);
  };

  return [
    { name: 'prepare: { chainIdentifier }', run: () => prepare(smallText) },
    { name: 'prepare: events with fragments', run: () => prepare(eventsText) },
    { name: `prepare: ${largeName}`, run: () => prepare(largeText) },
    { name: `measure, parsed already: ${largeName}`, run: () => measureDocument(largeDocument, largeText.length) },
    { name: 'look up a prepared document', run: () => store.prepare(eventsText) },
    { name: 'price: events with fragments', run: () => priceDocument(events.size, eventsVariables, limits) },
    { name: `price: ${largeName}`, run: () => priceDocument(large.size, largeVariables, limits) },
    { name: 'admit: { chainIdentifier }', run: () => admitted(small, {}) },
    { name: 'admit: events with fragments', run: () => admitted(events, eventsVariables) },
    { name: `admit: ${largeName}`, run: () => admitted(large, largeVariables) },
    { name: 'plan: events with fragments', run: toPlanning(eventsText, projectRoot) },
    { name: `splice usage into an answer of ${Math.round(page.size / 1_000)} KB`, run: splice },
    { name: 'one document for 20 joins, as text', run: joins },
  ];

  function admitted(prepared: PreparedDocument, variables: Readonly<Record<string, unknown>>) {
    const admission = admitDocument(prepared, variables, limits);
    if (admission.errors.length > 0) throw new Error(String(admission.errors[0]));
    return admission;
  }
}

/** A document that is refused would be measured on a shorter way. */
function toReadable(prepared: PreparedDocument) {
  if (prepared.kind !== 'readable')
    throw new Error(`a document of the bench is refused: ${prepared.errors[0]?.message}`);
  const [error] = prepared.errors;
  if (error) throw new Error(error.message);
  return prepared;
}

/** An answer in pieces of the size in which sockets give them. */
function toPage(text: string) {
  const bytes = Buffer.from(text);
  const chunkBytes = 16_384;
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
    bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  );
  return { chunks, size: bytes.length };
}

/** What the gateway works out once for each operation of a document. */
function toPlanning(text: string, projectRoot: string): () => string {
  const own = buildSchema(
    ['sponsor', 'events', 'gateway']
      .map((name) => readFileSync(`${projectRoot}/schema/${name}.graphql`, 'utf8'))
      .map((sdl, index) => (index === 0 ? sdl : sdl.replaceAll(/^type (Query|Mutation) /gm, 'extend type $1 ')))
      .join('\n'),
  );
  const ownership: Ownership = {
    ownSchema: own,
    hasUsualRootNames: true,
    ownerOf: (operation, name) => (own.getRootType(operation)?.getFields()[name] ? 'own' : 'upstream'),
  };
  const document = parse(text);
  const {
    operations: [operation],
    fragments,
  } = toExecutableDocument(document);
  if (!operation) throw new Error('a document of the bench has no operation');
  return () => planOperation({ document, operation, fragments }, ownership).plan;
}

function toJoins(projectRoot: string): () => string {
  const ledger = buildSchema(readFileSync(`${projectRoot}/schema/ledger.graphql`, 'utf8'));
  const operation = getOperationAST(parse('{ object { address version digest owner { __typename } } }'));
  const type = ledger.getType('Object');
  if (!operation || !type) throw new Error('the ledger has no objects');
  const fields = operation.selectionSet.selections as readonly FieldNode[];
  const source = { operation, fragments: new Map() };
  const selection = toJoinSelection('j', fields, type as GraphQLCompositeType, source);
  const toLookup = createToJoinLookup({ field: 'object', id: 'address', version: 'version', selection });
  return () => {
    const lookups = coins.map(({ objectId, version }) => toLookup({ id: objectId, version: String(version) }));
    return groupJoinLookups(lookups, shippedLimits).map(toJoinDocument).join();
  };
}

const coins = coinsOf(manyCoinsBudget);
