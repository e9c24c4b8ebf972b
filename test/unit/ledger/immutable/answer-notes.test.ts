import { describe, expect, it } from 'vitest';
import { CachedAnswer } from '../../../../src/ledger/immutable/answer-memory.ts';
import { CacheHeaders } from '../../../../src/ledger/immutable/answer-notes.ts';

/** The headers of an answer that never changes, to a GET with these headers. */
function headersFor(headers: Record<string, string>) {
  const set: Record<string, string> = { 'x-personal': '1' };
  const res = {
    setHeader: (name: string, value: string) => {
      set[name] = value;
    },
    removeHeader: (name: string) => {
      delete set[name];
    },
  };
  const notes = new CacheHeaders(
    { req: { method: 'GET', headers }, res, showUsage: false, operations: [] },
    ['x-personal'],
    () => 0,
  );
  notes.onKept(new CachedAnswer(Buffer.from('{"data":{"a":1}}'), '1', 0, 60_000, 1));
  notes.settle(200, 'application/json');
  return set;
}

describe('an answer that never changes', () => {
  it('may be kept by any cache, without what is for its caller alone', () => {
    const headers = headersFor({});
    expect(headers['cache-control']).toBe('public, max-age=60, immutable');
    expect(headers).not.toHaveProperty('x-personal');
  });

  it.each(['authorization', 'x-api-key', 'cookie', 'x-gateway-show-source'])(
    'is for its caller alone with %s',
    (name) => {
      const headers = headersFor({ [name]: 'a' });
      expect(headers).not.toHaveProperty('cache-control');
      expect(headers).not.toHaveProperty('etag');
      expect(headers).toHaveProperty('x-personal');
    },
  );
});
