import { describe, expect, it } from 'vitest';
import { createResponseReader } from '../../bench/load/response-reader.ts';

/** What a reader tells of a response that arrives in these pieces. */
const read = (...pieces: readonly string[]) => {
  const told: unknown[] = [];
  let body = '';
  const reader = createResponseReader({
    onHead: (...head) => told.push(head),
    onBody: (piece) => {
      body += piece.toString();
    },
    onEnd: () => told.push(body),
  });
  for (const piece of pieces) reader.read(Buffer.from(piece));
  return told;
};

const withLength = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"data":{}}';
const inChunks =
  'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n4\r\nabcd\r\nA;x=1\r\n0123456789\r\n0\r\n\r\n';

describe('createResponseReader', () => {
  it('reads a body that has a length', () => {
    expect(read(withLength)).toEqual([[200, 'application/json', 11], '{"data":{}}']);
  });

  it('reads a body that comes in chunks', () => {
    expect(read(inChunks)).toEqual([[200, 'text/plain', null], 'abcd0123456789']);
  });

  it('ends where there is no body', () => {
    expect(read('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')).toEqual([[404, '', 0], '']);
  });

  it.each([
    ['with a length', withLength],
    ['in chunks', inChunks],
  ])('reads a body %s alike in whatever two pieces it arrives, and byte by byte', (_, response) => {
    const whole = read(response);
    for (let at = 1; at < response.length; at += 1)
      expect(read(response.slice(0, at), response.slice(at))).toEqual(whole);
    expect(read(...response)).toEqual(whole);
  });
});
