import { describe, expect, test } from 'vitest';
import type { CliWorld } from '../../../src/cli/cli-world.ts';
import { parseArguments } from '../../../src/cli/parse-arguments.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import type { ExplainRequest, Explanation } from '../../../src/start/start.ts';

const served: Explanation = {
  usage: { inputNodes: 1, outputNodes: 1, depth: 1, variables: 0, fragments: 0, queryPayload: 5 },
  limits: [],
  refused: false,
  reasons: [],
  codes: [],
  plan: 'STITCHED',
  upstreamCalls: 1,
  ratePoints: 1,
  offending: null,
  schema: { origin: 'kept', note: null },
  isTreeCut: false,
  tree: [],
};
const operation = ['q.graphql', '--variables', '{"n":1}', '--operation', 'A'];
const explain = (argv: readonly string[], world: CliWorld) => runCommand(parseArguments(['explain', ...argv]), world);
const never = new Promise<never>(() => {});

/** A world with one file, where every explanation is the given one. */
function createWorld(explanation: Explanation | Error, changed: Partial<CliWorld> = {}) {
  const seen = { out: '', error: '', requests: [] as ExplainRequest[], manifests: [] as unknown[] };
  const unused = () => {
    throw new Error('explain has no use for this');
  };
  const world: CliWorld = {
    env: {},
    onReloadRequest: unused,
    readFile: (path) => {
      if (path === 'm.json') return '{ "first": "{ a }", "second": "{ b }" }';
      if (path !== 'q.graphql') throw new Error(`ENOENT: ${path}`);
      return '{ a }';
    },
    writeFile: unused,
    writeLine: unused,
    readInput: async () => '{ b }',
    readLines: async function* () {},
    writeOut: (text) => {
      seen.out += text;
    },
    writeError: (text) => {
      seen.error += text;
    },
    isTerminal: false,
    stopRequested: never,
    onCrash: unused,
    createLogger: unused,
    randomToken: unused,
    randomBytes: unused,
    cores: 2,
    primary: null,
    version: '1.2.3',
    services: {
      startGateway: unused,
      startWorkers: unused,
      followPrimary: unused,
      readSchema: unused,
      startDevnet: unused,
      explainManifest: async (documents, variables) => {
        seen.manifests.push({ documents, variables });
        if (explanation instanceof Error) throw explanation;
        const { tree, offending, isTreeCut, limits, schema, ...estimate } = explanation;
        return { documents: documents.map(({ id, name }) => ({ id, name, ...estimate })), schema };
      },
      explainOperation: async (request) => {
        seen.requests.push(request);
        if (explanation instanceof Error) throw explanation;
        return explanation;
      },
    },
    ...changed,
  };
  return { world, seen };
}

describe('explain', () => {
  test('passes on the file’s text, the variables and the name', async () => {
    const { world, seen } = createWorld(served);
    expect(await explain(operation, world)).toBe(0);
    expect(seen.requests).toEqual([{ query: '{ a }', variables: { n: 1 }, operationName: 'A' }]);
    expect(seen.out).toMatch(/^served\n/);
  });

  test('reads standard input for -', async () => {
    const { world, seen } = createWorld(served);
    await explain(['-', ...operation.slice(1)], world);
    expect(seen.requests).toMatchObject([{ query: '{ b }' }]);
  });

  test('stops waiting for input on request', async () => {
    const { world, seen } = createWorld(served, { readInput: () => never, stopRequested: Promise.resolve('SIGINT') });
    expect(await explain(['-', ...operation.slice(1)], world)).toBe(130);
    expect(seen.out).toBe('');
  });

  test.each([
    ['for a person at a terminal', true, {}, true],
    ['not into a file', false, {}, false],
    ['not where NO_COLOR is set', true, { NO_COLOR: '1' }, false],
    ['where NO_COLOR is empty', true, { NO_COLOR: '' }, true],
  ])('is coloured %s', async (_, isTerminal, env, isColoured) => {
    const { world, seen } = createWorld(served, { isTerminal, env });
    await explain(operation, world);
    expect(seen.out.includes('\u001b')).toBe(isColoured);
  });

  test('writes JSON without colours, and notes to standard error', async () => {
    const noted: Explanation = { ...served, schema: { origin: 'shipped', note: 'it is gone' } };
    const { world, seen } = createWorld(noted, { isTerminal: true });
    await explain([...operation, '--json'], world);
    expect(JSON.parse(seen.out)).toEqual(noted);
    expect(seen.error).toBe('ledger-gateway: it is gone; going by the schema shipped\n');
  });

  test('exits with 1 for a rejection, and with 2 if it fails', async () => {
    expect(await explain(operation, createWorld({ ...served, refused: true, reasons: ['no'] }).world)).toBe(1);
    const { world, seen } = createWorld(new Error('two names\ncollide'));
    expect(await explain(operation, world)).toBe(2);
    expect(seen.error).toBe('ledger-gateway: two names collide\n');
  });
});

describe('explain --manifest', () => {
  const manifest = ['--manifest', 'm.json', '--variables', '{"n":1}'];

  test('prints a line for each document, and exits with 0 if all are served', async () => {
    const { world, seen } = createWorld(served);
    expect(await explain(manifest, world)).toBe(0);
    const documents = [
      { id: 'first', name: null, text: '{ a }' },
      { id: 'second', name: null, text: '{ b }' },
    ];
    expect(seen.manifests).toEqual([{ documents, variables: { n: 1 } }]);
    expect(seen.out).toBe(
      [
        'plan      input nodes  output nodes  depth  calls  points  document',
        'STITCHED            1             1      1      1       1  first',
        'STITCHED            1             1      1      1       1  second',
        '',
        '2 operations, all served',
        'schema: the one kept in SCHEMA_CACHE_FILE',
        '',
      ].join('\n'),
    );
  });

  test('exits with 1 if one is rejected, and with 2 for a broken manifest or schema', async () => {
    const refused = { ...served, refused: true, reasons: ['no', 'never'], plan: null, upstreamCalls: null };
    const { world, seen } = createWorld(refused, { isTerminal: true });
    expect(await explain(manifest, world)).toBe(1);
    expect(seen.out).toContain('first: would be refused: no and: never\u001b');
    expect(seen.out).toContain('2 operations, 2 refused');
    expect(await explain(manifest, createWorld(new Error('two names collide')).world)).toBe(2);
    const broken = createWorld(served);
    expect(await explain(['--manifest', 'q.graphql'], broken.world)).toBe(2);
    expect(broken.seen.error).toMatch(/^--manifest: expected a JSON object/);
  });

  test('prints JSON', async () => {
    const { world, seen } = createWorld(served);
    await explain([...manifest, '--json'], world);
    expect(JSON.parse(seen.out)).toMatchObject({ documents: [{ id: 'first', ratePoints: 1 }, { id: 'second' }] });
  });
});
