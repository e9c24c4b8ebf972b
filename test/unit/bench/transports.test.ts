import { describe, expect, it } from 'vitest';
import { toGetRequest, toPayload } from '../../bench/load/transports.ts';

describe('toGetRequest', () => {
  it('puts the members of a POST into the query of the address', () => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const body = '{"query":"{ a(b: \\"c&d\\") }","variables":{"first":50}}';
    expect(toGetRequest({ path: '/graphql', headers, body })).toEqual({
      path: '/graphql?query=%7B+a%28b%3A+%22c%26d%22%29+%7D&variables=%7B%22first%22%3A50%7D',
      headers: { accept: 'application/json' },
      body: null,
    });
  });
});

describe('toPayload', () => {
  it('cuts the result out of a frame', () => {
    expect(toPayload('{"id":"1","type":"next","payload":{"data":{"payload":"}"}}}')).toBe('{"data":{"payload":"}"}}');
  });
});
