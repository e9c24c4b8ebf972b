import { readFileSync } from 'node:fs';
import { buildSchema, GraphQLError, parse } from 'graphql';
import { expect, test } from 'vitest';
import { shippedLimits } from '../../../../src/documents/cost/limits.ts';
import { createDocumentStore } from '../../../../src/documents/document-store.ts';
import { maxTokens, nestingBeforeFault } from '../../../../src/documents/document-tree.ts';
import { admitDocument } from '../../../../src/documents/prepared-document.ts';
import { ledgersOnly } from '../../../support/documents.ts';

const schema = buildSchema(readFileSync(new URL('../../../../schema/public.graphql', import.meta.url), 'utf8'));

function faultOf(text: string): GraphQLError {
  try {
    parse(text, { maxTokens });
  } catch (error) {
    if (error instanceof GraphQLError) return error;
  }
  throw new Error('not a fault of syntax');
}

const openSets = (levels: number) => '{ a '.repeat(levels);
const lists = (levels: number) => '['.repeat(levels);

test.each<readonly [what: string, text: string, levels: number]>([
  ['33 open selection sets: 32 below the first', openSets(33), 32],
  ['34', openSets(34), 33],
  ['34 that are closed again, before a fault', `${openSets(34)}${'}'.repeat(34)} }`, 33],
  ['a fault before the 34', `{ a ) ${openSets(40)}`, 0],
  ['many side by side', `{ ${'a { b } '.repeat(60)}`, 1],
  ['32 lists in a value', `{ a(b: ${lists(32)}`, 32],
  ['33', `{ a(b: ${lists(33)}`, 33],
  ['objects in lists in a value', `{ a(b: ${'[{ c: '.repeat(17)}`, 34],
  ['values in each of two arguments', `{ a(b: ${lists(20)}${']'.repeat(20)}, c: ${lists(20)}`, 20],
  ['braces within a string', `{ a(b: "${'{'.repeat(50)}") `, 0],
  ['what is no token at all', `{ a ? ${openSets(40)}`, 0],
])('%s', (_, text, levels) => {
  expect(nestingBeforeFault(text, faultOf(text), maxTokens)).toBe(levels);
});

test('a text that never closes its braces is rejected in the same way, however deep the parser gets', () => {
  const store = createDocumentStore({
    schema,
    limits: shippedLimits,
    rules: [],
    hidesSuggestions: false,
    ownership: ledgersOnly,
    prepareOperation: () => null,
  });
  const told = (levels: number) => {
    const admission = admitDocument(store.prepare('{a'.repeat(levels)), {}, shippedLimits);
    return admission.errors.map(({ extensions }) => extensions);
  };
  expect(told(20)).toEqual([{ code: 'GRAPHQL_PARSE_FAILED', retry: 'never' }]);
  for (const levels of [34, 100, 400, 1_500, 10_000]) {
    // What the parser never reached is not counted.
    const actual = Math.min(levels, maxTokens / 2) - 1;
    expect(told(levels)).toEqual([
      { code: 'BAD_USER_INPUT', retry: 'never', limit: { name: 'maxNesting', max: 32, actual } },
    ]);
  }
});
