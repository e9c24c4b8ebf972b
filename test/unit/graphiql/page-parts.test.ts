import { describe, expect, test } from 'vitest';
import { fillIn, keepAnswer } from '../../../src/graphiql/example-steps.ts';
import { openSavedTab } from '../../../src/graphiql/saved-tabs.ts';
import { toUsageText } from '../../../src/graphiql/usage-line.ts';

test('usage that has a limit is shown beside it', () => {
  expect(toUsageText({ outputNodes: 51, fragments: 2 }, { outputNodes: 100_000 })).toBe('output nodes 51 of 100,000');
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
