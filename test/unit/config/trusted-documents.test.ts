import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseManifest } from '../../../src/config/document-manifest.ts';
import { createTrustedDocuments, maxRegisteredBytes } from '../../../src/documents/trusted-documents.ts';
import { createRoom } from '../../../src/upstream/quota.ts';

const apollo = (operations: unknown) =>
  JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations });
const sha256 = (text: string) => hash('sha256', text);

test.each([
  [apollo([{ id: 'a', body: '{ a }', name: 'A', type: 'query' }]), [{ id: 'a', name: 'A', text: '{ a }' }]],
  [
    JSON.stringify({ d41d8cd98f00b204e9800998ecf8427e: '{ a }', b: '{ a }' }),
    [
      { id: 'd41d8cd98f00b204e9800998ecf8427e', name: null, text: '{ a }' },
      { id: 'b', name: null, text: '{ a }' },
    ],
  ],
  [
    JSON.stringify({ [`sha256:${sha256('{ ü }')}`]: '{ ü }' }),
    [{ id: `sha256:${sha256('{ ü }')}`, name: null, text: '{ ü }' }],
  ],
])('a manifest is read: %s', (text, documents) => {
  expect(parseManifest(text)).toEqual(documents);
});

const file = 'TRUSTED_DOCUMENTS_FILE';
test.each([
  ['', file, /^a JSON object/, 'text that is not JSON'],
  ['[]', file, /^a JSON object/, 'something else'],
  ['{}', file, /^at least one document/, 'none'],
  [apollo([]), file, /^at least one document/, 'none'],
  [apollo([null]), `${file}.operations.0`, /^an id/, 'another one'],
  [apollo([{ id: 'a' }]), `${file}.operations.0`, /^the text/, 'none'],
  [apollo([{ id: 'a', body: ' ' }]), `${file}.operations.0`, /^the text/, 'an empty one'],
  [JSON.stringify({ a: { body: '{ a }' } }), `${file}."a"`, /^the text/, 'none'],
  [JSON.stringify({ '': '{ a }' }), `${file}.""`, /^an id/, 'another one'],
  [JSON.stringify({ operations: [] }), `${file}.format`, /^apollo-persisted-query-manifest/, 'another one'],
  [apollo([]).replace('"version":1', '"version":2'), `${file}.version`, /^1/, 'another one'],
  [JSON.stringify({ 'sha256:abc': '{ a }' }), `${file}."sha256:abc"`, /^the SHA-256/, 'another id'],
  [
    apollo([
      { id: 'a', body: '{ a }' },
      { id: 'a', body: '{ b }' },
    ]),
    `${file}.operations.1`,
    /^one document for each id/,
    'an id that another document has',
  ],
  [
    // One id in two forms.
    JSON.stringify({ [sha256('{ a }')]: '{ b }', [`sha256:${sha256('{ a }')}`]: '{ a }' }),
    `${file}."sha256:${sha256('{ a }')}"`,
    /^one document for each id/,
    'an id that another document has',
  ],
  [`{"a":"${'a'.repeat(16 * 1024 * 1024)}"}`, file, /^at most 16777216 characters/, '16777224 characters'],
])('a manifest with a mistake is rejected: %.60s', (text, key, expected, got) => {
  const result = parseManifest(text);
  expect('mistakes' in result && result.mistakes).toEqual([{ key, expected: expect.stringMatching(expected), got }]);
});

test('a manifest has at most 10,000 documents, and a broken one reports its first 20 mistakes', () => {
  const of = (count: number, text: unknown) =>
    JSON.stringify(
      Array.from({ length: count }, () => text).reduce<object>(
        (map, each, index) => Object.assign(map, { [`i${index}`]: each }),
        {},
      ),
    );
  expect(parseManifest(of(10_000, '{ a }'))).toHaveLength(10_000);
  expect(parseManifest(of(10_001, '{ a }'))).toMatchObject({ mistakes: [{ got: '10001' }] });
  expect(parseManifest(of(30, 1))).toHaveProperty('mistakes.length', 20);
});

const text = '{ a }';
const documents = [
  { id: sha256(text), name: null, text },
  { id: `sha256:${sha256('{ b }')}`, name: null, text: '{ b }' },
  { id: 'f'.repeat(64), name: null, text: '{ c }' },
];
const trusted = () => createTrustedDocuments({ documents, automatic: null });
const byId = (documentId: string) => ({ query: '', documentId });

test('a hash is found with and without its prefix, any other id only as it stands', () => {
  const { resolve } = trusted();
  for (const [each] of [[text], ['{ b }']] as const) {
    expect(resolve(byId(sha256(each)))).toBe(each);
    expect(resolve(byId(`sha256:${sha256(each)}`))).toBe(each);
  }
  expect(resolve(byId('f'.repeat(64)))).toBe('{ c }');
  for (const id of [`sha256:${'f'.repeat(64)}`, `x-${sha256(text)}`, sha256(text).toUpperCase(), '__proto__', text])
    expect(resolve(byId(id))).toMatchObject({ message: 'PersistedQueryNotFound' });
});

test('replaced documents are unknown from then on', () => {
  const { resolve, has, replace } = trusted();
  replace([{ id: 'new', name: null, text: '{ n }' }]);
  expect([has(text), has('{ n }'), resolve(byId('new'))]).toEqual([false, true, '{ n }']);
  expect(resolve(byId(sha256(text)))).toMatchObject({ message: 'PersistedQueryNotFound' });
});

test('without a manifest and without automatic persisted queries, clients learn to send texts', () => {
  const { resolve } = createTrustedDocuments({ documents: null, automatic: null });
  expect(resolve(byId(sha256(text)))).toMatchObject({ message: 'PersistedQueryNotSupported' });
});

test('a registered text is found by its hash alone, and makes no document trusted', () => {
  const { resolve, register, has } = createTrustedDocuments({
    documents: null,
    automatic: createRoom(maxRegisteredBytes),
  });
  const both = { query: text, documentId: sha256(text) };
  expect(resolve(byId(sha256(text)))).toMatchObject({ message: 'PersistedQueryNotFound' });
  expect(resolve(both)).toBe(text);
  register(both, 'one');
  expect(resolve(byId(`sha256:${sha256(text)}`))).toBe(text);
  expect(has(text)).toBe(false);
  expect(resolve({ query: '{ other }', documentId: sha256(text) })).toMatchObject({
    message: 'The hash in extensions.persistedQuery is not the SHA-256 of the query.',
  });
});

test('registered texts take a bounded amount of memory, and a caller that fills it loses its own', () => {
  const { resolve, register } = createTrustedDocuments({ documents: null, automatic: createRoom(maxRegisteredBytes) });
  const long = (index: number) => `{ a${index} ${'a'.repeat(128 * 1024)} }`;
  register({ query: long(-1), documentId: 'other' }, 'another');
  for (let index = 0; index < 60; index += 1) register({ query: long(index), documentId: `id${index}` }, 'one');
  const kept = Array.from({ length: 60 }, (_, index) => resolve(byId(`id${index}`))).filter(
    (each) => typeof each === 'string',
  );
  expect(kept.length).toBeGreaterThan(25);
  expect(kept.length).toBeLessThan(32);
  expect([resolve(byId('other')), resolve(byId('id59'))]).toEqual([long(-1), long(59)]);
});
