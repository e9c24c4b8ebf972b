import { buildSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { expect, it } from 'vitest';
import { compareSchemas } from '../../../src/graph/compare-schemas.ts';
import { suiSchema } from '../../support/networks/sui-network.ts';

const base = `
  directive @tag on FIELD
  type Query { epoch(id: Int!, at: Int): Epoch old: Int kept(all: Boolean = true): [Kind] }
  type Epoch { epochId: Int }
  enum Kind { ONE TWO }
  input Filter { kind: Kind! }
  type Mutation { run(filter: Filter): Int }
`;

/** The changes that replacing texts in the base schema makes. */
function changesBy(...replacements: readonly (readonly [before: string, after: string])[]) {
  const changed = replacements.reduce((text, [before, after]) => text.replace(before, after), base);
  return compareSchemas(buildSchema(base), buildSchema(changed)).map(({ kind, text }) => `${kind}: ${text}`);
}

it.each([
  ['old: Int', '', ['breaking: Query.old was removed.']],
  ['epochId: Int', 'epochId: ID', ['breaking: Epoch.epochId changed type from Int to ID.']],
  [', at: Int', '', ['breaking: Query.epoch arg at was removed.']],
  ['id: Int!', 'id: ID!', ['breaking: Query.epoch arg id has changed type from Int! to ID!.']],
  ['ONE TWO', 'ONE', ['breaking: TWO was removed from enum type Kind.']],
  ['ONE TWO', 'ONE TWO THREE', ['dangerous: THREE was added to enum type Kind.']],
  ['at: Int', 'at: Int, to: Int', ['dangerous: An optional arg to on Query.epoch was added.']],
  ['= true', '= false', ['dangerous: Query.kept arg all has changed defaultValue from true to false.']],
  ['kind: Kind!', 'kind: Kind! more: Int', ['dangerous: An optional field more on input type Filter was added.']],
  ['epochId: Int', 'epochId: Int!', ['safe: Epoch.epochId changed type from Int to Int!.']],
  ['id: Int!', 'id: Int', ['safe: Query.epoch arg id has changed type from Int! to Int.']],
  ['kind: Kind!', 'kind: Kind', ['safe: Filter.kind changed type from Kind! to Kind.']],
  ['old: Int', 'old: Int new: Float', ['safe: Query.new was added.']],
  ['type Mutation', 'type New { a: Int } type Mutation', ['safe: New was added.']],
  ['directive @tag', 'directive @more on FIELD directive @tag', ['safe: @more was added.']],
  ['old: Int', 'old: Int @deprecated(reason: "Use new.")', ['safe: Query.old is deprecated: Use new.']],
  ['ONE', 'ONE @deprecated', ['safe: Kind.ONE is deprecated: No longer supported']],
  ['at: Int', 'at: Int @deprecated(reason: "No.")', ['safe: Query.epoch arg at is deprecated: No.']],
  ['type Epoch', '"An epoch." type Epoch', []],
])('%j becomes %j: %j', (before, after, changes) => {
  expect(changesBy([before, after])).toEqual(changes);
});

it('lists breaking changes before dangerous ones, and safe ones last', () => {
  expect(changesBy(['epochId: Int', 'epochId: Int a: Int'], ['ONE TWO', 'ONE TWO THREE'], ['old: Int', ''])).toEqual([
    'breaking: Query.old was removed.',
    'dangerous: THREE was added to enum type Kind.',
    'safe: Epoch.a was added.',
  ]);
});

it('does not report a built-in scalar that is used no more', () => {
  const changes = compareSchemas(buildSchema('type Query { a: Int b: Float }'), buildSchema('type Query { a: Int }'));
  expect(changes.map(({ text }) => text)).toEqual(['Query.b was removed.']);
});

it('reports a field that is no longer deprecated', () => {
  const text = 'type Query { a: Int @deprecated }';
  expect(compareSchemas(buildSchema(text), buildSchema('type Query { a: Int }'))).toEqual([
    { kind: 'safe', text: 'Query.a is no longer deprecated.' },
  ]);
});

it('finds no change in a real schema that is printed in another order', () => {
  const printed = buildSchema(printSchema(lexicographicSortSchema(suiSchema)));
  expect(compareSchemas(buildSchema(printSchema(suiSchema)), printed)).toEqual([]);
});
