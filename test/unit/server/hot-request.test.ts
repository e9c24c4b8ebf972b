import { describe, expect, it } from 'vitest';
import { isHotHead, toHotMediaType, toHotRequest } from '../../../src/server/hot-request.ts';

const read = (text: string) => toHotRequest(Buffer.from(text));

describe('the body of a request for the short way', () => {
  it.each([
    ['{"query":"{a}"}', { query: '{a}', variables: {}, operationName: null }],
    [
      '{"query":"{a}","variables":null,"operationName":null,"extensions":null}',
      { query: '{a}', variables: {}, operationName: null },
    ],
    [
      '{"operationName":"A","variables":{"b":1},"query":"{a}","extensions":{"c":1}}',
      { query: '{a}', variables: { b: 1 }, operationName: 'A' },
    ],
    ['{"query":"first","query":"second"}', { query: 'second', variables: {}, operationName: null }],
  ])('is read: %s', (text, request) => {
    expect(read(text)).toEqual(request);
  });

  it('may have a variable of any name', () => {
    expect(JSON.stringify(read('{"query":"{a}","variables":{"__proto__":1}}')?.variables)).toBe('{"__proto__":1}');
  });

  it.each([
    [''],
    ['{'],
    ['null'],
    ['"{a}"'],
    ['[{"query":"{a}"}]'],
    ['{}'],
    ['{"query":null}'],
    ['{"query":1}'],
    ['{"query":"{a}","variables":[]}'],
    ['{"query":"{a}","variables":"{}"}'],
    ['{"query":"{a}","operationName":1}'],
    ['{"query":"{a}","operationName":""}'],
    ['{"query":"{a}","extensions":[]}'],
    ['{"query":"{a}","id":null}'],
    ['{"query":"{a}","__proto__":{"a":1}}'],
    ['\ufeff{"query":"{a}"}'],
  ])('is left to others: %s', (text) => {
    expect(read(text)).toBeNull();
  });
});

describe('the head of a request for the short way', () => {
  const head = (url: string, headers: Record<string, string>) => isHotHead({ url, headers }, '/graphql');

  it.each([['application/json'], ['application/json; charset=utf-8'], ['Application/JSON;charset="UTF-8"']])(
    'says %s',
    (type) => {
      expect(head('/graphql', { 'content-type': type })).toBe(true);
    },
  );

  it.each([
    ['/graphql', {}],
    ['/graphql', { 'content-type': 'application/graphql+json' }],
    ['/graphql', { 'content-type': 'application/json; charset=utf-16' }],
    ['/graphql', { 'content-type': 'application/json', 'content-encoding': 'identity' }],
    ['/graphql?query={a}', { 'content-type': 'application/json' }],
  ])('says nothing else: %s %j', (url, headers) => {
    expect(head(url, headers as Record<string, string>)).toBe(false);
  });
});

describe('the type of a plain answer', () => {
  it.each([
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['application/*', 'application/json'],
    ['application/graphql-response+json', 'application/graphql-response+json'],
    ['application/graphql-response+json; charset=utf-8, application/json', 'application/graphql-response+json'],
    ['application/json, application/graphql-response+json', 'application/json'],
    ['text/event-stream, application/graphql-response+json', 'application/graphql-response+json'],
    ['application/graphql-response+json;charset=latin1, application/json', 'application/json'],
    ['text/event-stream', null],
    ['multipart/mixed', null],
  ])('accepting %s is %s', (accept, type) => {
    expect(toHotMediaType(accept)).toBe(type);
  });
});
