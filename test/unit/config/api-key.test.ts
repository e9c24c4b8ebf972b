import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashApiKey, isClientId, looksLikeApiKey, toApiKey } from '../../../src/config/client.ts';

describe('API keys', () => {
  test('contain a prefix, the client’s id and random bits', () => {
    const key = toApiKey('web-app', new Uint8Array(32).fill(0xff));
    expect(key.reveal()).toBe(`lgk_web-app_${'_'.repeat(42)}8`);
    expect(`${key} ${JSON.stringify(key)}`).toBe('[redacted] "[redacted]"');
  });

  test('are stored as SHA-256 of their whole text', () => {
    // printf %s lgk_a_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA | sha256sum
    expect(hashApiKey(toApiKey('a', new Uint8Array(32)).reveal())).toBe(
      '641d37521e1d15287ab2c2c418d2f7d98c284202a8e3c01684ad02db694ee133',
    );
  });

  test('cannot have fewer random bits', () => {
    expect(() => toApiKey('a', new Uint8Array(24))).toThrow('32 random bytes');
  });

  test('are recognized with any bits and any client', () => {
    const id = fc.stringMatching(/^[a-z\d](?:[a-z\d-]{0,62}[a-z\d])?$/);
    fc.assert(
      fc.property(id, fc.uint8Array({ minLength: 32, maxLength: 32 }), (name, random) => {
        expect(isClientId(name)).toBe(true);
        expect(looksLikeApiKey(toApiKey(name, random).reveal())).toBe(true);
      }),
    );
  });
});

test.each(['', 'A', 'a_b', '-a', 'a-', 'a b', 'a'.repeat(65), 'é'])('%j is not a client id', (id) => {
  expect(isClientId(id)).toBe(false);
});
