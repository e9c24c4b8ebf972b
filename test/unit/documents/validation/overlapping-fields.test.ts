import fc from 'fast-check';
import { buildSchema, OverlappingFieldsCanBeMergedRule, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { toExecutableDocument } from '../../../../src/documents/selections.ts';
import { findOverlaps } from '../../../../src/documents/validation/overlapping-fields.ts';
import { runs } from '../../../support/runs.ts';

const schema = buildSchema(`
  interface Node { id: ID! name: String near(n: Int): Node all: [Node] }
  type A implements Node { id: ID! name: String near(n: Int): Node all: [Node] own: Int x: String list: [Int] }
  type B implements Node { id: ID! name: String near(n: Int): Node all: [Node] own: String x: String list: [Int!] }
  type Query { node(id: ID): Node a: A b: B all: [Node] id: ID }
`);

const composite = ['node', 'node(id: 1)', 'node(id: 2)', 'a', 'b', 'all', 'near', 'near(n: 1)'];
const leaf = ['id', 'name', 'own', 'x', 'list', '__typename'];
const alias = fc.constantFrom('', '', '', 'p: ', 'q: ');
const { selectionSet } = fc.letrec<{ selectionSet: string; selection: string }>((tie) => ({
  selectionSet: fc.array(tie('selection'), { minLength: 1, maxLength: 4 }).map((parts) => `{ ${parts.join(' ')} }`),
  selection: fc.oneof(
    { maxDepth: 4, depthSize: 'medium' },
    fc.tuple(alias, fc.constantFrom(...leaf)).map((parts) => parts.join('')),
    fc.tuple(alias, fc.constantFrom(...composite), tie('selectionSet')).map((parts) => parts.join('')),
    fc
      .tuple(fc.constantFrom('... on A ', '... on B ', '... on Node ', '... '), tie('selectionSet'))
      .map((parts) => parts.join('')),
    fc.constantFrom('...F', '...G'),
  ),
}));
const withoutSpreads = (text: string) => text.replaceAll(/\.\.\.[FG]/g, '__typename');
const documents = fc
  .tuple(selectionSet, selectionSet, selectionSet)
  .map(
    ([query, f, g]) =>
      `query ${query} fragment F on Node ${f.replaceAll('...F', '...G')} fragment G on A ${withoutSpreads(g)}`,
  )
  .filter((text) => !/fragment F [\s\S]*\.\.\.F/.test(text));

test('documents whose fields are alike have no conflict, and those in conflict are not alike', () => {
  const seen = { alike: 0, unlike: 0, inConflict: 0 };
  fc.assert(
    fc.property(documents, (text) => {
      const document = parse(text, { noLocation: true });
      const { areAlike } = findOverlaps(schema, toExecutableDocument(document));
      const operation = validate(schema, document, [OverlappingFieldsCanBeMergedRule]);
      // A fragment that no operation uses is not looked at; the rules before this one refuse such a document.
      const isUsed = /^query [\s\S]*\.\.\.F[\s\S]* fragment F/.test(text) && /\.\.\.G/.test(text);
      seen[areAlike ? 'alike' : 'unlike'] += 1;
      if (operation.length > 0) seen.inConflict += 1;
      if (areAlike && isUsed) expect(operation.map(({ message }) => message)).toEqual([]);
    }),
    { numRuns: runs(300) },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50);
}, 30_000);

test('pairs are counted as the rule compares them', () => {
  const overlaps = (text: string) => findOverlaps(schema, toExecutableDocument(parse(text)));
  expect(overlaps('{ a { x } a { x } a { x } }')).toMatchObject({ areAlike: true, pairs: 6, crowded: null });
  expect(overlaps('{ a { x } b { x } }')).toMatchObject({ areAlike: true, pairs: 0 });
  expect(overlaps('{ a { x } ...F ...F } fragment F on Query { a { own } }')).toMatchObject({
    areAlike: true,
    pairs: 2,
  });
  expect(overlaps('{ node { ... on A { own } ... on B { own } } }')).toMatchObject({ areAlike: false, pairs: 1 });
  expect(overlaps('{ unknown ... on A { unknown: own } }')).toMatchObject({ areAlike: false });
  // A field that its type does not have hides no conflict of others.
  expect(overlaps('{ own ... on A { own } ... on B { own } }')).toMatchObject({ areAlike: false, pairs: 3 });
});
