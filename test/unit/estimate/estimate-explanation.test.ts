import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { buildSchema, introspectionFromSchema } from 'graphql';
import { afterAll, describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/parse-config.ts';
import { shippedLimits as limits } from '../../../src/documents/cost/limits.ts';
import { type Explanation, explainManifest, explainOperation } from '../../../src/start/start.ts';
import { plausibleDocument } from '../../support/plausible-documents.ts';
import { runs } from '../../support/runs.ts';

const shipped = readFileSync('schema/ledger.graphql', 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'explain-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Given {
  readonly env?: Record<string, string>;
  readonly variables?: Record<string, unknown>;
  readonly operationName?: string;
}

const explain = (query: string, { env = {}, variables = {}, operationName }: Given = {}): Promise<Explanation> =>
  explainOperation(
    { query, variables, operationName: operationName ?? null },
    parseConfig({
      env,
      readFile: () => {
        throw new Error('no files here');
      },
    }),
  );

const marked = ({ tree }: Explanation) => tree.flatMap(({ isOffending, text }) => (isOffending ? [text] : []));

const activity = `query Activity {
  events(first: 10) {
    nodes { json sender { address } }
  }
  latest: transactionBlocks {
    nodes { ...T }
  }
}
fragment T on TransactionBlock {
  effects { events(last: 5) { nodes { json } } }
}`;

describe('the tree', () => {
  test('reports the cost of each field where it is used, and its source', async () => {
    const { tree, usage } = await explain(activity);
    expect(tree.map(({ level, text, cost }) => `${' '.repeat(level)}${text} ${cost}`)).toEqual([
      'query Activity 0',
      ' events 1',
      '  nodes 1',
      '   json 10',
      '   sender 10',
      '    address 10',
      ' latest: transactionBlocks 1',
      '  nodes 1',
      '   ...T 0',
      '    effects 20',
      '     events 20',
      '      nodes 20',
      '       json 100',
    ]);
    expect(tree.flatMap(({ connection }) => connection ?? [])).toEqual([
      { pageSize: 10, argument: 'first' },
      { pageSize: 20, argument: null },
      { pageSize: 5, argument: 'last' },
    ]);
    expect(tree.map(({ times }) => times).filter((times) => times !== null)).toEqual([10, 20, 5]);
    expect(usage.outputNodes).toBe(194);
  });

  test('names the argument that decides the page size, also if it is a variable', async () => {
    const pages =
      '($n: Int) { a: events(first: 2, last: $n) { nodes { bcs } } b: events(first: $n) { nodes { bcs } } }';
    const connections = async (n: number | null) =>
      (await explain(`query ${pages}`, { variables: { n } })).tree.flatMap(({ connection }) => connection ?? []);
    expect(await connections(7)).toEqual([
      { pageSize: 7, argument: 'last' },
      { pageSize: 7, argument: 'first' },
    ]);
    expect(await connections(null)).toEqual([
      { pageSize: 2, argument: 'first' },
      { pageSize: 20, argument: null },
    ]);
  });

  test('adds up to the output nodes', async () => {
    const schema = buildSchema(shipped);
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const { text, variables } = plausibleDocument(schema, seed);
        const { tree, usage, isTreeCut } = await explain(text, { variables: { ...variables } });
        fc.pre(usage.inputNodes > 0 && !isTreeCut && usage.outputNodes < Number.MAX_SAFE_INTEGER);
        expect(tree.reduce((sum, { cost }) => sum + (cost ?? 0), 0)).toBe(usage.outputNodes);
      }),
      { numRuns: runs(5) },
    );
  }, 60_000);

  test('has no costs if nothing is counted', async () => {
    const { tree, usage } = await explain('{ __schema { queryType { name } } }');
    expect(tree.map(({ cost }) => cost)).toEqual([null, null, null, null]);
    expect(usage.outputNodes).toBe(0);
  });

  test('ends for a document that expands without bound', async () => {
    const levels = Array.from(
      { length: 29 },
      (_, index) => `fragment F${index} on Query { ...F${index + 1} ...F${index + 1} }`,
    );
    const { tree, isTreeCut } = await explain(
      `{ ...F0 } ${levels.join(' ')} fragment F29 on Query { chainIdentifier }`,
    );
    expect(isTreeCut).toBe(true);
    expect(tree).toHaveLength(2_000);
  });

  test('is empty for a text that cannot be parsed', async () => {
    const { tree, offending, reasons } = await explain('{\n  a(');
    expect(tree).toEqual([]);
    expect(reasons).toEqual(['Syntax Error: Expected Name, found <EOF>.']);
    expect(offending).toEqual({ path: null, line: 2, column: 5 });
  });
});

describe('the offending selection', () => {
  const bound = (name: string, max: number) => ({ env: { [name]: String(max) } });
  test.each<readonly [string, string, Given, Explanation['offending'], readonly string[]]>([
    [
      'the first selection that is too deep',
      activity,
      bound('LIMIT_MAX_QUERY_DEPTH', 5),
      { path: ['latest', 'nodes', 'effects', 'events', 'nodes'], line: 10, column: 31 },
      ['nodes'],
    ],
    [
      'the place that is too deep, not an earlier one of the same fragment',
      '{ ...E epoch { startTimestamp transactionBlocks { nodes { effects { epoch { ...F } } } } } } fragment E on Query { epoch { ...F } } fragment F on Epoch { epochId }',
      bound('LIMIT_MAX_QUERY_DEPTH', 6),
      { path: ['epoch', 'transactionBlocks', 'nodes', 'effects', 'epoch', 'epochId'], line: 1, column: 155 },
      ['epochId'],
    ],
    [
      'the selection that is one too many',
      activity,
      bound('LIMIT_MAX_QUERY_NODES', 3),
      { path: ['latest', 'nodes'], line: 6, column: 5 },
      ['nodes'],
    ],
    [
      'the field with which the sum is passed',
      activity,
      bound('LIMIT_MAX_OUTPUT_NODES', 20),
      { path: ['events', 'nodes', 'sender'], line: 3, column: 18 },
      ['sender'],
    ],
    [
      'the page that is out of all proportion',
      '{ a: events(first: 5) { nodes { __typename } } b: events(first: 9999999999) { edges } }',
      {},
      { path: ['b'], line: 1, column: 48 },
      ['b: events'],
    ],
    [
      'a field that does not exist',
      '{ chainIdentifier epoch { nonsense } }',
      {},
      { path: ['epoch', 'nonsense'], line: 1, column: 27 },
      ['nonsense'],
    ],
    [
      'the field whose argument is wrong',
      '{ epoch(id: "x") { epochId } }',
      {},
      { path: ['epoch'], line: 1, column: 13 },
      ['epoch'],
    ],
    [
      'the field with a directive that is not served',
      '{ chainIdentifier @defer }',
      {},
      { path: ['chainIdentifier'], line: 1, column: 19 },
      ['chainIdentifier'],
    ],
    [
      'the spread of a missing fragment',
      '{ epoch { ...Nowhere } }',
      {},
      { path: ['epoch'], line: 1, column: 11 },
      ['...Nowhere'],
    ],
    [
      'the transaction that is too large',
      'mutation { executeTransactionBlock(txBytes: "AAAAAAAAAAAA", signatures: []) { errors } }',
      bound('LIMIT_MAX_TRANSACTION_PAYLOAD_SIZE', 10),
      { path: ['executeTransactionBlock'], line: 1, column: 12 },
      ['executeTransactionBlock'],
    ],
    [
      'a variable, by its declaration',
      'query (\n  $n: Int!) { events(first: $n) { nodes { bcs } } }',
      {},
      { path: null, line: 2, column: 3 },
      [],
    ],
    ['nothing in particular', 'query A { chainIdentifier }', { operationName: 'B' }, null, []],
  ])('is %s', async (_, query, given, offending, texts) => {
    const explanation = await explain(query, given);
    expect(explanation.refused).toBe(true);
    expect(explanation.offending).toEqual(offending);
    expect(marked(explanation)).toEqual(texts);
  });

  test('is absent if nothing is rejected', async () => {
    expect(await explain(activity)).toMatchObject({
      refused: false,
      offending: null,
      upstreamCalls: 1,
      plan: expect.any(String),
    });
  });
});

describe('the schema', () => {
  const keep = (name: string, content: unknown): Given => {
    const file = join(folder, name);
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return { env: { SCHEMA_CACHE_FILE: file } };
  };
  const introspection = introspectionFromSchema(buildSchema('type Query { kept: Int }'));

  test('is the cached one, with its cached limits', async () => {
    const given = keep('good.json', { introspection, service: { limits: { ...limits, maxQueryDepth: 3 } } });
    const { schema, refused, limits: inForce } = await explain('{ kept }', given);
    expect(schema).toEqual({ origin: 'kept', note: null });
    expect(refused).toBe(false);
    expect(inForce[0]).toMatchObject({ name: 'maxQueryDepth', max: 3 });
  });

  test.each([
    ['is not there yet', { env: { SCHEMA_CACHE_FILE: join(folder, 'absent.json') } }, 'it does not exist yet'],
    ['is no JSON', keep('text.json', 'hello'), 'JSON'],
    ['holds no schema', keep('odd.json', { introspection: { __schema: 7 } }), 'SCHEMA_CACHE_FILE is not usable'],
  ])('is the shipped one, with the reason, if the file %s', async (_, given, reason) => {
    const { schema, refused } = await explain('{ chainIdentifier }', given);
    expect(schema.origin).toBe('shipped');
    expect(schema.note).toContain(reason);
    expect(refused).toBe(false);
  });

  test('that cannot be served is an error, as it would be at start', async () => {
    const colliding = introspectionFromSchema(buildSchema('type Query { sponsor: Int }'));
    const given = keep('colliding.json', { introspection: colliding });
    await expect(explain('{ sponsor }', given)).rejects.toThrow(/collides/);
  });
});

describe('a manifest', () => {
  const price = async (texts: readonly string[], variables: Record<string, unknown> = {}) => {
    const config = parseConfig({ env: { LIMIT_MAX_OUTPUT_NODES: '60' }, readFile: () => '' });
    const documents = texts.map((text, index) => ({ id: `id${index}`, name: null, text }));
    return (await explainManifest(documents, variables, config)).documents;
  };
  const paged = 'query Paged($count: Int!) { events(first: $count) { nodes { json } } }';

  test('is priced by operation, whatever required variables are missing', async () => {
    const priced = await price([paged, 'query A { chainIdentifier } query B { gateway { version } }']);
    expect(priced).toMatchObject([
      {
        id: 'id0',
        name: 'Paged',
        refused: false,
        plan: 'PASS_THROUGH',
        upstreamCalls: null,
        usage: { outputNodes: 22 },
      },
      { id: 'id1', name: 'A', refused: false, plan: 'PASS_THROUGH', upstreamCalls: 1 },
      { id: 'id1', name: 'B', refused: false, plan: 'LOCAL', upstreamCalls: 0 },
    ]);
  });

  test('is priced with the variables of all its documents', async () => {
    expect(await price([paged, '{ chainIdentifier }'], { count: 40 })).toMatchObject([
      { refused: false, upstreamCalls: 1, usage: { outputNodes: 42 } },
      { refused: false },
    ]);
    expect(await price([paged], { count: 60 })).toMatchObject([{ refused: true, plan: null }]);
  });

  test('reports why a document would be rejected', async () => {
    const priced = await price(['{', '{ nothing }', '{ events(first: 51) { edges { cursor } } }']);
    expect(priced.map(({ refused, reasons }) => [refused, reasons[0]])).toEqual([
      [true, expect.stringMatching(/^Syntax Error/)],
      [true, expect.stringMatching(/nothing/)],
      [true, expect.stringMatching(/exceeds max/)],
    ]);
  });
});
