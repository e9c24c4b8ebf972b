import { type GraphQLError, introspectionFromSchema, parse, print } from 'graphql';
import { describe, expect, test } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { parseConfig } from '../../../src/config/parse-config.ts';
import { toShape } from '../../../src/documents/document-shape.ts';
import { createDocumentStore } from '../../../src/documents/document-store.ts';
import type { PreparedDocument } from '../../../src/documents/prepared-document.ts';
import { buildGeneration } from '../../../src/graph/generation.ts';
import { silentLedgerService } from '../../../src/ledger/ledger-service.ts';
import { decideOperation } from '../../../src/operation/admit-operation.ts';
import { createPrepareOperation } from '../../../src/operation/prepare-operation.ts';
import type { PreparedOperation } from '../../../src/operation/prepared-operation.ts';
import { ledgerSchemas } from '../../support/ledger-schemas.ts';
import { createOwnSchema } from '../../support/own-schema.ts';
import { seededRandom } from '../../support/plausible-documents.ts';
import { richDocument } from '../../support/rich-documents.ts';

const createGraph = ({ schema, profile }: Pick<(typeof ledgerSchemas)[number], 'schema' | 'profile'>) =>
  buildGeneration<PreparedOperation>(
    { introspection: introspectionFromSchema(schema, { oneOf: true }), service: silentLedgerService, origin: 'ledger' },
    {
      prepareOn: createPrepareOperation,
      ownSchema: createOwnSchema(),
      execute: () => Promise.reject(new Error('nobody is asked')),
      names: networkProfiles[profile].joins,
      config: parseConfig({ env: {}, readFile: () => '' }),
    },
  );
type Graph = ReturnType<typeof createGraph>;
type Rest<List> = List extends [unknown, ...infer Others] ? Others : never;

/** Prepares texts as requests do, and tells whether that was done without the tree of the text. */
function createPrepare(graph: Graph, ...reads: Rest<Parameters<typeof createPrepareOperation>>) {
  const prepareOperation = createPrepareOperation(graph, ...reads);
  let trees = 0;
  const store = createDocumentStore<PreparedOperation>({
    schema: graph.schema,
    limits: graph.limits,
    rules: [],
    hidesSuggestions: false,
    prepareOperation: (valid) => {
      trees += 1;
      return prepareOperation(valid);
    },
  });
  return (text: string) => {
    const isNew = store.find(text) === undefined;
    const before = trees;
    const document = store.prepare(text);
    return { document, isByShape: isNew && trees === before && isValid(document) };
  };
}

const isValid = (document: PreparedDocument) => document.kind === 'readable' && document.errors.length === 0;

const told = (errors: readonly GraphQLError[]) => errors.map((error) => error.toJSON());

/** All that is known of a document which is seen outside. */
function known(
  graph: Graph,
  document: PreparedDocument<PreparedOperation>,
  variables: Readonly<Record<string, unknown>>,
) {
  const decision = decideOperation(graph, document, { variables, operationName: null });
  const { usage } = decision;
  if (decision.kind === 'refused') return { usage, refused: told(decision.errors) };
  const { text, type, name, plan, isWhole, isConditional, isForwarded, refusal, checkWaits, ...made } =
    decision.operation;
  const coerced = made.coerce(variables);
  const form = made.unread();
  return {
    usage,
    facts: { text, type, name, plan, isWhole, isConditional, isForwarded, refusal, isChecked: checkWaits !== null },
    form: form && { kind: form.kind, queryJson: form.queryJson, ending: form.ending },
    outline: made.outline(),
    fits: made.fits(variables),
    coerced: coerced.errors ? told(coerced.errors) : coerced.values,
    keys: coerced.errors ? null : [...made.rootFields(coerced.values).keys()],
  };
}

const contents = [
  '',
  '0x2',
  '12',
  '-7',
  'a b',
  '0x2::coin::Coin<0x2::sui::SUI>',
  'AAAA',
  '{ a }',
  "it's",
  '2025-01-01T00:00:00Z',
];

function withStrings(text: string, seed: number): string {
  const random = seededRandom(seed);
  return text.replaceAll(/"[^"]*"/g, () => `"${contents[Math.floor(random() * contents.length)]}"`);
}

describe.each(ledgerSchemas)('texts for $name that differ in their strings alone', (ledger) => {
  const graph = createGraph(ledger);
  const prepare = createPrepare(graph);

  test('are decided about as if each were looked at alone', { timeout: 60_000 }, () => {
    let byShape = 0;
    for (let seed = 0; seed < 250; seed += 1) {
      const text = richDocument(graph.schema, seed);
      if (!toShape(text)) continue;
      prepare(text);
      for (let variant = 0; variant < 2; variant += 1) {
        const other = withStrings(text, seed * 2 + variant);
        const { document, isByShape } = prepare(other);
        byShape += Number(isByShape);
        const { prepared } = graph.documents.read(other);
        for (const variables of [{}, { v_Int_0: 5, v_ID_0: 'x', v_String_0: 'y', v_Int_1: 'no' }]) {
          expect(known(graph, document, variables), other).toEqual(known(graph, prepared, variables));
        }
      }
    }
    expect(byShape).toBeGreaterThan(20);
  });
});

describe('a shape', () => {
  const [ledger] = ledgerSchemas;
  if (!ledger) throw new Error('there are no schemas');
  const graph = createGraph(ledger);
  const first = (before: string, after: string) => {
    const prepare = createPrepare(graph);
    prepare(before);
    return prepare(after);
  };

  test.each([
    ['addresses', '{ object(address: "0x1") { digest } }', '{ object(address: "nonsense") { digest } }'],
    [
      'strings in lists and objects',
      '{ objects(filter: {objectIds: ["0x1", "0x2"]}) { nodes { digest } } }',
      '{ objects(filter: {objectIds: ["0x3", "0x4"]}) { nodes { digest } } }',
    ],
    [
      'what variables have as defaults',
      'query ($a: LedgerAddress! = "0x1") { object(address: $a) { digest } }',
      'query ($a: LedgerAddress! = "0x2") { object(address: $a) { digest } }',
    ],
  ])('is shared by texts that differ in %s', (_, before, after) => {
    expect(first(before, after).isByShape).toBe(true);
  });

  test.each([
    [
      'numbers',
      '{ object(address: "0x1", version: 1) { digest } }',
      '{ object(address: "0x1", version: 2) { digest } }',
    ],
    [
      'the number of strings',
      '{ objects(filter: {objectIds: ["0x1"]}) { nodes { digest } } }',
      '{ objects(filter: {objectIds: ["0x1", "0x2"]}) { nodes { digest } } }',
    ],
    [
      'transactions',
      'mutation { executeTransactionBlock(txBytes: "AA==", signatures: ["AA=="]) { errors } }',
      'mutation { executeTransactionBlock(txBytes: "AAAA", signatures: ["AA=="]) { errors } }',
    ],
    [
      'strings of fields that are compared',
      '{ object(address: "0x1") { digest } object(address: "0x1") { version } }',
      '{ object(address: "0x1") { digest } object(address: "0x2") { version } }',
    ],
    [
      'strings of operations that directives decide about',
      'query ($a: Boolean!) { object(address: "0x1") @skip(if: $a) { digest } }',
      'query ($a: Boolean!) { object(address: "0x2") @skip(if: $a) { digest } }',
    ],
    [
      'strings of our own fields',
      '{ queryEvents(filter: {sender: "0x1"}) { nodes { type } } }',
      '{ queryEvents(filter: {sender: "0x2"}) { nodes { type } } }',
    ],
    [
      'strings that a type does not take',
      '{ transactionBlocks(scanLimit: 5, after: "a") { nodes { digest } } }',
      '{ transactionBlocks(scanLimit: "5", after: "a") { nodes { digest } } }',
    ],
    ['escapes', '{ object(address: "0x1") { digest } }', '{ object(address: "0x\\u0031") { digest } }'],
    [
      'descriptions',
      '"one" query A { object(address: "0x1") { digest } }',
      '"two" query A { object(address: "0x1") { digest } }',
    ],
  ])('is not shared by texts that differ in %s', (_, before, after) => {
    expect(first(before, after).isByShape).toBe(false);
  });

  test('says nothing of texts that became too long', () => {
    const text = (letters: number) => `{ object(address: "${'x'.repeat(letters)}") { digest } }`;
    const { document, isByShape } = first(text(5), text(19_000));
    expect(isByShape).toBe(true);
    const decision = decideOperation(graph, document, { variables: {}, operationName: null });
    expect(decision.kind === 'refused' && told(decision.errors)).toMatchObject([
      { extensions: { limit: { name: 'maxQueryPayloadSize', actual: 19_000 + text(0).length } } },
    ]);
  });

  test('leaves what never changes to be found out of each text', () => {
    const read: string[] = [];
    const prepare = createPrepare(graph, {
      prepare: (_schema, readTree, tree = readTree()) => {
        read.push(print(tree.operation));
        return { ask: () => null };
      },
    });
    const texts = ['0x1', '0x2'].map((id) => `{ object(address: "${id}", version: 1) { digest } }`);
    for (const [index, text] of texts.entries()) {
      const { document, isByShape } = prepare(text);
      expect(isByShape).toBe(index === 1);
      const operation = document.kind === 'readable' ? document.operation(null) : null;
      expect(operation?.immutable?.ask({})).toBeNull();
    }
    expect(read).toEqual(texts.map((text) => print(parse(text))));
  });
});
