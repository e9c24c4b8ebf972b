import fc from 'fast-check';
import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { networkProfiles } from '../../../../src/config/network-profile.ts';
import { measureDocument } from '../../../../src/documents/cost/measure-document.ts';
import { contractRules, maxCount, type Variables } from '../../../../src/documents/cost/usage.ts';
import { costOf, walkDocument } from '../../../../src/documents/cost/walk-document.ts';
import { toExecutableDocument } from '../../../../src/documents/selections.ts';
import { responsePathOf } from '../../../../src/estimate/explain-document.ts';
import { arbitraryDocument, arbitraryVariables } from '../../../support/arbitrary-documents.ts';
import { suiSchema } from '../../../support/networks/sui-network.ts';
import { plausibleDocument } from '../../../support/plausible-documents.ts';
import { runs } from '../../../support/runs.ts';

const defaultPageSize = 20;
const forms = { rules: contractRules, schema: null };
const walk = (text: string, counting: Parameters<typeof walkDocument>[1] = forms, max = Number.POSITIVE_INFINITY) =>
  walkDocument(toExecutableDocument(parse(text)), counting, max).occurrences;

/** Fields with their costs, in the order of the walk. */
const costsOf = (text: string, variables: Variables = {}) =>
  walk(text).flatMap((each) =>
    each.node.kind === 'Field' ? [[responsePathOf(each).join('.'), costOf(each, variables, defaultPageSize)]] : [],
  );

describe('the costs of the fields of a document', () => {
  test('add up to its output nodes, and its selections to its input nodes', () => {
    fc.assert(
      fc.property(arbitraryDocument(), arbitraryVariables, (text, variables) => {
        const measured = measureDocument(parse(text), text.length);
        const outputNodes = measured.outputNodes(variables, defaultPageSize);
        fc.pre(outputNodes < maxCount && measured.inputNodes < 2_000);
        const lines = walk(text);
        const sum = lines.reduce((all, each) => all + costOf(each, variables, defaultPageSize), 0);
        expect(sum).toBe(outputNodes);
        expect(lines.filter(({ level }) => level > 0)).toHaveLength(measured.inputNodes);
        expect(lines.reduce((deepest, { level }) => Math.max(deepest, level), 0)).toBe(measured.depth);
      }),
      { numRuns: runs(300) },
    );
  }, 60_000);

  test('add up to its output nodes on a ledger that counts by type', () => {
    const { limits: rules } = networkProfiles.sui;
    for (let seed = 0; seed < 100; seed += 1) {
      const { text, variables } = plausibleDocument(suiSchema, seed);
      const counting = { rules, schema: suiSchema, bodyBytes: 0 };
      const outputNodes = measureDocument(parse(text), 0, counting).outputNodes(variables, defaultPageSize);
      const costs = walk(text, counting).map((each) => costOf(each, variables, defaultPageSize));
      expect([text, costs.reduce((sum, cost) => sum + cost, 0)]).toEqual([text, outputNodes]);
    }
  });

  test('are multiplied below edges and nodes, not beside them', () => {
    expect(costsOf('{ a(first: 3) { pageInfo { end } nodes { b(last: 2) { edges { c } } } } }')).toEqual([
      ['a', 1],
      ['a.pageInfo', 1],
      ['a.pageInfo.end', 1],
      ['a.nodes', 1],
      ['a.nodes.b', 3],
      ['a.nodes.b.edges', 3],
      ['a.nodes.b.edges.c', 6],
    ]);
  });

  const [a, g] = [{ __typename: 'A' }, { __typename: 'G' }];
  test.each<readonly [string, Variables, number, number, number]>([
    ['$r', { r: [a, g, a] }, 3, 2, 1],
    ['$r', { r: [a, {}, null] }, 3, 1, 0],
    ['$r', { r: Array(1_001).fill(a) }, 1_001, 1_001, 1_001],
    ['$r', {}, 1, 1, 1],
    ['[{ __typename: "A" }, {}]', {}, 2, 1, 0],
    ['[{ __typename: "G" }, $r, { __typename: $r }]', {}, 3, 2, 3],
  ])('are multiplied below entities by the representations of the type: %s %j', (list, variables, all, ofA, ofG) => {
    const text = `{ _entities(representations: ${list}) {
      __typename ... on A { b(first: 2) { nodes { c } } } ...F ...U ... { ... @skip(if: false) { ... on G { e } } }
    } }
    fragment F on G { d } fragment U on _Entity { f ... on A { g } }`;
    expect(costsOf(text, variables)).toEqual([
      ['_entities', 1],
      ['_entities.__typename', all],
      ['_entities.b', ofA],
      ['_entities.b.nodes', ofA],
      ['_entities.b.nodes.c', ofA * 2],
      ['_entities.d', ofG],
      ['_entities.f', all],
      ['_entities.g', ofA],
      ['_entities.e', ofG],
    ]);
    const counted = measureDocument(parse(text), text.length).outputNodes(variables, defaultPageSize);
    expect(counted).toBe(1 + 2 * all + 5 * ofA + 2 * ofG);
  });

  test('follow a page through fragments, for each use', () => {
    expect(
      costsOf('{ a(first: 3) { ...F } b: a(first: $n) { ... { ...F } } } fragment F on T { nodes { c } }', { n: 5 }),
    ).toEqual([
      ['a', 1],
      ['a.nodes', 1],
      ['a.nodes.c', 3],
      ['b', 1],
      ['b.nodes', 1],
      ['b.nodes.c', 5],
    ]);
  });

  test('have no page at the top of an operation', () => {
    expect(costsOf('{ nodes { a } }')).toEqual([
      ['nodes', 1],
      ['nodes.a', 1],
    ]);
  });

  test('mark the fields that are connections', () => {
    const pages = walk(
      '{ a { ...F } b { nodes: c } d(first: 0) { edges { e } } } fragment F on T { ... { nodes { x } } }',
    );
    expect(pages.flatMap((each) => (each.below?.rows ? responsePathOf(each).join('.') : []))).toEqual(['a', 'd']);
  });
});

describe('a walk', () => {
  test('does not follow a fragment into itself', () => {
    const lines = walk('{ ...A } fragment A on T { x ...B } fragment B on T { ...A y }');
    expect(lines).toHaveLength(6);
    expect(lines.map(responsePathOf).filter((path) => path.length > 0)).toEqual([['x'], ['y']]);
  });

  test('ignores an unknown fragment', () => {
    expect(costsOf('{ a ...Missing b }')).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
  });

  test('ends after the most occurrences, in a document that expands without bound', () => {
    const levels = Array.from(
      { length: 60 },
      (_, index) => `fragment F${index} on T { ...F${index + 1} ...F${index + 1} }`,
    );
    expect(walk(`{ ...F0 } ${levels.join(' ')} fragment F60 on T { a }`, forms, 1_000)).toHaveLength(1_000);
  });
});
