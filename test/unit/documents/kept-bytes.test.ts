import { readFileSync } from 'node:fs';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { buildSchema, getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { admitDocument } from '../../../src/documents/admit-document.ts';
import { type PreparedDocument, prepareDocument } from '../../../src/documents/prepared-document.ts';
import { shippedLimits } from '../../../src/limits/limits.ts';
import { createPrepareOperation } from '../../../src/operation/prepare-operation.ts';
import type { PreparedOperation } from '../../../src/operation/prepared-operation.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const limits = shippedLimits;
const schema = buildSchema(readFileSync(new URL('../../../schema/public.graphql', import.meta.url), 'utf8'));
/** All that is worked out of an operation is kept with its document. */
const prepareOperation = createPrepareOperation({
  schema,
  ownSchema: buildSchema('type Query { own: Int }'),
  ownership: { ownSchema: schema, hasUsualRootNames: true, ownerOf: () => 'upstream' },
  idInputs: new Map(),
  operationJoins: null,
});
const repeat = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join(' ');

const kinds: readonly (readonly [kind: string, write: (name: string) => string])[] = [
  ['tiny', (name) => `query ${name} { __typename }`],
  ['wide', (name) => `query ${name} { epoch { ${repeat(290, () => 'epochId')} } }`],
  ['full of arguments', (name) => `query ${name} { ${repeat(140, (id) => `a${id}:epoch(id:1){epochId}`)} }`],
  [
    'full of variables',
    (name) =>
      `query ${name}(${repeat(110, (id) => `$v${id}:Int`)}){${repeat(110, (id) => `a${id}:epoch(id:$v${id}){epochId}`)}}`,
  ],
  [
    'with a long list',
    (name) =>
      `query ${name} { transactionBlocks(filter: {transactionIds: [${'"" '.repeat(1_200)}]}) { nodes { digest } } }`,
  ],
  [
    'of many fragments',
    (name) =>
      `query ${name}{${repeat(100, (id) => `...F${id}`)}} ${repeat(100, (id) => `fragment F${id} on Query{epoch{epochId}}`)}`,
  ],
  [
    'of many operations',
    (name) => `${repeat(150, (id) => `query A${id}{chainIdentifier}`)} query ${name}{chainIdentifier}`,
  ],
  ['asking for the schema', (name) => getIntrospectionQuery().replace('IntrospectionQuery', name)],
  [
    'refused for its spreads',
    (name) => `query ${name}{${repeat(600, () => 'a{...F}')}}fragment F on Q{nodes{a} edges}`,
  ],
  ['refused for its pages', (name) => `query ${name}{${repeat(200, (id) => `a(first:$v${id}){nodes{b}}`)}}`],
  ['refused for its fields', (name) => `query ${name}{${repeat(100, (id) => `unknown${id}`)}}`],
  ['no document', (name) => `query ${name}{${repeat(300, () => 'a')}`],
];

test.each(kinds)(
  'a document %s takes no more memory than it counts for',
  (_, write) => {
    const heapBytes = () => {
      collectGarbage();
      return getHeapStatistics().used_heap_size;
    };
    const kept: PreparedDocument<PreparedOperation>[] = [];
    const keep = (index: number) => {
      const prepared = prepareDocument(write(`Q${1_000 + index}`), {
        schema,
        limits,
        rules: [],
        hidesSuggestions: false,
        prepareOperation,
      });
      admitDocument(prepared, {}, limits);
      const operation = prepared.kind === 'readable' ? prepared.operation(`Q${1_000 + index}`) : null;
      operation?.fits({});
      operation?.unread();
      operation?.executeHere();
      kept.push(prepared);
    };
    for (let index = 0; index < 10; index += 1) keep(index);
    kept.length = 0;
    const before = heapBytes();
    for (let index = 0; index < 60; index += 1) keep(index);
    const grown = heapBytes() - before;
    const counted = kept.reduce((sum, { bytes }) => sum + bytes, 0);
    // What else this process does meanwhile is worth no more than this.
    expect(grown).toBeLessThan(counted + 2 ** 19);
  },
  30_000,
);
