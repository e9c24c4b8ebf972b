import { describe, expect, it } from 'vitest';
import { toLaneRequest } from '../../../../src/server/lane/lane-operations.ts';

const read = (text: string) => toLaneRequest(Buffer.from(text));

describe('the body of a request for the lane', () => {
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
