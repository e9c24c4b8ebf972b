import { readFileSync } from 'node:fs';
import { buildSchema, GraphQLError, Location, Source } from 'graphql';
import { expect, test } from 'vitest';
import { maxLines, shippedLimits } from '../../../src/documents/cost/limits.ts';
import type { Variables } from '../../../src/documents/cost/usage.ts';
import { createDocumentStore } from '../../../src/documents/document-store.ts';
import { admitDocument } from '../../../src/documents/prepared-document.ts';
import { maxErrors } from '../../../src/documents/validation/validate-document.ts';
import { countLiveObjects } from '../../support/count-live-objects.ts';
import { amendedOnly } from '../../support/documents.ts';

const limits = shippedLimits;
const schema = buildSchema(readFileSync(new URL('../../../schema/public.graphql', import.meta.url), 'utf8'));
const createStore = () =>
  createDocumentStore({
    schema,
    limits,
    rules: [],
    hidesSuggestions: false,
    ownership: amendedOnly,
    prepareOperation: () => null,
  });
const repeat = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join(' ');

const refusedTexts: readonly (readonly [kind: string, write: (index: number) => string])[] = [
  ['a fault of syntax', (index) => `{ a${index} ${repeat(100, () => 'a')}`],
  ['too many selections', (index) => `{ a${index} ${repeat(301, () => 'a')} }`],
  ['too deep', (index) => `query Q${index} ${'{ a '.repeat(21)}${'}'.repeat(21)}`],
  ['unknown fields', (index) => `query Q${index} { ${repeat(200, (field) => `unknown${field}`)} }`],
  [
    'a fragment without use',
    (index) => `query Q${index} { chainIdentifier } fragment F on Query { ${repeat(100, () => 'chainIdentifier')} }`,
  ],
  ['fields in conflict', (index) => `query Q${index} { ${repeat(60, (id) => `epoch(id: ${id}) { epochId }`)} }`],
];

test('a rejected document is kept as its errors only, without its text and nodes', () => {
  const store = createStore();
  const count = () => [Location, Source, GraphQLError].map(countLiveObjects).reduce((sum, each) => sum + each, 0);
  const refuse = (kind: string, text: string) =>
    expect(admitDocument(store.prepare(text), {}, limits).errors, kind).not.toEqual([]);
  for (const [kind, write] of refusedTexts) refuse(kind, write(0));
  const before = count();
  for (const [kind, write] of refusedTexts) {
    for (let index = 1; index <= 30; index += 1) refuse(kind, write(index));
    expect(store.find(write(30)), kind).toBeDefined();
  }
  // At most two documents, of hundreds of source locations each, are still to be collected.
  expect(count() - before).toBeLessThan(1_500);
});

test('a document that is too long is rejected without validation', () => {
  let validations = 0;
  const rule = () => {
    validations += 1;
    return {};
  };
  const options = {
    schema,
    limits,
    rules: [rule],
    hidesSuggestions: false,
    ownership: amendedOnly,
    prepareOperation: () => null,
  };
  const store = createDocumentStore(options);
  const tell = (text: string) => {
    const admission = admitDocument(store.prepare(text), {}, limits);
    return admission.errors.map(({ message }) => message);
  };
  expect(tell(`{ ${repeat(100, (index) => `unknown${'x'.repeat(1_000)}${index}`)} }`)).toEqual([
    expect.stringMatching(/^Query part too large: \d+ bytes/),
  ]);
  expect(validations).toBe(0);
  expect(tell('{ unknown }')).toEqual([expect.stringMatching(/^Cannot query field/)]);
  expect(validations).toBe(1);
});

test('a rejected document returns the same error each time: message, locations, code, limit', () => {
  const store = createStore();
  const tell = (text: string) => {
    const admission = admitDocument(store.prepare(text), {}, limits);
    return admission.errors.map((error) => error.toJSON());
  };
  const text = '{\n  chainIdentifer\n  epoch {\n    a: epochId a: referenceGasPrice } }';
  expect(tell(text)).toEqual([
    {
      message: 'Cannot query field "chainIdentifer" on type "Query". Did you mean "chainIdentifier"?',
      locations: [{ line: 2, column: 3 }],
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED', retry: 'never' },
    },
  ]);
  expect(tell(text)).toEqual(tell(text));
  const wide = `{\n${'chainIdentifier\n'.repeat(301)}}`;
  const excess = {
    message: 'Query has over 300 nodes',
    locations: [{ line: 302, column: 1 }],
    extensions: { code: 'BAD_USER_INPUT', retry: 'never', limit: { name: 'maxQueryNodes', max: 300, actual: 301 } },
  };
  expect([tell(wide), tell(wide)]).toEqual([[excess], [excess]]);
});

test.each<[string, boolean, string, Variables?]>([
  ['syntax', false, '{'],
  ['an unsupported directive', false, '{ chainIdentifier @nope }'],
  ['the depth', false, `${'{ a '.repeat(21)}${'}'.repeat(21)}`],
  ['the nodes', false, `{ ${repeat(301, () => 'chainIdentifier')} }`],
  ['a transaction', false, `mutation { executeTx(txBytes: "${'A'.repeat(174_762)}") { digest } }`],
  ['the length of the text', false, `{ chainIdentifier } #${'x'.repeat(6_000)}`],
  ['output nodes', true, 'query ($n: Int) { checkpoints(first: $n) { nodes { digest } } }', { n: 1_000_000 }],
  ['an unknown field', true, '{ unknown }'],
])('a rejection for %s has usage: %s', (_, hasUsage, text, variables = {}) => {
  const { errors, usage } = admitDocument(createStore().prepare(text), variables, limits);
  expect([errors.length > 0, usage !== null]).toEqual([true, hasUsage]);
});

test('reported errors are bounded in number, characters and locations', () => {
  const store = createStore();
  const tell = (text: string) => {
    const admission = admitDocument(store.prepare(text), {}, limits);
    return admission.errors;
  };
  expect(tell(`{ ${repeat(200, (index) => `unknown${index}`)} }`)).toHaveLength(maxErrors + 1);
  expect(tell(`{ ${'x'.repeat(4_000)} }`)[0]?.message).toHaveLength(501);
  expect(tell(`query (${repeat(300, () => '$a: Int')}) { chainIdentifier }`)[0]?.locations).toHaveLength(8);
});

test('a text may have a thousand lines', () => {
  const store = createStore();
  const admit = (text: string) => admitDocument(store.read(text).prepared, {}, limits);
  const lines = (count: number, terminator: string) => `{${terminator.repeat(count - 1)}chainIdentifier}`;
  for (const terminator of ['\n', '\r']) {
    expect(admit(lines(maxLines, terminator)).errors).toEqual([]);
    const over = admit(lines(maxLines + 1, terminator));
    expect(over.usage).toBeNull();
    expect(over.errors[0]?.message).toBe('Documents are limited to 1000 lines.');
  }
  const block = `mutation { executeTransactionBlock(txBytes: """a${'\n'.repeat(100_000)}a""", signatures: []) { digest } }`;
  expect(admit(block).errors).not.toEqual([]);
});
