import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCursorCodec } from '../../../../src/subschemas/events/cursor.ts';

const digest = '8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR1';
const events = createCursorCodec({ field: 'queryEvents', identity: '["Sender","0x1"]' });
const otherEvents = createCursorCodec({ field: 'queryEvents', identity: '["Sender","0x2"]' });
const transactions = createCursorCodec({ field: 'queryTransactionBlocks', identity: '["Sender","0x1"]' });
const position = { digest, eventSeq: '3', timestampMs: 1_767_225_600_000 };

const mixed =
  'The provided cursors are taken from different checkpoints and cannot be used together in the same query.';

test('a cursor gives back its position, as after and as before', () => {
  const cursor = events.toCursor(position);
  expect(events.parseCursor('after', cursor)).toEqual(position);
  expect(events.parseCursor('before', cursor)).toEqual(position);
  const plain = { digest, eventSeq: null, timestampMs: null };
  expect(transactions.parseCursor('after', transactions.toCursor(plain))).toEqual(plain);
});

test('a cursor can be put into a URL and a document as it is', () => {
  expect(events.toCursor(position)).toMatch(/^[A-Za-z0-9_-]+$/);
});

test.each([
  ['another filter', otherEvents],
  ['another field', transactions],
])('a cursor of %s is refused with the text for mixed cursors', (_, codec) => {
  expect(() => codec.parseCursor('before', events.toCursor(position))).toThrow(
    expect.objectContaining({ message: mixed, extensions: { code: 'BAD_USER_INPUT', argument: 'before' } }),
  );
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const [scope] = JSON.parse(Buffer.from(events.toCursor(position), 'base64url').toString()) as [string];

test.each([
  ['', 'empty'],
  ['not a cursor', 'no base64url'],
  [encode('text'), 'no list'],
  [encode([scope]), 'too short'],
  [encode([scope, '1111', '0', 0]), 'no digest'],
  [encode([scope, digest, '-1', 0]), 'no event sequence'],
  [encode([scope, digest, null, 0]), 'a transaction where an event is needed'],
  [encode([scope, digest, '1', 1.5]), 'no time'],
  ['A'.repeat(100_000), 'huge'],
])('malformed text is refused, naming the argument: %#', (cursor) => {
  expect(() => events.parseCursor('after', cursor)).toThrow(
    expect.objectContaining({
      message: expect.stringContaining("'after'"),
      extensions: { code: 'BAD_USER_INPUT', argument: 'after' },
    }),
  );
});

test('no text makes it throw anything but a refusal', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.base64String(),
        fc.json().map((json) => Buffer.from(json).toString('base64url')),
      ),
      (text) => {
        expect(() => events.parseCursor('after', text)).toThrow(
          expect.objectContaining({ extensions: expect.objectContaining({ code: 'BAD_USER_INPUT' }) }),
        );
      },
    ),
  );
});
