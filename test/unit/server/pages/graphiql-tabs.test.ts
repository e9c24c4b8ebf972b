import { readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { exampleTabs } from '../../../../src/server/pages/graphiql-tabs.ts';

const graph = buildSchema(readFileSync(new URL('../../../../schema/public.graphql', import.meta.url), 'utf8'));
const sources = { events: 'JSON-RPC', hasSponsor: true };
const nameOf = (query: string) => /(?:query|mutation|subscription) (\w+)/.exec(query)?.[1];

it('on the simulated network there is a tab for each step, in their order', () => {
  const names = exampleTabs(graph, sources).map(({ query }) => nameOf(query));
  expect(names).toEqual([
    'Everything',
    'LatestTransactions',
    'LatestEvents',
    'LiveEvents',
    'Reserve',
    'Sign',
    'Execute',
  ]);
});

it('a schema shows the tabs that it can answer, and no other', () => {
  const schema = buildSchema('type Query { chainIdentifier: String }');
  expect(exampleTabs(schema, sources)).toEqual([]);
  for (const { query } of exampleTabs(graph, sources)) expect(validate(graph, parse(query))).toEqual([]);
});

it('no line of a comment is wider than the editor', () => {
  const comments = exampleTabs(graph, sources).flatMap(({ query }) =>
    query.split('\n').filter((line) => line.startsWith('#')),
  );
  expect(comments.length).toBeGreaterThan(5);
  expect(comments.filter((line) => line.length > 56)).toEqual([]);
});

it('the examples name where their data comes from', () => {
  const texts = exampleTabs(graph, sources).map(({ query }) => query);
  expect(texts.join('')).toContain('# from JSON-RPC.');
  expect(texts[0]).toContain('sponsor {');
  const [all] = exampleTabs(graph, { events: null, hasSponsor: false });
  expect(all?.query).not.toContain('sponsor');
});
