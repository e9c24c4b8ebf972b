import { describe, expect, it } from 'vitest';
import { toAcceptable } from '../../../src/server/accept.ts';

describe('the Accept header', () => {
  it.each([
    [undefined, '*/*'],
    ['', '*/*'],
    ['application/json', 'application/json'],
    [
      'application/graphql-response+json; charset=utf-8, application/json;q=0.9',
      'application/graphql-response+json; charset=utf-8, application/json;q=0.9',
    ],
    ['text/html, */*', '*/*'],
    ['TEXT/EVENT-STREAM', 'text/event-stream'],
    ['image/png', null],
    ['text/html', null],
    ['application/json;q=0', null],
    ['application/json;q=0.5', 'application/json;q=0.5'],
    [`${'text/x, '.repeat(5_000)}application/json`, null],
    ['application/json, '.repeat(5_000), 'application/json'],
  ])('%.60s', (header, expected) => {
    expect(toAcceptable(header)).toBe(expected);
  });
});
