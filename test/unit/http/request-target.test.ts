import { expect, it } from 'vitest';
import { toRequestTarget } from '../../../src/http/request-target.ts';

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
])('of %s only %s counts', (url, target) => {
  expect(toRequestTarget(url)).toBe(target);
});
