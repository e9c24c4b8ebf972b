import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../src/config/secret.ts';
import {
  errorTextOf,
  hasResult,
  redact,
  sentenceOf,
  toSponsorAnswer,
  withoutCredential,
} from '../../../../src/sponsor/sponsor-response.ts';

const answer = (body: string, contentType?: string, status = 200) =>
  toSponsorAnswer({
    status,
    headers: new Map(contentType === undefined ? [] : [['content-type', contentType]]),
    body: Buffer.from(body),
  });

describe('toSponsorAnswer', () => {
  it('parses JSON by its content type, under any status', () => {
    expect(answer('{"error":"x"}', 'application/json', 500).json).toEqual({ error: 'x' });
    expect(answer('{"error":"x"}', 'application/problem+json; charset=utf-8', 400).json).toEqual({ error: 'x' });
  });

  it('does not parse plain text, even if it looks like JSON', () => {
    expect(answer('{"error":"x"}', 'text/plain; charset=utf-8', 400).json).toBeUndefined();
  });

  it('parses without a content type', () => {
    expect(answer('"OK"').json).toBe('OK');
  });

  it('ignores JSON that could not be printed again', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(answer(nested(2_001), 'application/json').json).toBeUndefined();
    expect(answer(nested(2_000), 'application/json').json).toBeDefined();
  });

  it('keeps the text of invalid JSON', () => {
    expect(answer('OK', 'application/json')).toEqual({ status: 200, text: 'OK', json: undefined });
  });
});

describe('errorTextOf', () => {
  it.each([
    ['{"error":"no coins"}', 'no coins'],
    ['{"result":null,"error":"no coins"}', 'no coins'],
    ['{"effects":null,"error":"no coins"}', 'no coins'],
    ['{"result":{},"error":null}', null],
    ['{"error":""}', null],
    ['{"error":{"message":"x"}}', null],
    ['["error"]', null],
    ['"error"', null],
    ['null', null],
  ])('reads %s as %j', (body, text) => {
    expect(errorTextOf(answer(body, 'application/json'))).toBe(text);
  });
});

describe('hasResult', () => {
  it.each([
    ['{"effects":{},"error":"late"}', true],
    ['{"result":0}', true],
    ['{"effects":null,"result":null,"error":"no"}', false],
    ['{"error":"no"}', false],
    ['[]', false],
    ['null', false],
  ])('of %s is %j', (body, has) => {
    expect(hasResult(answer(body, 'application/json'))).toBe(has);
  });
});

describe('sentenceOf', () => {
  it.each([
    ['Header of type `authorization` was missing', 'text/plain', 'Header of type `authorization` was missing'],
    ['"Unauthorized"', 'application/json', 'Unauthorized'],
    ['<html>Unauthorized</html>', 'text/html', null],
    ['{"effects":{"status":', 'application/json', null],
    ['x'.repeat(501), 'text/plain', null],
  ])('reads %s (%s) as %j', (body, contentType, sentence) => {
    expect(sentenceOf(answer(body, contentType))).toBe(sentence);
  });
});

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

  it('hides credentials of other parties even if the call had none', () => {
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

describe('a response without the credential that was sent', () => {
  const authorization = new Secret('Bearer s3cr3t-token');
  const answer = (json: unknown, text = JSON.stringify(json)) => ({ status: 200, json, text });

  it('has it in no value and no key at any depth, and is otherwise unchanged', () => {
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

  it('is the same object if nothing was removed', () => {
    const plain = answer({ digest: 'abc' });
    expect(withoutCredential(plain, authorization)).toBe(plain);
    expect(withoutCredential(plain, null)).toBe(plain);
    const short = answer({ digest: 'abc' });
    expect(withoutCredential(short, new Secret('Bearer abc'))).toBe(short);
  });
});
