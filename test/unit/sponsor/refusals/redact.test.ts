import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../src/config/secret.ts';
import { redact, withoutCredential } from '../../../../src/sponsor/refusals/redact.ts';

describe('redact', () => {
  it.each([
    ['token s3cr3t-token is wrong', 'token [redacted] is wrong'],
    ['header "Bearer s3cr3t-token" is wrong', 'header "[redacted]" is wrong'],
    ['authorization: bearer another.one', 'authorization: bearer [redacted]'],
    ['redis://pool:hunter2@10.0.0.1:6379 refused', 'redis://[redacted]@10.0.0.1:6379 refused'],
    ['Gas budget must be positive', 'Gas budget must be positive'],
  ])('turns %s into %s', (text, shown) => {
    expect(redact(text, new Secret('Bearer s3cr3t-token'), 500)).toBe(shown);
  });

  it('hides other parties’ credentials when the call had none', () => {
    expect(redact('Bearer abcdefgh', null, 500)).toBe('Bearer [redacted]');
  });

  it('never leaves a part of the credential at the cut', () => {
    const token = fc.stringMatching(/^[A-Za-z0-9]{16,40}$/);
    fc.assert(
      fc.property(token, fc.nat(60), (credential, padding) => {
        const text = `${'.'.repeat(padding)}${credential} and more`;
        expect(redact(text, new Secret(`Bearer ${credential}`), 40)).not.toContain(credential.slice(0, 12));
      }),
    );
  });
});

describe('an answer without the credential that was sent', () => {
  const authorization = new Secret('Bearer s3cr3t-token');
  const answer = (json: unknown, text = JSON.stringify(json)) => ({ status: 200, json, text });

  it('has it in no value and no key, however deep, and keeps the rest as it was', () => {
    expect(
      withoutCredential(
        answer({ a: ['s3cr3t-token', { 'x s3cr3t-token': 'Bearer s3cr3t-token' }], n: 5 }),
        authorization,
      ),
    ).toEqual(answer({ a: ['[redacted]', { 'x [redacted]': '[redacted]' }], n: 5 }));
  });

  it.each([
    ['a letter by its number', 's3cr3t-token', '\\u00733cr3t-token'],
    ['a slash that need not be', 's3cr3t/token', 's3cr3t\\/token'],
    ['a quote', 's3cr3t"token', 's3cr3t\\"token'],
    ['a backslash', 's3cr3t\\token', 's3cr3t\\\\token'],
    ['a backslash by its number', 's3cr3t\\token', 's3cr3t\\u005ctoken'],
  ])('does not hide it behind escapes: %s', (_, token, written) => {
    const escaped = answer({ effects: token }, `{"effects":"${written}"}`);
    expect(JSON.parse(escaped.text)).toEqual(escaped.json);
    expect(withoutCredential(escaped, new Secret(`Bearer ${token}`))).toEqual(answer({ effects: '[redacted]' }));
  });

  it('is the same object where there is nothing to take out', () => {
    const plain = answer({ digest: 'abc' });
    expect(withoutCredential(plain, authorization)).toBe(plain);
    expect(withoutCredential(plain, null)).toBe(plain);
    const short = answer({ digest: 'abc' });
    expect(withoutCredential(short, new Secret('Bearer abc'))).toBe(short);
  });
});
