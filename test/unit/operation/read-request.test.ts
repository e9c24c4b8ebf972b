import { describe, expect, it } from 'vitest';
import { readBodyRequest, readQueryString } from '../../../src/operation/parse-request.ts';

const read = (text: string) => readBodyRequest(Buffer.from(text));

describe('the body of a request for the lane', () => {
  it.each([
    ['{"query":"{a}"}', { query: '{a}', documentId: null, variables: {}, operationName: null }],
    [
      '{"query":"{a}","variables":null,"operationName":null,"extensions":null}',
      { query: '{a}', documentId: null, variables: {}, operationName: null },
    ],
    [
      '{"operationName":"A","variables":{"b":1},"query":"{a}","extensions":{"c":1}}',
      { query: '{a}', documentId: null, variables: { b: 1 }, operationName: 'A' },
    ],
    ['{"query":"first","query":"second"}', { query: 'second', documentId: null, variables: {}, operationName: null }],
  ])('is parsed: %s', (text, request) => {
    expect(read(text)).toEqual({ kind: 'request', ...request });
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
    ['{"query":"{a}","extensions":[]}'],
    ['{"query":"{a}","id":null}'],
    ['{"query":"{a}","documentId":"a"}'],
    ['{"documentId":"a","more":1}'],
    ['{"query":"{a}","__proto__":{"a":1}}'],
    ['\ufeff{"query":"{a}"}'],
  ])('is left to Yoga: %s', (text) => {
    expect(read(text)).toBeNull();
  });
});

describe('the query string of a request', () => {
  it.each([
    ['/graphql?query=%7Ba%7D', { query: '{a}', documentId: null, variables: {}, operationName: null }],
    [
      '/graphql?query=%7Ba%7D&variables=%7B%22b%22%3A1%7D&operationName=A&extensions=&more=1',
      { query: '{a}', documentId: null, variables: { b: 1 }, operationName: 'A' },
    ],
  ])('is parsed: %s', (url, request) => {
    expect(readQueryString(url)).toEqual({ kind: 'request', ...request });
  });

  it.each([
    ['/graphql'],
    ['/graphql?query='],
    ['/graphql?query=%7Ba%7D&variables=%7B'],
    ['/graphql?query=%7Ba%7D&variables=1'],
    ['/graphql?query=%7Ba%7D&extensions=%5B%5D'],
    ['/graphql?extensions=%7B%22persistedQuery%22%3A1%7D'],
  ])('is left to Yoga: %s', (url) => {
    expect(readQueryString(url)).toBeNull();
  });
});
