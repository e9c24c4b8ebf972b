import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import {
  createCursorCodec,
  createCursorKey,
  createCursorKeys,
  keyIdBytes,
  signatureBytes,
} from '../../../src/events/signed-cursor.ts';
import { runs } from '../../support/runs.ts';

const digest = '8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR1';
const [older, newer] = ['older'.repeat(7), 'newer'.repeat(7)] as const;
const keysOf = (first: string, ...rest: readonly string[]) =>
  createCursorKeys(new Secret(first), ...rest.map((text) => new Secret(text)));
const codecOf = (keys = keysOf(older), identity = '["Sender","0x1"]') =>
  createCursorCodec({ field: 'queryEvents', identity }, keys);
const events = codecOf();
const otherEvents = codecOf(keysOf(older), '["Sender","0x2"]');
const transactions = createCursorCodec(
  { field: 'queryTransactionBlocks', identity: '["Sender","0x1"]' },
  keysOf(older),
);
const position = { key: `${digest}:3`, timestampMs: 1_767_225_600_000 };

const mixed =
  'The provided cursors are taken from different checkpoints and cannot be used together in the same query.';
const mixedError = (argument: string) =>
  expect.objectContaining({ message: mixed, extensions: { code: 'BAD_USER_INPUT', retry: 'never', argument } });
const unknownKey = (argument: string) =>
  expect.objectContaining({
    message: expect.stringContaining('signed with a key that this gateway does not have'),
    extensions: { code: 'CURSOR_KEY_UNKNOWN', retry: 'never', argument },
  });

test('a cursor gives back its position, as after and as before', () => {
  const cursor = events.toCursor(position);
  expect(events.parseCursor('after', cursor)).toEqual(position);
  expect(events.parseCursor('before', cursor)).toEqual(position);
  const plain = { key: digest, timestampMs: null };
  expect(transactions.parseCursor('after', transactions.toCursor(plain))).toEqual(plain);
});

test('a cursor can be put into a URL and a document as it is', () => {
  expect(events.toCursor(position)).toMatch(/^[A-Za-z0-9_-]+$/);
});

test.each([
  ['another filter', otherEvents],
  ['another field', transactions],
])('a cursor of %s is refused with the text for mixed cursors', (_, codec) => {
  expect(() => codec.parseCursor('before', events.toCursor(position))).toThrow(mixedError('before'));
});

test('a cursor of another key is refused as that, whatever it was for', () => {
  for (const identity of ['["Sender","0x1"]', '["Sender","0x2"]']) {
    const stranger = codecOf(keysOf(newer), identity);
    expect(() => stranger.parseCursor('before', events.toCursor(position))).toThrow(unknownKey('before'));
  }
});

test('the id of a key tells nothing of what it signs, and stays the same', () => {
  const [key, same, other] = [createCursorKey(older), createCursorKey(older), createCursorKey(newer)];
  expect([key.id.length, key.id.equals(same.id), key.id.equals(other.id)]).toEqual([keyIdBytes, true, false]);
});

test('the first key signs, and those behind it still verify', () => {
  const rotated = codecOf(keysOf(newer, older));
  expect(rotated.parseCursor('after', events.toCursor(position))).toEqual(position);
  expect(rotated.toCursor(position)).toBe(codecOf(keysOf(newer)).toCursor(position));
  expect(() => events.parseCursor('after', rotated.toCursor(position))).toThrow(unknownKey('after'));
});

test('a key that is adopted signs from then on, and what was signed before stays good', () => {
  const keys = keysOf(older);
  const codec = codecOf(keys);
  const before = codec.toCursor(position);
  keys.adopt(new Secret(newer));
  expect(codec.parseCursor('after', before)).toEqual(position);
  expect(codec.toCursor(position)).toBe(codecOf(keysOf(newer)).toCursor(position));
  for (let index = 0; index < 20; index += 1) keys.adopt(new Secret(`${newer}${index}`));
  expect(keys.all.length).toBeLessThan(10);
});

test('a signature is the HMAC of scope and text under a key that is used for nothing else', () => {
  const [scope, text] = [Buffer.from('scope'), Buffer.from('some text')];
  const derived = createHmac('sha256', older).update('ledger-gateway cursors').digest();
  const expected = createHmac('sha256', derived).update(scope).update(text).digest().subarray(0, signatureBytes);
  const key = createCursorKey(older);
  expect(key.sign(scope, text)).toEqual(expected);
  expect(key.verify(scope, text, expected)).toBe(true);
  expect(key.verify(scope, text, expected.subarray(1))).toBe(false);
  expect(key.verify(scope, Buffer.from('some texT'), expected)).toBe(false);
});

test('a cursor of an earlier version stays valid', () => {
  const cursor =
    'lqsQFpttR7qhrvmppXGYiQumpZdbIjhxYkhidzJCYmJUSEJXMXNiZXFha1lYVktSUU04TmU3cExLN202Q1ZmZVIxIiwiMyIsMTc2NzIyNTYwMDAwMF0';
  expect(events.toCursor(position)).toBe(cursor);
  expect(events.parseCursor('after', cursor)).toEqual(position);
});

/** By its place an altered letter belongs to the id of the key, or to what that key signed. */
const refusalCode = expect.stringMatching(/^(BAD_USER_INPUT|CURSOR_KEY_UNKNOWN)$/);

test('a cursor whose letters were altered, left out, doubled or added is refused, whichever they are', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const cursor = events.toCursor(position);
  const place = fc.nat({ max: cursor.length - 1 });
  const letter = fc.constantFrom(...alphabet);
  const altered = fc.oneof(
    fc.tuple(place, letter).map(([at, other]) => cursor.slice(0, at) + other + cursor.slice(at + 1)),
    place.map((at) => cursor.slice(0, at) + cursor.slice(at + 1)),
    fc.tuple(place, letter).map(([at, other]) => cursor.slice(0, at) + other + cursor.slice(at)),
    letter.map((other) => cursor.slice(0, -1) + other),
    fc.tuple(place, place).map(([from, to]) => cursor.slice(0, from) + cursor.slice(to)),
  );
  fc.assert(
    fc.property(altered, (text) => {
      fc.pre(text !== cursor);
      expect(() => events.parseCursor('after', text)).toThrow(
        expect.objectContaining({ extensions: { code: refusalCode, retry: 'never', argument: 'after' } }),
      );
    }),
    { numRuns: runs(600) },
  );
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a position that somebody made up is refused, whether it claims a key in force or not', () => {
  const times = fc.option(fc.maxSafeNat());
  const made = fc.record({
    scope: fc.string({ maxLength: 12 }),
    eventSeq: fc.option(fc.nat().map(String)),
    timestampMs: times,
    signature: fc.uint8Array({ minLength: signatureBytes, maxLength: signatureBytes }),
  });
  fc.assert(
    fc.property(made, ({ scope, eventSeq, timestampMs, signature }) => {
      const text = JSON.stringify([digest, eventSeq, timestampMs]);
      const { id } = createCursorKey(older);
      const claimed = Buffer.concat([id, signature, Buffer.from(text)]).toString('base64url');
      expect(() => events.parseCursor('before', claimed)).toThrow(mixedError('before'));
      const invented = encode([scope, digest, eventSeq, timestampMs]);
      expect(() => events.parseCursor('before', invented)).toThrow(unknownKey('before'));
    }),
  );
});

test.each([
  ['', 'empty'],
  ['not a cursor', 'no base64url'],
  ['A'.repeat(21), 'shorter than a signature'],
  ['A'.repeat(100_000), 'huge'],
])('malformed text is refused, naming the argument: %#', (cursor) => {
  expect(() => events.parseCursor('after', cursor)).toThrow(
    expect.objectContaining({
      message: expect.stringContaining("'after'"),
      extensions: { code: 'BAD_USER_INPUT', retry: 'never', argument: 'after' },
    }),
  );
});

test.each([
  ['no digest', { ...position, key: '1111:3' }],
  ['no event sequence', { ...position, key: `${digest}:-1` }],
  ['no time', { ...position, timestampMs: 1.5 }],
])('what the upstream named in a way that cannot be asked for again, %s, is refused too', (_, odd) => {
  expect(() => events.parseCursor('after', events.toCursor(odd))).toThrow(
    expect.objectContaining({ extensions: { code: 'BAD_USER_INPUT', retry: 'never', argument: 'after' } }),
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
          expect.objectContaining({ extensions: expect.objectContaining({ code: refusalCode }) }),
        );
      },
    ),
  );
});
