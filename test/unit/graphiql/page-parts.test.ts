import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { toAnswerText } from '../../../src/graphiql/answer-line.ts';
import { fillIn, keepAnswer } from '../../../src/graphiql/example-steps.ts';
import { openSavedTab } from '../../../src/graphiql/saved-tabs.ts';
import { toCurl } from '../../../src/graphiql/to-curl.ts';

const answer = { status: 200, ms: 34.2, bytes: 1_240, items: null, usage: { outputNodes: 51, fragments: 2 } };

test.each([
  [{}, 'HTTP 200 · 34 ms · 1.2 kB · output nodes 51 of 100,000'],
  [{ items: 1, ms: 1_500, bytes: 999 }, 'HTTP 200 · 1 item · 1.5 s · 999 bytes · output nodes 51 of 100,000'],
  [{ items: 0, bytes: 0, usage: undefined }, 'HTTP 200 · 0 items · 34 ms · 0 bytes'],
  [{ status: 400, usage: undefined }, 'HTTP 400 · 34 ms · 1.2 kB · not measured, because the operation was refused'],
])('the line beneath an answer with %j', (facts, line) => {
  expect(toAnswerText({ ...answer, ...facts }, { outputNodes: 100_000 })).toBe(line);
});

test('a copied command runs as it is, with variables in place of credentials', () => {
  const request = {
    url: 'http://localhost:4000/graphql',
    headers: { accept: 'application/json', 'content-type': 'application/json', 'x-api-key': "it's $secret" },
    body: JSON.stringify({ query: '{ a(b: "it\'s") }\n# $HOME `id`' }),
  };
  const run = (command: string, env: Record<string, string>) =>
    // A function in place of curl prints its arguments.
    execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], { env, encoding: 'utf8' }).split('\0');
  const [shown, hidden] = [toCurl(request, true), toCurl(request, false)];
  expect(hidden).not.toContain('secret');
  expect(hidden).toContain('"x-api-key: $X_API_KEY"');
  const args = run(shown, {});
  expect(args).toEqual(run(hidden, { X_API_KEY: "it's $secret" }));
  expect(args).toEqual(expect.arrayContaining([request.url, "x-api-key: it's $secret", request.body]));
});

test('variables that name a step get its answer, and others stay', () => {
  const coin = { objectId: '0x1', version: 2, digest: 'd', object: null };
  const variables = { gasCoins: [{ objectId: '(from Reserve)' }], sponsor: '(from Reserve)', sig: '(from Sign)', n: 1 };
  expect(fillIn(variables)).toEqual(variables);
  keepAnswer({ data: { reserveGas: { gasCoins: [coin], sponsor: '0x2' } } });
  keepAnswer({ errors: [{ message: 'refused' }] });
  expect(fillIn(variables)).toEqual({
    gasCoins: [{ objectId: '0x1', version: 2, digest: 'd' }],
    sponsor: '0x2',
    sig: '(from Sign)',
    n: 1,
  });
});

describe('the tab that opens', () => {
  const tabs = [{ query: '{ a }' }, { query: '{ b }', variables: '{"x":1}' }];
  const open = (address: string, saved: unknown = { activeTabIndex: 1, tabs }, before: [string, string][] = []) => {
    const kept = new Map([...before, ['graphiql:tabState', typeof saved === 'string' ? saved : JSON.stringify(saved)]]);
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
      removeItem: (key: string) => kept.delete(key),
    };
    const initial = openSavedTab(new URLSearchParams(address), storage as unknown as Storage);
    return { initial, kept };
  };

  test('is the one that was open last', () => {
    const { initial, kept } = open('');
    expect(initial).toEqual({ initialVariables: '{"x":1}' });
    expect(kept.get('graphiql:query')).toBe('{ b }');
  });

  test('is the tab of the query in the address', () => {
    const { initial, kept } = open('query={ a }');
    expect(initial).toEqual({ initialQuery: '{ a }' });
    expect(JSON.parse(kept.get('graphiql:tabState') ?? '')).toMatchObject({ activeTabIndex: 0 });
  });

  test('has nothing of the tab before', () => {
    const before: [string, string][] = [
      ['graphiql:variables', '{"old":1}'],
      ['graphiql:headers', '{"x-api-key":"old"}'],
    ];
    const { initial, kept } = open('query={ a }', { activeTabIndex: 1, tabs }, before);
    expect(initial).toEqual({ initialQuery: '{ a }' });
    expect([...kept.keys()].sort()).toEqual(['graphiql:query', 'graphiql:tabState']);
  });

  test('is a new one for another query, without the variables of the last one', () => {
    const { initial, kept } = open('query={ c }&variables={"y":2}');
    expect(initial).toEqual({ initialQuery: '{ c }', initialVariables: '{"y":2}' });
    expect(kept.has('graphiql:query')).toBe(false);
  });

  test.each(['', 'null', '{"tabs":1}'])('is an example if what was saved is %j', (saved) => {
    expect(open('', saved).initial).toEqual({});
  });
});
