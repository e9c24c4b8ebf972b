import { describe, expect, it } from 'vitest';
import { parseRequest } from '../../../src/operation/parse-request.ts';

describe('a request', () => {
  it.each([
    [{ query: '{a}' }, { query: '{a}', variables: {}, operationName: null }],
    [
      { query: '', operationName: '' },
      { query: '', variables: {}, operationName: '' },
    ],
    [
      { query: '{a}', variables: null, operationName: null, extensions: null, id: 1 },
      { query: '{a}', variables: {}, operationName: null },
    ],
    [
      { operationName: 'A', variables: { b: 1 }, query: '{a}', extensions: { persistedQuery: {} } },
      { query: '{a}', variables: { b: 1 }, operationName: 'A' },
    ],
  ])('is read: %j', (value, request) => {
    expect(parseRequest(value)).toEqual({ kind: 'request', ...request });
  });

  it.each([
    [null, 'Expected params to be an object but given null.'],
    ['{a}', 'Expected params to be an object but given string.'],
    [[{ query: '{a}' }], 'Expected params to be an object but given array.'],
    [{}, 'Must provide query string.'],
    [{ query: null, extensions: {} }, 'Must provide query string.'],
    [{ query: 1 }, 'Expected "query" param to be a string, but given number.'],
    [{ query: '{a}', operationName: 1 }, 'The parameter "operationName" must be a string.'],
    [{ query: '{a}', variables: [] }, 'Expected "variables" param to be empty or an object, but given array.'],
    [{ query: '{a}', variables: '{}' }, 'Expected "variables" param to be empty or an object, but given string.'],
    [{ query: '{a}', extensions: [] }, 'Expected "extensions" param to be empty or an object, but given array.'],
  ])('is not one: %j', (value, message) => {
    expect(parseRequest(value)).toEqual({ kind: 'fault', code: 'BAD_REQUEST', message });
  });

  it.each([[undefined], ['']])(
    'that names its document by a hash alone is answered so that it comes again: %j',
    (query) => {
      const extensions = { persistedQuery: { version: 1, sha256Hash: 'a' } };
      expect(parseRequest({ query, extensions })).toMatchObject({ code: 'PERSISTED_QUERY_NOT_SUPPORTED' });
    },
  );
});
