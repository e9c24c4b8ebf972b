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
  ])('is parsed: %j', (value, request) => {
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
  ])('is rejected: %j', (value, message) => {
    expect(parseRequest(value)).toEqual({ kind: 'fault', code: 'BAD_REQUEST', message });
  });

  it.each([[undefined], ['']])(
    'with only the hash of a document is answered so that the client sends the text: %j',
    (query) => {
      const extensions = { persistedQuery: { version: 1, sha256Hash: 'a' } };
      expect(parseRequest({ query, extensions })).toMatchObject({ code: 'PERSISTED_QUERY_NOT_SUPPORTED' });
    },
  );
});
