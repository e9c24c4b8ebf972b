import { readFileSync } from 'node:fs';
import { buildSchema, GraphQLError, parse } from 'graphql';
import { expect, test } from 'vitest';
import { admitDocument } from '../../../../src/documents/admit-document.ts';
import { shippedLimits } from '../../../../src/documents/cost/limits.ts';
import { nestsBeforeFault } from '../../../../src/documents/cost/nests-before-fault.ts';
import { createDocumentStore } from '../../../../src/documents/document-store.ts';

const schema = buildSchema(readFileSync(new URL('../../../../schema/public.graphql', import.meta.url), 'utf8'));

function faultOf(text: string): GraphQLError {
  try {
    parse(text, { maxTokens: 4_000 });
  } catch (error) {
    if (error instanceof GraphQLError) return error;
  }
  throw new Error('not a fault of syntax');
}

const openSets = (levels: number) => '{ a '.repeat(levels);
const lists = (levels: number) => '['.repeat(levels);

test.each<readonly [what: string, text: string, isOver: boolean]>([
  ['33 open selection sets: 32 below the first', openSets(33), false],
  ['34', openSets(34), true],
  ['34 that are closed again, before a fault', `${openSets(34)}${'}'.repeat(34)} }`, true],
  ['a fault before the 34', `{ a ) ${openSets(40)}`, false],
  ['many side by side', `{ ${'a { b } '.repeat(60)}`, false],
  ['32 lists in a value', `{ a(b: ${lists(32)}`, false],
  ['33', `{ a(b: ${lists(33)}`, true],
  ['objects in lists in a value', `{ a(b: ${'[{ c: '.repeat(17)}`, true],
  ['values in each of two arguments', `{ a(b: ${lists(20)}${']'.repeat(20)}, c: ${lists(20)}`, false],
  ['braces within a string', `{ a(b: "${'{'.repeat(50)}") `, false],
  ['what is no token at all', `{ a ? ${openSets(40)}`, false],
])('%s', (_, text, isOver) => {
  expect(nestsBeforeFault(text, faultOf(text))).toBe(isOver);
});

test('a text that never closes what it opens is refused alike, however deep the parser comes', () => {
  const store = createDocumentStore({
    schema,
    limits: shippedLimits,
    rules: [],
    hidesSuggestions: false,
    prepareOperation: () => null,
  });
  const codesOf = (levels: number) => {
    const admission = admitDocument(store.prepare('{a'.repeat(levels)), {}, shippedLimits);
    return admission.kind === 'refused' ? admission.errors.map(({ extensions }) => extensions.code) : [];
  };
  expect(codesOf(20)).toEqual(['GRAPHQL_PARSE_FAILED']);
  for (const levels of [34, 100, 400, 1_500, 10_000]) expect(codesOf(levels)).toEqual(['BAD_USER_INPUT']);
});
