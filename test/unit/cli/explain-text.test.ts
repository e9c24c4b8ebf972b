import { describe, expect, test } from 'vitest';
import { toExplainJson, toExplainText } from '../../../src/cli/explain-file.ts';
import type { Explanation } from '../../../src/start/start.ts';

type Selection = Explanation['tree'][number];

const field = (level: number, text: string, cost: number | null, more: Partial<Selection> = {}): Selection => ({
  kind: 'field',
  text,
  level,
  cost,
  connection: null,
  times: null,
  isOffending: false,
  ...more,
});

const served: Explanation = {
  usage: { inputNodes: 5, outputNodes: 1_022, depth: 4, variables: 1, fragments: 1, queryPayload: 90 },
  limits: [
    { name: 'maxQueryDepth', max: 20, used: 4, exceeded: false },
    { name: 'maxOutputNodes', max: 100_000, used: 1_022, exceeded: false },
  ],
  refused: false,
  reasons: [],
  codes: [],
  plan: 'STITCHED',
  upstreamCalls: 1,
  ratePoints: 2,
  offending: null,
  schema: { origin: 'shipped', note: null },
  isTreeCut: false,
  tree: [
    field(0, 'query Latest', 0, { kind: 'operation' }),
    field(1, 'latest: events', 1, { connection: { pageSize: 1_020, argument: 'last' } }),
    field(2, '...Page', 0, { kind: 'fragment' }),
    field(3, 'nodes', 1, { times: 1_020 }),
    field(4, 'json', 1_020),
  ],
};
const refused: Explanation = {
  ...served,
  refused: true,
  plan: null,
  upstreamCalls: null,
  reasons: ['Query nesting is over 3', 'and then some'],
  offending: { path: ['latest', 'nodes', 'json'], line: 2, column: 5 },
  limits: [{ name: 'maxQueryDepth', max: 3, used: 4, exceeded: true }],
  tree: served.tree.map((each) => ({ ...each, isOffending: each.text === 'json' })),
};

const text = (explanation: Explanation, options: { isColoured?: boolean; maxLines?: number } = {}) =>
  toExplainText(explanation, { isColoured: false, maxLines: 200, ...options });

describe('an explanation as text', () => {
  test('of a served operation', () => {
    expect(text(served)).toBe(
      `served

limit            used      max
maxQueryDepth       4       20
maxOutputNodes  1,022  100,000

plan            STITCHED
upstream calls  1
rate points     2
variables       1
fragments       1
text            90 bytes
schema          the one shipped
limits          LIMIT_* where stricter, else those shipped with the schema

output nodes
              query Latest
           1    latest: events  connection, last: 1,020
                  ...Page
           1        nodes  × 1,020
       1,020          json
       1,022  in all
`,
    );
  });

  test('of a rejected operation: why, where, and which limit', () => {
    const lines = text(refused).split('\n');
    expect(lines.slice(0, 6)).toEqual([
      'would be refused: Query nesting is over 3',
      '  at latest.nodes.json, line 2, column 5',
      '  and: and then some',
      '',
      'limit          used  max',
      'maxQueryDepth     4    3  exceeded',
    ]);
    expect(lines).toContain('plan            none: it is refused');
    expect(lines).toContain('upstream calls  not counted');
    expect(lines).toContain('       1,020          json  <== refused here');
  });

  test('marks default page sizes', () => {
    const tree = [field(1, 'events', 1, { connection: { pageSize: 20, argument: null } })];
    expect(text({ ...served, tree })).toContain('events  connection, first: 20 (default)\n');
  });

  test('summarizes what it leaves out', () => {
    const lines = text(served, { maxLines: 2 }).trimEnd().split('\n');
    expect(lines.slice(-3)).toEqual([
      '           1    latest: events  connection, last: 1,020',
      '       1,021  ... in 4 more selections',
      '       1,022  in all',
    ]);
  });

  test('shows an unmeasured document without numbers', () => {
    const tree = served.tree.map((each) => ({ ...each, cost: null }));
    const lines = text({ ...served, tree, isTreeCut: true })
      .trimEnd()
      .split('\n');
    expect(lines.slice(-3)).toEqual([
      '                   nodes  × 1,020',
      '                     json',
      '             ... and more',
    ]);
  });

  test('has no tree for an unparseable document', () => {
    expect(text({ ...refused, tree: [], offending: { path: null, line: 1, column: 2 } })).not.toContain('output nodes');
  });

  test('has colours only on request', () => {
    expect(text(refused)).not.toContain('\u001b');
    expect(text(refused, { isColoured: true })).toContain('\u001b[31mwould be refused');
    expect(text(served, { isColoured: true })).toContain('\u001b[32mserved');
  });
});

test('an explanation as JSON has the same facts, with a nested tree', () => {
  const { tree, ...facts } = toExplainJson(refused) as { tree: unknown } & Record<string, unknown>;
  expect(facts).toEqual({ ...refused, tree: undefined });
  const plain = { connection: null, times: null, isOffending: false };
  expect(tree).toEqual([
    {
      ...plain,
      kind: 'operation',
      text: 'query Latest',
      cost: 0,
      children: [
        {
          ...plain,
          kind: 'field',
          text: 'latest: events',
          cost: 1,
          connection: { pageSize: 1_020, argument: 'last' },
          children: [
            {
              ...plain,
              kind: 'fragment',
              text: '...Page',
              cost: 0,
              children: [
                {
                  ...plain,
                  kind: 'field',
                  text: 'nodes',
                  cost: 1,
                  times: 1_020,
                  children: [{ ...plain, kind: 'field', text: 'json', cost: 1_020, isOffending: true, children: [] }],
                },
              ],
            },
          ],
        },
      ],
    },
  ]);
});
