import { readFileSync } from 'node:fs';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { buildSchema, getIntrospectionQuery, introspectionFromSchema } from 'graphql';
import { expect, test } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { parseConfig } from '../../../src/config/parse-config.ts';
import type { PreparedDocument } from '../../../src/documents/prepared-document.ts';
import { buildGeneration } from '../../../src/graph/generation.ts';
import { immutableFields } from '../../../src/ledger/immutable/immutable-fields.ts';
import { createImmutableReads } from '../../../src/ledger/immutable/immutable-reads.ts';
import { silentLedgerService } from '../../../src/ledger/ledger-service.ts';
import { decideOperation } from '../../../src/operation/admit-operation.ts';
import { createPrepareOperation } from '../../../src/operation/prepare-operation.ts';
import type { PreparedOperation } from '../../../src/operation/prepared-operation.ts';
import { createCancellation } from '../../../src/upstream/cancellation.ts';
import { createOwnSchema } from '../../support/own-schema.ts';
import { toTestCaller } from '../../support/test-caller.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const ledger = buildSchema(readFileSync(new URL('../../../schema/ledger.graphql', import.meta.url), 'utf8'));
const profile = networkProfiles.ledger;
const reads = createImmutableReads({
  maxBytes: 1_000_000,
  lifeMs: 1_000,
  tables: profile.immutableFields.map((name) => immutableFields[name]),
  version: () => '1',
  readNetworkId: () => Promise.resolve(null),
  now: () => 0,
});
const generation = buildGeneration<PreparedOperation>(
  { introspection: introspectionFromSchema(ledger), service: silentLedgerService, origin: 'ledger' },
  {
    prepareOn: (graph) => createPrepareOperation(graph, reads),
    ownSchema: createOwnSchema(),
    execute: () => Promise.reject(new Error('nobody is asked')),
    names: profile.joins,
    config: parseConfig({ env: {}, readFile: () => '' }),
  },
);
const repeat = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join(' ');
const variables = { first: 1, flag: true };
const context = { requestId: 'r', cancellation: createCancellation(), caller: toTestCaller() };

/** All of it that a request may need, in every shell. */
function use(text: string): PreparedDocument<PreparedOperation> {
  const { prepared } = generation.documents.read(text);
  for (const [, name = null] of text.matchAll(/(?:query|mutation) (\w+)/g)) {
    decideOperation(generation, prepared, { variables, operationName: name });
    const operation = prepared.kind === 'readable' ? prepared.operation(name) : null;
    if (!operation) continue;
    operation.coerce?.(variables);
    operation.immutable?.ask(variables);
    if (operation.isForwarded) operation.tree();
    const parts = operation.parts();
    if (parts.kind !== 'own' && parts.kind !== 'both') continue;
    // Compiles for every condition.
    const values = operation.coerce?.(variables).values;
    for (const flag of [true, false]) {
      const result = parts.execute({ ...values, flag }, context);
      if (result instanceof Promise) result.catch(() => {});
    }
  }
  return prepared;
}

const object = 'address version digest status storageRebate';
const event = 'timestamp json bcs sender { address } type { repr }';
const pages = (count: number) => repeat(count, (id) => `a${id}: events(first: $first) { nodes { ${event} } }`);
const coins = 'reservationId gasCoins { objectId version digest';

type Kind = readonly [kind: string, plan: PreparedOperation['plan'] | 'refused', write: (name: string) => string];
const kinds: readonly Kind[] = [
  ['tiny', 'PASS_THROUGH', (name) => `query ${name} { chainIdentifier }`],
  [
    'with fragments',
    'PASS_THROUGH',
    (name) =>
      `query ${name}($first: Int, $filter: EventFilter) { events(first: $first, filter: $filter) { nodes { ...E } pageInfo { hasNextPage endCursor } } } fragment E on Event { ${event} sendingModule { name package { digest } } }`,
  ],
  [
    'of ten objects',
    'PASS_THROUGH',
    (name) =>
      `query ${name}(${repeat(10, (id) => `$a${id}: LedgerAddress!`)}) { ${repeat(10, (id) => `a${id}: object(address: $a${id}) { ${object} }`)} }`,
  ],
  [
    'whose answer never changes',
    'PASS_THROUGH',
    (name) => `query ${name} { object(address: "0x2", version: 1) { address version digest storageRebate } }`,
  ],
  [
    'whose answer never changes under many conditions',
    'PASS_THROUGH',
    (name) => `query ${name}($n: UInt53!){${repeat(50, (id) => `a${id}:checkpoint(id:{sequenceNumber:$n}){digest}`)}}`,
  ],
  [
    'whose answer never changes if many variables are given',
    'PASS_THROUGH',
    (name) =>
      `query ${name}(${repeat(50, (id) => `$v${id}:UInt53`)}){${repeat(50, (id) => `a${id}:checkpoint(id:{sequenceNumber:$v${id}}){digest}`)}}`,
  ],
  ['wide', 'PASS_THROUGH', (name) => `query ${name} { epoch { ${repeat(290, () => 'epochId')} } }`],
  ['of all nodes', 'PASS_THROUGH', (name) => `query ${name}($first: Int) { ${pages(30)} }`],
  [
    'full of arguments',
    'PASS_THROUGH',
    (name) => `query ${name} { ${repeat(140, (id) => `a${id}:epoch(id:1){epochId}`)} }`,
  ],
  [
    'full of variables',
    'PASS_THROUGH',
    (name) =>
      `query ${name}(${repeat(110, (id) => `$v${id}:Int`)}){${repeat(110, (id) => `a${id}:epoch(id:$v${id}){epochId}`)}}`,
  ],
  [
    'full of pages',
    'PASS_THROUGH',
    (name) =>
      `query ${name}(${repeat(70, (id) => `$v${id}:Int`)}){${repeat(70, (id) => `a${id}:events(first:$v${id}){nodes{bcs}}`)}}`,
  ],
  [
    'that may end in many ways',
    'PASS_THROUGH',
    (name) =>
      `query ${name}($flag: Boolean!){${repeat(90, (id) => `b${id}:epoch@skip(if:$flag){c${id}:epochId@skip(if:$flag)}`)}}`,
  ],
  [
    'with a long list',
    'PASS_THROUGH',
    (name) =>
      `query ${name} { transactionBlocks(filter: {transactionIds: [${'"" '.repeat(1_200)}]}) { nodes { digest } } }`,
  ],
  [
    'of many fragments',
    'PASS_THROUGH',
    (name) =>
      `query ${name}{${repeat(100, (id) => `...F${id}`)}} ${repeat(100, (id) => `fragment F${id} on Query{epoch{epochId}}`)}`,
  ],
  ['with letters of the world', 'PASS_THROUGH', (name) => `query ${name} { chainIdentifier } # ${'語'.repeat(1_500)}`],
  ['of many lines', 'PASS_THROUGH', (name) => `query ${name} { chainIdentifier ${'\n'.repeat(900)} }`],
  [
    'of many operations',
    'PASS_THROUGH',
    (name) => `${repeat(150, (id) => `query A${id}{chainIdentifier}`)} query ${name}{chainIdentifier}`,
  ],
  [
    'that directives decide about',
    'PASS_THROUGH',
    (name) => `query ${name}($flag: Boolean!) { chainIdentifier @include(if: $flag) }`,
  ],
  [
    'of our own',
    'LOCAL',
    (name) => `mutation ${name} { reserveGas(gasBudget: 5, reserveDurationSecs: 6) { ${coins} } } }`,
  ],
  [
    'of much that is our own',
    'LOCAL',
    (name) => `query ${name} { ${repeat(140, (id) => `a${id}: sponsor { health }`)} }`,
  ],
  [
    'of our own under conditions',
    'LOCAL',
    (name) =>
      `query ${name}($flag: Boolean!) { ${repeat(100, (id) => `a${id}: sponsor @skip(if: $flag) { health }`)} sponsor @include(if: $flag) { health } }`,
  ],
  [
    'joined',
    'STITCHED',
    (name) =>
      `mutation ${name} { reserveGas(gasBudget: 5, reserveDurationSecs: 6) { ${coins} object { ${object} } } } }`,
  ],
  ['split', 'SPLIT', (name) => `query ${name} { chainIdentifier epoch { epochId } sponsor { health } }`],
  ['split and large', 'SPLIT', (name) => `query ${name}($first: Int) { ${pages(25)} sponsor { health } }`],
  ['stitched', 'STITCHED', (name) => `query ${name} { chainIdentifier serviceConfig { maxQueryDepth } }`],
  [
    'stitched and large',
    'STITCHED',
    (name) => `query ${name}($first: Int) { serviceConfig { maxQueryDepth } ${pages(25)} }`,
  ],
  ['asking for the schema', 'STITCHED', (name) => getIntrospectionQuery().replace('IntrospectionQuery', name)],
  [
    'refused for its spreads',
    'refused',
    (name) => `query ${name}{${repeat(600, () => 'a{...F}')}}fragment F on Q{nodes{a} edges}`,
  ],
  ['refused for its pages', 'refused', (name) => `query ${name}{${repeat(200, (id) => `a(first:$v${id}){nodes{b}}`)}}`],
  ['refused for its fields', 'refused', (name) => `query ${name}{${repeat(100, (id) => `unknown${id}`)}}`],
  ['refused with long names', 'refused', (name) => `query ${name}{${repeat(10, (id) => `${'x'.repeat(480)}${id}`)}}`],
  ['no document', 'refused', (name) => `query ${name}{${repeat(300, () => 'a')}`],
];

test.each(kinds)(
  'a document %s takes no more memory than it is counted for, and at least a quarter of it',
  (_, plan, write) => {
    const heapBytes = () => {
      collectGarbage();
      return getHeapStatistics().used_heap_size;
    };
    const kept: PreparedDocument<PreparedOperation>[] = [];
    const keep = (index: number) => {
      const name = `Q${1_000 + index}`;
      // As requests bring it: of a text that was put together its pieces may be kept besides.
      kept.push(use(JSON.parse(JSON.stringify(write(name)))));
    };
    keep(0);
    const [one] = kept;
    const operation = one?.kind === 'readable' ? one.operation('Q1000') : null;
    expect(operation?.plan ?? 'refused').toBe(plan);
    // Shapes of answers that never change have a bound of their own, for all documents together: it is reached here.
    const warm = operation?.immutable ? 220 : 15;
    for (let index = 0; index < warm; index += 1) keep(index);
    // What else this process does meanwhile is worth no more than this, in the best of three tries.
    const noise = 2 ** 19;
    let [grown, counted] = [Number.POSITIVE_INFINITY, 0];
    const isCounted = () => grown < counted + noise && counted < Math.max(grown, 0) * 4 + 2 * noise;
    for (let tries = 0; tries < 3 && !isCounted(); tries += 1) {
      kept.length = 0;
      const before = heapBytes();
      for (let index = 0; index < 40; index += 1) keep(index);
      grown = heapBytes() - before;
      counted = kept.reduce((sum, { bytes }) => sum + bytes, 0);
    }
    expect(grown).toBeLessThan(counted + noise);
    expect(counted).toBeLessThan(Math.max(grown, 0) * 4 + 2 * noise);
  },
  30_000,
);

test.each(['# 語\n', '# "語', '# 語\t\t', '# é\n\n\n'])(
  'a document that ends in %j is kept, whatever its number of characters and escapes',
  (end) => {
    const text = `{ chainIdentifier } ${end}`;
    const { bytes } = generation.documents.prepare(text);
    expect(bytes).toBe(Math.ceil(bytes));
    expect(generation.documents.find(text)?.text).toBe(text);
  },
);

/** Ten objects, their addresses written out as frontends do that inline literals: 2.4 KB. */
const inlined = (index: number) => {
  const address = `0x${String(index).padStart(64, '0')}`;
  const more = 'owner { __typename ... on AddressOwner { owner { address } } } previousTransactionBlock { digest }';
  return `query Objects { ${repeat(10, (id) => `a${id}: object(address: "${address}") { ${object} ${more} }`)} }`;
};

test('two thousand texts sent in rotation are nearly always found', () => {
  const { documents } = generation;
  const texts = Array.from({ length: 2_000 }, (_, index) => inlined(index));
  expect(texts[0]?.length).toBeGreaterThan(2_200);
  let hits = 0;
  for (const turn of [1, 2, 3]) {
    for (const text of texts) {
      if (documents.find(text)) hits += 1;
      else documents.prepare(text);
    }
    if (turn === 1) expect(hits).toBe(0);
  }
  expect(hits / (2 * texts.length)).toBeGreaterThan(0.95);
}, 60_000);
