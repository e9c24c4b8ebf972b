import { Buffer } from 'node:buffer';
import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Secret } from '../../../../src/config/secret.ts';
import type { Lease } from '../../../../src/sponsor/leases.ts';
import { createLeaseId, createLeaseKeys } from '../../../../src/sponsor/leases.ts';

const [older, newer] = [new Secret('older'.repeat(8)), new Secret('newer'.repeat(8))];
const keys = createLeaseKeys(older);
const caller = 'client:web-app';
const nowMs = Date.UTC(2026, 0, 31);
const lease: Lease = {
  leaseId: Buffer.alloc(16, 7).toString('base64url'),
  rawReservationId: '18446744073709551615',
  sponsorAddress: `0x${'ab'.repeat(32)}`,
  gasBudget: 5_000_000,
  issuedAtMs: nowMs,
  expiresAtMs: nowMs + 60_000,
  coinsHash: Buffer.alloc(32, 9).toString('base64url'),
};
const text = keys.sign(lease, caller);

const base64urlOf = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((part) => Buffer.from(part).toString('base64url'));
const anyLease = fc.record({
  leaseId: base64urlOf(16),
  rawReservationId: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
  sponsorAddress: fc.oneof(
    base64urlOf(32).map((part) => `0x${Buffer.from(part, 'base64url').toString('hex')}`),
    fc.stringMatching(/^[\x21-\x7e]{1,256}$/),
    fc.constant('~'.repeat(256)),
  ),
  gasBudget: fc.maxSafeNat(),
  issuedAtMs: fc.maxSafeNat(),
  expiresAtMs: fc.maxSafeNat(),
  coinsHash: base64urlOf(32),
});

test('every lease fits 512 URL-safe characters, and is returned complete to its caller', () => {
  fc.assert(
    fc.property(anyLease, fc.string({ unit: 'grapheme' }), (each, who) => {
      const signed = keys.sign(each, who);
      expect(signed).toMatch(/^[A-Za-z0-9_-]{1,512}$/);
      expect(keys.open(signed, who)).toEqual(each);
      expect(keys.open(signed, `${who}.`)).toBeNull();
    }),
  );
});

test('a lease in token mode is short, and does not reveal its caller', () => {
  expect(text.length).toBeLessThan(200);
  expect(Buffer.from(text, 'base64url').includes('web-app')).toBe(false);
});

test('all leases begin alike, followed by the lease’s id, so that it is found in a log', () => {
  fc.assert(
    fc.property(anyLease, (each) => {
      expect(keys.sign(each, caller).slice(0, 24)).toBe(`bGcx${each.leaseId.slice(0, 20)}`);
    }),
  );
});

test.each<[string, Partial<Lease>]>([
  ['a number beyond a u64', { rawReservationId: '18446744073709551616' }],
  ['a number that is none', { rawReservationId: '1e3' }],
  ['no number', { rawReservationId: '' }],
  ['an address of a kilobyte', { sponsorAddress: 'x'.repeat(1_000) }],
  ['an address with spaces', { sponsorAddress: '0x5 ' }],
  ['no address', { sponsorAddress: '' }],
  ['an id that is too short', { leaseId: 'AAAA' }],
  ['a hash that is too long', { coinsHash: 'A'.repeat(44) }],
])('a lease with %s is not signed', (_, odd) => {
  expect(() => keys.sign({ ...lease, ...odd }, caller)).toThrow(RangeError);
});

test('no changed, removed or added character gives another valid lease', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \n\u0000é';
  for (let at = 0; at <= text.length; at += 1) {
    const [before, rest] = [text.slice(0, at), text.slice(at)];
    expect(keys.open(before, caller), `cut at ${at}`).toEqual(at === text.length ? lease : null);
    if (at > 0) expect(keys.open(rest, caller)).toBeNull();
    if (rest !== '') expect(keys.open(before + rest.slice(1), caller)).toBeNull();
    for (const letter of alphabet) {
      expect(keys.open(before + letter + rest, caller)).toBeNull();
      if (rest !== '' && letter !== rest[0]) expect(keys.open(before + letter + rest.slice(1), caller)).toBeNull();
    }
  }
});

test('no flipped bit gives a valid lease', () => {
  const bytes = Buffer.from(text, 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const altered = Buffer.from(bytes);
    altered[bit >> 3] = (altered[bit >> 3] as number) ^ (1 << (bit & 7));
    expect(keys.open(altered.toString('base64url'), caller), `bit ${bit}`).toBeNull();
  }
});

test('parts of two leases do not form a third', () => {
  const other = keys.sign({ ...lease, leaseId: Buffer.alloc(16, 8).toString('base64url'), gasBudget: 1 }, caller);
  expect(keys.open(text + other, caller)).toBeNull();
  for (let at = 1; at < text.length; at += 1) {
    const joined = text.slice(0, at) + other.slice(at);
    expect(keys.open(joined, caller)).toEqual(joined === text ? lease : joined === other ? expect.anything() : null);
  }
});

test('a lease is invalid for another caller, and under another key', () => {
  for (const other of ['', 'client:web-ap', 'client:web-app2', 'address:203.0.113.9'])
    expect(keys.open(text, other)).toBeNull();
  expect(createLeaseKeys(newer).open(text, caller)).toBeNull();
});

test('the first key signs, and all keys verify', () => {
  const rotated = createLeaseKeys(newer, older);
  expect(rotated.open(text, caller)).toEqual(lease);
  expect(rotated.sign(lease, caller)).toBe(createLeaseKeys(newer).sign(lease, caller));
  expect(keys.open(rotated.sign(lease, caller), caller)).toBeNull();
});

test('replaced keys are invalid immediately', () => {
  const changing = createLeaseKeys(older);
  changing.replace([newer, older]);
  expect(changing.open(text, caller)).toEqual(lease);
  const signed = changing.sign(lease, caller);
  expect(createLeaseKeys(newer).open(signed, caller)).toEqual(lease);
  changing.replace([newer]);
  expect(changing.open(text, caller)).toBeNull();
  expect(changing.open(signed, caller)).toEqual(lease);
  changing.replace([]);
  expect(changing.open(signed, caller)).toEqual(lease);
});

test('an adopted key signs from then on, and earlier leases stay valid', () => {
  const changing = createLeaseKeys(older);
  changing.adopt(newer);
  for (const each of [text, changing.sign(lease, caller)]) expect(changing.open(each, caller)).toEqual(lease);
  expect(changing.sign(lease, caller)).toBe(createLeaseKeys(newer).sign(lease, caller));
});

test('a signature is the HMAC of caller and lease under a key with no other use', () => {
  const bytes = Buffer.from(text, 'base64url');
  const derived = createHmac('sha256', 'older'.repeat(8)).update('ledger-gateway leases').digest();
  const length = Buffer.from([0, 0, 0, caller.length]);
  const signed = Buffer.concat([length, Buffer.from(caller), bytes.subarray(0, -32)]);
  expect(bytes.subarray(-32)).toEqual(createHmac('sha256', derived).update(signed).digest());
});

test('lease ids do not repeat', () => {
  const ids = Array.from({ length: 1_000 }, createLeaseId);
  expect(new Set(ids).size).toBe(1_000);
  for (const id of ids) expect(keys.open(keys.sign({ ...lease, leaseId: id }, caller), caller)?.leaseId).toBe(id);
});

test('a signature by the same secret for another purpose is no lease', () => {
  const plain = createLeaseKeys(new Secret('')).sign(lease, caller);
  expect(keys.open(plain, caller)).toBeNull();
});

test('an unsigned text is rejected without an error, at any length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (made) => {
      expect(keys.open(made, caller)).toBeNull();
    }),
  );
  for (const length of [0, 1, 31, 32, 33, 82, 114, 115, 146, 384]) {
    expect(keys.open(randomBytes(length).toString('base64url'), caller)).toBeNull();
  }
  expect(keys.open('A'.repeat(1_000_000), caller)).toBeNull();
});
