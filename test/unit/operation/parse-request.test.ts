import { describe, expect, it } from 'vitest';
import { parseRequest } from '../../../src/operation/parse-request.ts';

describe('a request', () => {
  it.each([
    [{ query: '{a}' }, { query: '{a}', documentId: null, variables: {}, operationName: null }],
    [
      { query: '', operationName: '' },
      { query: '', documentId: null, variables: {}, operationName: '' },
    ],
    [
      { query: '{a}', variables: null, operationName: null, extensions: null, id: 1 },
      { query: '{a}', documentId: null, variables: {}, operationName: null },
    ],
    [
      { operationName: 'A', variables: { b: 1 }, query: '{a}', extensions: { persistedQuery: {} } },
      { query: '{a}', documentId: null, variables: { b: 1 }, operationName: 'A' },
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

  it.each([
    [{ documentId: 'sha256:a' }, 'sha256:a'],
    [{ query: null, doc_id: 'a' }, 'a'],
    [{ query: '', id: 'a' }, 'a'],
    [{ extensions: { persistedQuery: { version: 1, sha256Hash: 'a' } } }, 'a'],
    // The same id, as two libraries write it.
    [{ documentId: 'sha256:a', extensions: { persistedQuery: { sha256Hash: 'a' } } }, 'sha256:a'],
  ])('may have the id of its document: %j', (value, documentId) => {
    expect(parseRequest(value)).toEqual({
      kind: 'request',
      query: '',
      documentId,
      variables: {},
      operationName: null,
    });
  });

  it.each([
    [{ documentId: '' }, 'The parameter "documentId" must be the id of a document.'],
    [{ id: 1 }, 'The parameter "id" must be the id of a document.'],
    [{ documentId: 'a', doc_id: 'b' }, 'The request has two different document ids.'],
    [{ id: 'a', extensions: { persistedQuery: { sha256Hash: 'b' } } }, 'The request has two different document ids.'],
    [{ extensions: { persistedQuery: { sha256Hash: 1 } } }, 'Must provide query string.'],
  ])('is rejected for its id: %j', (value, message) => {
    expect(parseRequest(value)).toEqual({ kind: 'fault', code: 'BAD_REQUEST', message });
  });

  it('is decided by its text if it has one, and keeps the hash beside it', () => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: 'a' } };
    expect(parseRequest({ query: '{a}', documentId: 'b', extensions })).toMatchObject({
      query: '{a}',
      documentId: 'a',
    });
  });
});
