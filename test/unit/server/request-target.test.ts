import { expect, it } from 'vitest';
import { toRequestTarget, versionIn } from '../../../src/server/request-head.ts';

it.each([
  ['/graphql?query={a}', '/graphql?query={a}'],
  ['http://elsewhere.example/graphql?x', '/graphql?x'],
  ['HTTPS://u:p@elsewhere.example:8443/graphql', '/graphql'],
  ['http://elsewhere.example', '/'],
  ['http://elsewhere.example?x', '/?x'],
  ['/graphql#x', '/graphql'],
  ['//evil.example/graphql', '//evil.example/graphql'],
  ['/http://evil.example/graphql', '/http://evil.example/graphql'],
  ['*', '*'],
  ['', '/'],
])('of %s, %s is used', (url, target) => {
  expect(toRequestTarget(url)).toBe(target);
});

it.each<[path: string, version: string | null | undefined]>([
  ['/graphql', null],
  ['/graphql/', null],
  ['/graphql//', undefined],
  ['/graphql/stable', 'stable'],
  ['/graphql/2026.1/', '2026.1'],
  ['/graphql/stable//', undefined],
  ['/graphql/stable/more', undefined],
  ['/graphqlx', undefined],
  ['/', undefined],
])('the version in %s is %s', (path, version) => {
  expect(versionIn(path, '/graphql')).toBe(version);
});
