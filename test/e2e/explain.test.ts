import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { builtProgram } from '../support/built-program.ts';

const cli = builtProgram();
const folder = mkdtempSync(join(tmpdir(), 'explain-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Run {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs the built command until it exits. */
function explain(args: readonly string[], { env = {}, input = '' }: Run = {}) {
  const child = spawn(process.execPath, [cli, 'explain', ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
  });
  let out = '';
  let error = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    error += chunk;
  });
  child.stdin.on('error', () => {}); // it may exit before it has read everything
  child.stdin.end(input);
  return new Promise<{ code: number | null; out: string; error: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, out, error }));
  });
}

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const events = write(
  'events.graphql',
  'query Latest($count: Int) { events(last: $count) { nodes { json } } }\nquery Chain { chainIdentifier }\n',
);

describe('explain', () => {
  test('prints the cost of a served operation for people, and exits with 0', async () => {
    const { code, out, error } = await explain([events, '--operation', 'Latest', '--variables', '{"count": 7}']);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toMatch(/^served\n/);
    expect(out).toContain(
      '           1    events  connection, last: 7\n           1      nodes  × 7\n           7        json\n',
    );
    expect(out).not.toContain('\u001b');
  });

  test('prints why an operation would be rejected, by the limits of its environment, and exits with 1', async () => {
    const env = { LIMIT_MAX_OUTPUT_NODES: '5' };
    const { code, out } = await explain([events, '--operation', 'Latest'], { env });
    expect(code).toBe(1);
    expect(out).toMatch(
      /^would be refused: Estimated output nodes exceeds 5\n {2}at events\.nodes\.json, line 1, column 60\n/,
    );
  });

  test('reads standard input and writes JSON', async () => {
    const { code, out } = await explain(['-', '--json'], { input: '{ chainIdentifier nonsense }' });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      refused: true,
      reasons: ['Cannot query field "nonsense" on type "Query".'],
      offending: { path: ['nonsense'], line: 1, column: 19 },
      plan: null,
      upstreamCalls: null,
      usage: { inputNodes: 2 },
      tree: [
        {
          text: 'query',
          children: [
            { text: 'chainIdentifier', cost: 1 },
            { text: 'nonsense', isOffending: true },
          ],
        },
      ],
    });
  });

  test('calls no upstream: an unreachable ledger costs nothing', async () => {
    const env = { LEDGER_GRAPHQL_URL: 'http://127.0.0.1:9/graphql' };
    const { code, out } = await explain(['-', '--json'], { env, input: '{ chainIdentifier sponsor { health } }' });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ upstreamCalls: 1, schema: { origin: 'shipped', note: null } });
  });

  test('prices a manifest, and exits with 1 if one of its documents would be rejected', async () => {
    const good = {
      first: '{ chainIdentifier }',
      second: 'query Page($n: Int!) { events(first: $n) { nodes { json } } }',
    };
    const manifest = (name: string, content: object) => write(name, JSON.stringify(content));
    const all = await explain(['--manifest', manifest('good.json', good)]);
    expect(all).toMatchObject({ code: 0, error: '' });
    expect(all.out).toContain('2 operations, all served');
    const { code, out } = await explain(['--manifest', manifest('bad.json', { ...good, third: '{ nothing }' })]);
    expect(code).toBe(1);
    expect(out).toMatch(/third: would be refused: .*nothing/);
    expect((await explain(['--manifest', manifest('broken.json', { a: 1 })])).code).toBe(2);
  });

  test('reports a missing schema cache', async () => {
    const env = { SCHEMA_CACHE_FILE: join(folder, 'absent.json') };
    const { code, error } = await explain(['-'], { env, input: '{ chainIdentifier }' });
    expect(code).toBe(0);
    expect(error).toBe(
      'ledger-gateway: SCHEMA_CACHE_FILE is not usable: it does not exist yet; going by the schema shipped\n',
    );
  });

  test('prints what the documentation shows', async () => {
    const page = readFileSync(fileURLToPath(new URL('../../docs/operations.md', import.meta.url)), 'utf8');
    const shown = /Given `activity\.graphql`\n\n```graphql\n(.*?)```\n.*?prints\n\n```\n(.*?)```/s.exec(page);
    const file = write('activity.graphql', shown?.[1] ?? '');
    const env = { LIMIT_MAX_OUTPUT_NODES: '1000' };
    const { out } = await explain([file, '--variables', '{"count": 50}'], { env });
    expect(out).toBe(shown?.[2]);
  });

  test.each([
    ['a file that is not there', [join(folder, 'absent.graphql')], {}, /ENOENT.*absent\.graphql/],
    ['no file', [], {}, /explain needs a file/],
    ['variables that are no JSON', [events, '--variables', '{'], {}, /--variables: expected a JSON object/],
    ['a setting that is wrong', [events], { LIMIT_MAX_QUERY_DEPTH: 'deep' }, /LIMIT_MAX_QUERY_DEPTH/],
  ])('exits with 2 for %s', async (_, args, env, message) => {
    const { code, out, error } = await explain(args, { env });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toMatch(message);
  });
});
