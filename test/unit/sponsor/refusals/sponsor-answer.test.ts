import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import {
  errorTextOf,
  hasResult,
  sentenceOf,
  toSponsorAnswer,
} from '../../../../src/sponsor/refusals/sponsor-answer.ts';

const answer = (body: string, contentType?: string, status = 200) =>
  toSponsorAnswer({
    status,
    headers: new Map(contentType === undefined ? [] : [['content-type', contentType]]),
    body: Buffer.from(body),
  });

describe('toSponsorAnswer', () => {
  it('parses JSON where the content type says so, whatever the status', () => {
    expect(answer('{"error":"x"}', 'application/json', 500).json).toEqual({ error: 'x' });
    expect(answer('{"error":"x"}', 'application/problem+json; charset=utf-8', 400).json).toEqual({ error: 'x' });
  });

  it('does not parse plain text, however much it looks like JSON', () => {
    expect(answer('{"error":"x"}', 'text/plain; charset=utf-8', 400).json).toBeUndefined();
  });

  it('parses when no content type is given', () => {
    expect(answer('"OK"').json).toBe('OK');
  });

  it('takes JSON that nobody could write again for none', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(answer(nested(2_001), 'application/json').json).toBeUndefined();
    expect(answer(nested(2_000), 'application/json').json).toBeDefined();
  });

  it('keeps the text of JSON that is none', () => {
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
